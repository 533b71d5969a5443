#pragma once
// The seam to pt2pt: a channel is the pair of rings with one peer, one out and one in.
//
// Promises: records arrive in the order of their commits, whole, once. A full ring is an empty claim, never a
// wait. When flush() has answered ok, everything committed reaches the peer without a further call of this
// side.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/fabric/shm/endpoint.hpp"
#include "runtime/ring/receiver.hpp"
#include "runtime/ring/sender.hpp"

namespace rb2::ring {

/// What pt2pt needs of the sending side; Sender documents it.
template <class S>
concept SendSide = requires(S sender, const S const_sender, Claim claim, std::uint32_t length,
                            std::uint8_t kind, std::uint64_t word) {
    { sender.try_claim(length) } -> std::same_as<Claim>;
    { sender.commit(claim, kind, word, length) } -> std::same_as<Status>;
    { sender.abort(claim) } -> std::same_as<void>;
    { sender.flush() } -> std::same_as<Status>;
    { sender.poll() } -> std::same_as<Status>;
    { const_sender.status() } -> std::same_as<Status>;
    { const_sender.max_length() } -> std::same_as<std::uint32_t>;
    { sender.room() } -> std::same_as<std::uint64_t>;
};

/// What pt2pt needs of the receiving side; Receiver documents it.
template <class R>
concept ReceiveSide = requires(R receiver, const R const_receiver, int budget,
                               Verdict (*handler)(const Record&)) {
    { receiver.drain(budget, handler) } -> std::same_as<int>;
    { receiver.empty() } -> std::same_as<bool>;
    { receiver.release() } -> std::same_as<Status>;
    { const_receiver.reported() } -> std::same_as<std::uint64_t>;
};

/// Both sides with one peer. kMustFlush: a commit may be held back until flush().
template <class C>
concept Channel = requires(C channel) {
    requires SendSide<std::remove_reference_t<decltype(channel.sender())>>;
    requires ReceiveSide<std::remove_reference_t<decltype(channel.receiver())>>;
    { C::kMustFlush } -> std::convertible_to<bool>;
};

/// A channel of any mix over any endpoint, with the blocks of layout.hpp on both sides. Not movable: keep it
/// in a node-based or fixed container. `endpoint` and the blocks are the caller's and outlive it.
template <class M, fabric::Endpoint Endpoint>
class RingChannel {
  public:
    static constexpr bool kMustFlush = M::Batching::kHoldsBack;

    /// `outbound` are the parameters of the ring towards the peer, `inbound` of the one from it. `others`
    /// takes the completions of the endpoint's other users.
    RingChannel(Endpoint& endpoint, const BlockPair& blocks, const Parameters& outbound,
                const Parameters& inbound, const CompletionSink& others = {})
        : sender_(endpoint, blocks.sender(to_receiver(others)), outbound),
          receiver_(endpoint, blocks.receiver(to_sender(others)), inbound),
          others_(others) {}
    RingChannel(const RingChannel&) = delete;
    RingChannel& operator=(const RingChannel&) = delete;

    [[nodiscard]] Sender<M, Endpoint>& sender() noexcept { return sender_; }
    [[nodiscard]] Receiver<M, Endpoint>& receiver() noexcept { return receiver_; }

  private:
    /// Both sides may poll the one endpoint: what one finds of the other's is passed across.
    [[nodiscard]] CompletionSink to_receiver(const CompletionSink& others) noexcept {
        if constexpr (!M::Tail::kPollsCompletions) return others;
        return {.take =
                    [](void* owner, const fabric::Completion& done) {
                        auto& self = *static_cast<RingChannel*>(owner);
                        if (!self.receiver_.take(done)) self.others_(done);
                    },
                .owner = this};
    }
    [[nodiscard]] CompletionSink to_sender(const CompletionSink& others) noexcept {
        if constexpr (!M::Tail::kPollsCompletions) return others;
        return {.take =
                    [](void* owner, const fabric::Completion& done) {
                        auto& self = *static_cast<RingChannel*>(owner);
                        if (!self.sender_.take(done)) self.others_(done);
                    },
                .owner = this};
    }

    Sender<M, Endpoint> sender_;
    Receiver<M, Endpoint> receiver_;
    CompletionSink others_;  // for mixes of which both sides poll
};

using ShmSender = Sender<mix::Rb2InPlace, fabric::shm::Endpoint>;
using ShmReceiver = Receiver<mix::Rb2InPlace, fabric::shm::Endpoint>;

/// The channel between two ranks of one host: RB² in place both ways, in the blocks the ranks keep for each
/// other.
class ShmChannel {
  public:
    using Ring = RingChannel<mix::Rb2InPlace, fabric::shm::Endpoint>;
    static constexpr bool kMustFlush = Ring::kMustFlush;

    /// Bytes of the block that a rank keeps for a peer whose records arrive in `inbound_slots` slots.
    [[nodiscard]] static constexpr std::size_t block_bytes(std::uint64_t inbound_slots) noexcept {
        return BlockLayout{.inbound_slots = inbound_slots}.bytes();
    }

    /// `own` is this rank's block for the peer, `peer` the peer's block for this rank as mapped here; both
    /// zeroed when created, aligned to kLinePairBytes, and alive as long as the channel. Throws StartupError
    /// if one is smaller than its ring needs.
    ShmChannel(std::span<std::byte> own, std::span<std::byte> peer, const Parameters& outbound,
               const Parameters& inbound);

    [[nodiscard]] ShmSender& sender() noexcept { return ring_.sender(); }
    [[nodiscard]] ShmReceiver& receiver() noexcept { return ring_.receiver(); }

  private:
    // The ring keeps a reference to the endpoint but touches it only to push the head; hot fields are the
    // ring's.
    fabric::shm::Endpoint endpoint_;
    Ring ring_;
};

}  // namespace rb2::ring
