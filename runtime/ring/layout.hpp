#pragma once
// Where a ring's memory lies. For each peer a rank owns one block: the words of the two pointers, the ring
// the peer's records arrive in, and (mirrored placement only) this side's copy of the ring towards the peer.
//
//   0                local_head   how far the peer has consumed the ring towards it
//   64               head         how far this rank has consumed the ring from the peer (lazy pull only)
//   128              local_tail   how far the peer has filled the ring from it (write-twice tail sync only)
//   256              inbound slots
//   256 + inbound    mirror of the outbound slots, or nothing
//
// Circular rings (slots.hpp) are mapped twice in a row: then the words have a page to themselves, and each
// ring takes up twice its bytes of addresses.
//
// Offsets depend on the slot counts only, so both sides compute the same ones. Zeroed memory is a pair of
// empty rings at position 0. The block must start on a line pair (128 bytes).

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/ring/record.hpp"

namespace rb2::ring {

/// Cores fetch lines in pairs, so fields of different writers stay this far apart.
inline constexpr std::size_t kLinePairBytes = 2 * kLineBytes;

/// The words of a block. The peer writes local_head and local_tail; this rank writes head, which the peer
/// reads and which leaves local_head to be the sink of this rank's own reads.
struct Words {
    alignas(kLinePairBytes) std::uint64_t local_head;
    alignas(kLineBytes) std::uint64_t head;
    alignas(kLinePairBytes) std::uint64_t local_tail;
};

static_assert(std::is_standard_layout_v<Words> && std::is_trivial_v<Words>);
static_assert(offsetof(Words, local_head) == 0 && offsetof(Words, head) == 64);
static_assert(offsetof(Words, local_tail) == 128 && sizeof(Words) == 256);

[[nodiscard]] constexpr std::size_t ring_bytes(std::uint64_t slots,
                                               std::size_t slot_bytes = kLineBytes) noexcept {
    return slots * slot_bytes;
}

/// The block one rank keeps for one peer. Offsets and sizes in bytes from the start of the block.
struct BlockLayout {
    std::uint64_t inbound_slots;
    std::uint64_t mirror_slots =
        0;  ///< slots of the outbound ring if it is mirrored, of a staging record, or 0
    std::size_t slot_bytes = kLineBytes;
    std::size_t page_bytes = 0;  ///< of circular rings; 0: the rings are mapped once

    static constexpr std::size_t kLocalHead = offsetof(Words, local_head);
    static constexpr std::size_t kHead = offsetof(Words, head);
    static constexpr std::size_t kLocalTail = offsetof(Words, local_tail);
    static constexpr std::size_t kSlots = sizeof(Words);

    /// Of the inbound slots: kSlots, or the second page.
    [[nodiscard]] constexpr std::size_t slots() const noexcept {
        return page_bytes == 0 ? kSlots : page_bytes;
    }
    [[nodiscard]] constexpr std::size_t mirror() const noexcept { return slots() + mapped(inbound_slots); }
    [[nodiscard]] constexpr std::size_t bytes() const noexcept { return mirror() + mapped(mirror_slots); }

  private:
    /// Addresses that a ring takes up.
    [[nodiscard]] constexpr std::size_t mapped(std::uint64_t count) const noexcept {
        return (page_bytes == 0 ? 1 : 2) * ring_bytes(count, slot_bytes);
    }
};

/// The room rule, the only place that decides it: slots the sender may still fill.
/// One slot stays free (paper §III-B: full is (tail + 1) % N == head), so that the slot behind the newest
/// record is always the sender's to silence. Positions never wrap in practice, and the difference is right
/// even if they do. Holds for 0 <= tail - head <= slots - 1.
[[nodiscard]] constexpr std::uint64_t free_slots(std::uint64_t tail, std::uint64_t head,
                                                 std::uint64_t slots) noexcept {
    return slots - 1 - (tail - head);
}

}  // namespace rb2::ring
