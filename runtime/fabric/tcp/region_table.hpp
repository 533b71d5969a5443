#pragma once
// The memory that peers may reach. Every place in a frame is looked up here before a byte moves.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/fabric/fabric.hpp"

namespace rb2::fabric::tcp {

/// One thread. A key names its region until remove(), and for a long time afterwards nothing else: it carries
/// a generation, so that a late or repeated frame does not reach whoever has the place in the table now.
class RegionTable {
  public:
    /// `owner` is whose peer may use it. `memory` is not empty and stays the caller's. Throws StartupError
    /// when the table is full. `watched`: somebody may look at it while it is written.
    [[nodiscard]] Key add(std::span<std::byte> memory, const void* owner, bool watched = true);
    /// The key is one of add().
    void remove(Key key) noexcept;
    /// Where [place, place + bytes) is, or null if not all of it lies in a region of that key and owner.
    /// `place.address` counts from the start of the region.
    [[nodiscard]] std::byte* find(Remote place, std::uint64_t bytes, const void* owner) const noexcept {
        const std::size_t index = place.key & kIndexMask;
        if (index >= entries_.size()) return nullptr;
        const Entry& entry = entries_[index];
        const bool inside = entry.key == place.key && entry.owner == owner &&
                            place.address <= entry.memory.size() &&
                            bytes <= entry.memory.size() - place.address;
        return inside ? entry.memory.data() + place.address : nullptr;
    }
    [[nodiscard]] bool watched(Key key) const noexcept {
        const std::size_t index = key & kIndexMask;
        return index >= entries_.size() || entries_[index].watched;
    }
    /// The memory of that key; empty if there is none.
    [[nodiscard]] std::span<std::byte> memory(Key key) const noexcept {
        const std::size_t index = key & kIndexMask;
        return index < entries_.size() && entries_[index].key == key ? entries_[index].memory
                                                                     : std::span<std::byte>{};
    }

  private:
    static constexpr unsigned kIndexBits = 20;
    static constexpr Key kIndexMask = (Key{1} << kIndexBits) - 1;

    struct Entry {
        std::span<std::byte> memory;
        const void* owner = nullptr;  ///< null: nobody's
        Key key = 0;
        bool watched = true;
    };

    std::vector<Entry> entries_;
    std::vector<std::uint32_t> free_;
};

}  // namespace rb2::fabric::tcp
