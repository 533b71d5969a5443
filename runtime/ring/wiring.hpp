#pragma once
// What a sender and a receiver need to know of the memory on both sides.

#include <cstddef>
#include <cstdint>

#include "runtime/fabric/fabric.hpp"
#include "runtime/fabric/harvest.hpp"
#include "runtime/ring/layout.hpp"

namespace rb2::ring {

/// Tickets of the rings' own operations; the endpoint's other users keep to other values.
inline constexpr std::uint64_t kTailTicket = ~std::uint64_t{0};  ///< a publication
inline constexpr std::uint64_t kPullTicket = kTailTicket - 1;    ///< a read of the peer's head

/// Takes the completions a ring polls off the shared endpoint but that are not its own. Empty: they are
/// dropped, which is right when the ring is the endpoint's only user.
struct CompletionSink {
    void (*take)(void* owner, const fabric::Completion& completion) = nullptr;
    void* owner = nullptr;

    void operator()(const fabric::Completion& completion) const {
        if (take != nullptr) take(owner, completion);
    }
};

using fabric::harvest_completions;

/// Takes completions for `policy`; those that it does not take() are others'.
template <fabric::Endpoint E, class Policy>
void harvest_for(Policy& policy, E& endpoint, const CompletionSink& others) noexcept {
    harvest_completions(endpoint, [&](const fabric::Completion& done) {
        if (!policy.take(done)) others(done);
    });
}

/// Local pointers are this rank's own memory, not owned; Remote places are the peer's.
struct SenderWiring {
    fabric::Remote slots;         ///< the ring at the peer
    fabric::Remote local_tail;    ///< the peer's word that says how far it is filled
    fabric::Remote head{};        ///< the peer's word that says how far it has read (lazy pull)
    std::uint64_t* local_head;    ///< the peer writes here how far it has read, or a pull lands here
    std::byte* mirror = nullptr;  ///< this side's copy of the slots, or its staging record (placement.hpp)
    fabric::Key mirror_key = 0;   ///< of the region the mirror and local_head lie in
    CompletionSink other_completions{};
};

struct ReceiverWiring {
    std::byte* slots;               ///< the ring
    std::uint64_t* local_tail;      ///< the peer writes here how far it has filled the ring
    std::uint64_t* head = nullptr;  ///< the peer reads here how far the ring has been read (lazy pull)
    fabric::Remote local_head;      ///< the peer's word that says how far it has been read
    CompletionSink other_completions{};
};

/// A block of layout.hpp seen from the rank that owns it, and the matching block at the peer.
struct BlockPair {
    std::byte* own;  ///< aligned to kLinePairBytes
    BlockLayout own_layout;
    fabric::Key own_key;
    fabric::Remote peer;  ///< start of the block the peer keeps for this rank, with the same page_bytes

    [[nodiscard]] SenderWiring sender(CompletionSink other_completions = {}) const noexcept {
        return {.slots = peer + own_layout.slots(),
                .local_tail = peer + BlockLayout::kLocalTail,
                .head = peer + BlockLayout::kHead,
                .local_head = word(BlockLayout::kLocalHead),
                .mirror = own + own_layout.mirror(),
                .mirror_key = own_key,
                .other_completions = other_completions};
    }
    [[nodiscard]] ReceiverWiring receiver(CompletionSink other_completions = {}) const noexcept {
        return {.slots = own + own_layout.slots(),
                .local_tail = word(BlockLayout::kLocalTail),
                .head = word(BlockLayout::kHead),
                .local_head = peer + BlockLayout::kLocalHead,
                .other_completions = other_completions};
    }

  private:
    [[nodiscard]] std::uint64_t* word(std::size_t offset) const noexcept {
        return reinterpret_cast<std::uint64_t*>(own + offset);
    }
};

}  // namespace rb2::ring
