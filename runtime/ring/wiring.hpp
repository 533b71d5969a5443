#pragma once
// What a sender and a receiver need to know of the memory on both sides.

#include <cstddef>
#include <cstdint>

#include "runtime/fabric/fabric.hpp"
#include "runtime/ring/layout.hpp"

namespace rb2::ring {

/// Takes the completions a ring polls off the shared endpoint but that are not its own. Empty: they are
/// dropped, which is right when the ring is the endpoint's only user.
struct CompletionSink {
    void (*take)(void* owner, const fabric::Completion& completion) = nullptr;
    void* owner = nullptr;

    void operator()(const fabric::Completion& completion) const {
        if (take != nullptr) take(owner, completion);
    }
};

/// Local pointers are this rank's own memory, not owned; Remote places are the peer's.
struct SenderWiring {
    fabric::Remote slots;         ///< the ring at the peer
    fabric::Remote local_tail;    ///< the peer's word that says how far it is filled
    std::uint64_t* local_head;    ///< the peer writes here how far it has read
    std::byte* mirror = nullptr;  ///< this side's copy of the slots (mirrored placement)
    fabric::Key mirror_key = 0;   ///< of the region the mirror lies in
    CompletionSink other_completions{};
};

struct ReceiverWiring {
    std::byte* slots;           ///< the ring
    std::uint64_t* local_tail;  ///< the peer writes here how far it has filled the ring
    fabric::Remote local_head;  ///< the peer's word that says how far it has been read
};

/// A block of layout.hpp seen from the rank that owns it, and the matching block at the peer.
struct BlockPair {
    std::byte* own;  ///< aligned to kLinePairBytes
    BlockLayout own_layout;
    fabric::Key own_key;
    fabric::Remote peer;  ///< start of the block the peer keeps for this rank

    [[nodiscard]] SenderWiring sender(CompletionSink other_completions = {}) const noexcept {
        return {.slots = peer + BlockLayout::kSlots,
                .local_tail = peer + BlockLayout::kLocalTail,
                .local_head = reinterpret_cast<std::uint64_t*>(own + BlockLayout::kLocalHead),
                .mirror = own + own_layout.mirror(),
                .mirror_key = own_key,
                .other_completions = other_completions};
    }
    [[nodiscard]] ReceiverWiring receiver() const noexcept {
        return {.slots = own + BlockLayout::kSlots,
                .local_tail = reinterpret_cast<std::uint64_t*>(own + BlockLayout::kLocalTail),
                .local_head = peer + BlockLayout::kLocalHead};
    }
};

}  // namespace rb2::ring
