#pragma once
// Which registration covers a range with the wanted access.
//
// One ordered map per set of access flags. Within one map no entry's pages contain another's: a lookup would
// have found the larger one, and whoever enters it takes the smaller ones out. So entries ordered by their
// first page are also ordered by their last, and both questions have short answers: the only candidate to
// cover [a, b) is the last entry that begins at or before a; what overlaps [a, b) is a run of neighbours.
// Entries may overlap partly: merging them would register ever longer ranges as a program slides through an
// array.
//
// Nothing here allocates or frees: an entry brings its node and takes it away again.

#include <array>
#include <iterator>
#include <utility>

#include "runtime/memory/registration/entry.hpp"

namespace rb2::memory::registration {

class IntervalMap {
  public:
    /// An entry that covers `pages` and grants `wanted`; nullptr when there is none. At most 16 searches,
    /// O(log n) each, those in empty maps free.
    [[nodiscard]] Entry* find(Range pages, Access wanted) const noexcept;

    /// Puts an entry in. Those it contains and outranks must be out already.
    void insert(Entry& entry) noexcept;
    void take(Entry& entry) noexcept;

    /// Takes out every entry that overlaps `pages` and that `wanted(entry)` accepts, and calls
    /// `taken(entry)`.
    template <class Wanted, class Taken>
    void take_overlapping(Range pages, Wanted&& wanted, Taken&& taken) noexcept {
        for (EntryMap& map : maps_) {
            for (auto at = first_overlapping(map, pages); at != map.end() && at->first < pages.end;) {
                const auto here = at++;
                Entry& entry = *here->second;
                if (!entry.pages.overlaps(pages) || !wanted(entry)) continue;
                entry.node = map.extract(here);
                taken(entry);
            }
        }
    }

    /// The first part of `pages` that no entry covers; empty when all is covered.
    [[nodiscard]] Range first_uncovered(Range pages) const noexcept;

    [[nodiscard]] bool empty() const noexcept;

  private:
    [[nodiscard]] static EntryMap::const_iterator first_overlapping(const EntryMap& map,
                                                                    Range pages) noexcept;
    /// End of the entry that covers the page at `address`; `address` when there is none.
    [[nodiscard]] std::uintptr_t covered_up_to(std::uintptr_t address) const noexcept;

    std::array<EntryMap, kAccessSets> maps_;
};

/// A node for an entry that is to go into the map. Throws std::bad_alloc.
[[nodiscard]] EntryMap::node_type new_node();

}  // namespace rb2::memory::registration
