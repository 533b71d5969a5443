#pragma once
// Positions to addresses: the only place where a position is masked.

#include <cstddef>
#include <cstdint>

#include "runtime/ring/fetch.hpp"
#include "runtime/ring/layout.hpp"
#include "runtime/ring/parameters.hpp"
#include "runtime/ring/record.hpp"

namespace rb2::ring {

namespace layout {

/// Records start on a slot of whole cache lines and may span slots (rb2 paper, C5).
/// Costs memory for short records; no two records share a line, so sender and receiver do not either.
template <std::size_t Bytes = kLineBytes>
struct SlotToSlot {
    static_assert(Bytes >= kLineBytes && Bytes % kLineBytes == 0, "a slot is one or more whole cache lines");
    static constexpr std::size_t kSlotBytes = Bytes;
    static constexpr bool kCircular = false;

    /// Slots of a record with `length` bytes behind its header.
    [[nodiscard]] static constexpr std::uint64_t slots_for(std::uint32_t length) noexcept {
        return (sizeof(RecordHeader) + length + Bytes - 1) / Bytes;
    }
    /// Slots of the largest record.
    [[nodiscard]] static constexpr std::uint64_t max_slots(const Parameters& parameters) noexcept {
        return parameters.max_record_slots();
    }
};

/// Records follow each other at the next 16 bytes (rb2 paper, C5): a slot is only the unit of positions, so
/// N, alpha, beta and gamma count 16-byte units. Least memory; neighbours share cache lines, also across the
/// two sides.
struct BackToBack {
    static constexpr std::size_t kSlotBytes = sizeof(RecordHeader);
    static constexpr bool kCircular = false;

    [[nodiscard]] static constexpr std::uint64_t slots_for(std::uint32_t length) noexcept {
        return 1 + (std::uint64_t{length} + kSlotBytes - 1) / kSlotBytes;
    }
    [[nodiscard]] static constexpr std::uint64_t max_slots(const Parameters& parameters) noexcept {
        return parameters.max_record_slots();
    }
};

/// A list of buffers of one size, one record in each (rb2 paper, C3 "linked list"): no record spans buffers,
/// so nothing is ever padded. Differs from a linked list in that the next buffer is always the next in
/// memory.
template <std::size_t Bytes>
struct SlotList {
    static_assert(Bytes >= kLineBytes && Bytes % kLineBytes == 0,
                  "a buffer is one or more whole cache lines");
    static constexpr std::size_t kSlotBytes = Bytes;
    static constexpr bool kCircular = false;

    [[nodiscard]] static constexpr std::uint64_t slots_for(std::uint32_t length) noexcept {
        return SlotToSlot<Bytes>::slots_for(length);
    }
    [[nodiscard]] static constexpr std::uint64_t max_slots(const Parameters&) noexcept { return 1; }
};

/// `Base` on memory that is mapped twice in a row, at both sides (memory::CircularMapping; protocols paper,
/// §4): a record may cross the end of a lap, so there is no padding, a batch is always one WRITE, and a
/// record may have all slots but those the receiver holds back. The ring must be of whole pages.
template <class Base>
struct Circular : Base {
    static constexpr bool kCircular = true;

    [[nodiscard]] static constexpr std::uint64_t max_slots(const Parameters& parameters) noexcept {
        return parameters.slots - parameters.gamma;
    }
};

}  // namespace layout

/// Bytes of addresses from a ring's first slot that belong to it.
template <class Layout>
[[nodiscard]] constexpr std::size_t mapped_bytes(std::uint64_t slots) noexcept {
    return (Layout::kCircular ? 2 : 1) * ring_bytes(slots, Layout::kSlotBytes);
}

/// View of a ring's slots. Not owned. `Layout` says how large a slot is.
template <class Layout>
class Slots {
  public:
    static constexpr std::size_t kSlotBytes = Layout::kSlotBytes;

    /// `count` is a power of two; `base` is aligned to a cache line.
    Slots(std::byte* base, std::uint64_t count) noexcept : base_(base), mask_(count - 1) {}

    [[nodiscard]] std::uint64_t count() const noexcept { return mask_ + 1; }
    [[nodiscard]] std::uint64_t index(std::uint64_t position) const noexcept { return position & mask_; }
    /// First position that is not contiguous with `position`; records do not cross it: the start of the next
    /// lap, or if the ring is circular a whole lap ahead, where no record reaches.
    [[nodiscard]] std::uint64_t lap_end(std::uint64_t position) const noexcept {
        return Layout::kCircular ? position + count() : (position | mask_) + 1;
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

    /// Asks for the lines of the slots from `position` to before `end`, also of the next lap.
    void fetch_for_write(std::uint64_t position, std::uint64_t end) const noexcept {
        constexpr std::uint64_t slots_of_a_line = kSlotBytes < kLineBytes ? kLineBytes / kSlotBytes : 1;
        for (; position < end; position += slots_of_a_line)
            for (std::size_t line = 0; line < kSlotBytes; line += kLineBytes)
                ring::fetch_for_write(slot(position) + line);
    }

  private:
    std::byte* base_;
    std::uint64_t mask_;
};

/// View of a ring that is not here: one record of it at a time lies in a staging buffer. Only the slots of
/// that record, and their positions, may be asked for.
template <class Layout>
class Staged : public Slots<Layout> {
  public:
    using Slots<Layout>::Slots;

    /// The buffer holds the record at `position` from now on.
    void stage(std::uint64_t position) noexcept { first_ = position; }

    [[nodiscard]] std::byte* slot(std::uint64_t position) const noexcept {
        return Slots<Layout>::slot(0) + (position - first_) * Layout::kSlotBytes;
    }
    [[nodiscard]] RecordHeader& header(std::uint64_t position) const noexcept {
        return *reinterpret_cast<RecordHeader*>(slot(position));
    }
    [[nodiscard]] std::byte* payload(std::uint64_t position) const noexcept {
        return slot(position) + sizeof(RecordHeader);
    }

  private:
    std::uint64_t first_ = 0;
};

/// The last word of the record that ends before position `end`.
template <class View>
[[nodiscard]] std::uint64_t& trailer(const View& slots, std::uint64_t end) noexcept {
    return *reinterpret_cast<std::uint64_t*>(slots.slot(end - 1) + View::kSlotBytes - sizeof(std::uint64_t));
}

/// Slots of the record at `head` with this mark and `extra` bytes behind its payload. A padding record
/// reaches to the end of its lap; a circular ring has none. May leave the ring: the peer wrote the mark.
template <class Layout>
[[nodiscard]] std::uint64_t record_slots(const Slots<Layout>& slots, std::uint64_t head, const Mark& mark,
                                         std::uint32_t extra) noexcept {
    return mark.kind == kPadding ? slots.lap_end(head) - head : Layout::slots_for(mark.length + extra);
}

}  // namespace rb2::ring
