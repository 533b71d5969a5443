#pragma once
// Positions to addresses: the only place where a position is masked.

#include <cstddef>
#include <cstdint>

#include "runtime/ring/record.hpp"

namespace rb2::ring {

namespace layout {

/// Records start on a slot of whole cache lines and may span slots (rb2 paper, C5).
/// Costs memory for short records; no two records share a line, so sender and receiver do not either.
template <std::size_t Bytes = kLineBytes>
struct SlotToSlot {
    static_assert(Bytes >= kLineBytes && Bytes % kLineBytes == 0, "a slot is one or more whole cache lines");
    static constexpr std::size_t kSlotBytes = Bytes;

    /// Slots of a record with `length` payload bytes.
    [[nodiscard]] static constexpr std::uint64_t slots_for(std::uint32_t length) noexcept {
        return (sizeof(RecordHeader) + length + Bytes - 1) / Bytes;
    }
};

}  // namespace layout

/// View of a ring's slots. Not owned. `Layout` says how large a slot is.
template <class Layout>
class Slots {
  public:
    /// `count` is a power of two; `base` is aligned to a cache line.
    Slots(std::byte* base, std::uint64_t count) noexcept : base_(base), mask_(count - 1) {}

    [[nodiscard]] std::uint64_t count() const noexcept { return mask_ + 1; }
    [[nodiscard]] std::uint64_t index(std::uint64_t position) const noexcept { return position & mask_; }
    /// First position of the lap after the one `position` is in. Records do not cross it.
    [[nodiscard]] std::uint64_t lap_end(std::uint64_t position) const noexcept {
        return (position | mask_) + 1;
    }

    [[nodiscard]] std::byte* slot(std::uint64_t position) const noexcept {
        return base_ + index(position) * Layout::kSlotBytes;
    }
    [[nodiscard]] RecordHeader& header(std::uint64_t position) const noexcept {
        return *reinterpret_cast<RecordHeader*>(slot(position));
    }
    [[nodiscard]] std::byte* payload(std::uint64_t position) const noexcept {
        return slot(position) + sizeof(RecordHeader);
    }

  private:
    std::byte* base_;
    std::uint64_t mask_;
};

}  // namespace rb2::ring
