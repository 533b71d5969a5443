#pragma once
// Hash table from a key to the first-in-first-out queue of the entries filed under it.
//
// Open addressing with linear probing (D. Knuth, TAOCP vol. 3, section 6.4, Algorithm L) and deletion by
// moving later slots back (ibid., Algorithm R), so that no tombstones gather however many keys come and go.
// At most half of the slots are taken. A slot holds the key's hash and its oldest entry; the entries of one
// key form a ring through links inside themselves. Cost of every operation: one probe sequence, whatever the
// number of entries and of keys. Memory: 16 bytes a slot, doubled when half full; nothing is allocated
// otherwise.

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "pt2pt/matching/entries.hpp"
#include "pt2pt/matching/envelope.hpp"
#include "pt2pt/matching/ring_queue.hpp"

namespace rb2::matching {

/// Says on stderr which table could not grow and by how much, then aborts the process.
[[noreturn]] void fail_out_of_memory(std::size_t bytes, std::size_t pending) noexcept;

/// Queues by key. `Access` tells where an entry's key and ring links for this table are:
///   Envelope key(const Entry&) const;  RingLinks<Entry>& links(Entry&) const;
/// Not thread-safe. Entries are not owned.
template <class Entry, class Access>
class FifoTable {
  public:
    struct Slot {
        Entry* oldest = nullptr;  // null: free slot
        std::uint32_t hash = 0;
    };
    static constexpr std::size_t kInitialSlots = 64;

    explicit FifoTable(Access access = {}) : access_(access), slots_(kInitialSlots) {}

    /// The slot of `key`, or null. Valid until the next change of the table.
    Slot* find(Envelope key) {
        Slot& slot = slot_of(key);
        return slot.oldest != nullptr ? &slot : nullptr;
    }

    /// Files `entry` behind all others of its key.
    void push_back(Entry& entry) {
        Slot& slot = slot_of(access_.key(entry));
        const bool first = slot.oldest == nullptr;
        matching::push_back(slot.oldest, entry, links());
        if (first && ++keys_ * 2 > wrap_) [[unlikely]]
            grow();
    }

    /// Takes the oldest entry out of a slot that find() returned.
    Entry& pop_front(Slot& slot) {
        Entry& entry = *slot.oldest;
        unlink(slot, entry);
        return entry;
    }

    /// Takes out an entry from any place in its queue. It must be in this table.
    void remove(Entry& entry) {
        Slot* const slot = find(access_.key(entry));
        assert(slot != nullptr && "the entry is not in this table");
        unlink(*slot, entry);
    }

    /// Calls `visit(Entry&)` for each entry, keys in no order, entries of one key oldest first.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const Slot& slot : slots_) matching::for_each(slot.oldest, links(), visit);
    }

    /// Number of distinct keys, and of slots looked at since construction (the cost measure of the tests).
    std::size_t key_count() const { return keys_; }
    std::size_t slot_count() const { return slots_.size(); }
    std::uint64_t steps() const { return steps_; }

  private:
    /// The slot of `key`, or the free slot where it belongs, with its hash set. Runs of one key need no hash:
    /// the slot found last is looked at first.
    Slot& slot_of(Envelope key) {
        Slot& last = slots_[recent_];
        if (last.oldest != nullptr && access_.key(*last.oldest) == key) [[likely]] {
            ++steps_;
            return last;
        }
        return probe(key, hash_of(key));
    }

    Slot& probe(Envelope key, std::uint32_t hash) {
        Slot* const slots = slots_.data();
        const std::size_t wrap = wrap_;
        for (std::size_t at = hash & wrap;; at = (at + 1) & wrap) {
            ++steps_;
            Slot& slot = slots[at];
            if (slot.oldest == nullptr || (slot.hash == hash && access_.key(*slot.oldest) == key)) {
                recent_ = at;
                slot.hash = hash;
                return slot;
            }
        }
    }

    /// Where the entries' links for this table are, for the functions of ring_queue.hpp.
    auto links() const {
        return [this](Entry& entry) -> RingLinks<Entry>& { return access_.links(entry); };
    }

    void unlink(Slot& slot, Entry& entry) {
        matching::take_out(slot.oldest, entry, links());
        if (slot.oldest == nullptr) erase(static_cast<std::size_t>(&slot - slots_.data()));
    }

    /// Frees a slot and moves back those behind it that would no longer be found (Algorithm R).
    void erase(std::size_t hole) {
        const std::size_t wrap = wrap_;
        for (std::size_t at = (hole + 1) & wrap; slots_[at].oldest != nullptr; at = (at + 1) & wrap) {
            ++steps_;
            const std::size_t home = slots_[at].hash & wrap;
            if (((at - home) & wrap) < ((at - hole) & wrap)) continue;  // its home lies behind the hole
            slots_[hole] = slots_[at];
            hole = at;
        }
        slots_[hole].oldest = nullptr;
        --keys_;
    }

    [[gnu::noinline, gnu::cold]] void grow() {
        const std::size_t wrap = slots_.size() * 2 - 1;
        std::vector<Slot> larger;
        try {
            larger.resize(wrap + 1);
        } catch (const std::bad_alloc&) {
            fail_out_of_memory((wrap + 1) * sizeof(Slot), keys_);
        }
        for (const Slot& slot : slots_) {
            if (slot.oldest == nullptr) continue;
            std::size_t at = slot.hash & wrap;
            for (; larger[at].oldest != nullptr; at = (at + 1) & wrap) ++steps_;
            ++steps_;
            larger[at] = slot;
        }
        slots_.swap(larger);
        wrap_ = wrap;
    }

    [[no_unique_address]] Access access_;
    std::vector<Slot> slots_;  // a power of two
    std::size_t wrap_ = kInitialSlots - 1;
    std::size_t recent_ = 0;  // index of the slot that probe() found last
    std::size_t keys_ = 0;
    std::uint64_t steps_ = 0;
};

}  // namespace rb2::matching
