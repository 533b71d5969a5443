#pragma once
// Tail synchronisation for a fabric where each WRITE costs latency: a batch that is alone is announced by an
// immediate on the WRITE of its slots, which saves the second WRITE; every other batch as WriteTwice does it.
//
// Differs from the rb2 paper, §IV-A, which has the second WRITE always.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/ring/tail_sync.hpp"

namespace rb2::ring::tail {

/// One write for a batch none of which has been transmitted, while the receiver is not many of them behind;
/// the receiver then has one completion for it. Otherwise as WriteTwice. Every fabric that has 64 receives
/// posted for immediates.
struct ImmediateOrTwice {
    static constexpr std::uint32_t kTrailerBytes = 0;
    static constexpr bool kZeroes = false;
    static constexpr bool kPollsCompletions = true;
    /// Each immediate uses up a receive at the peer. So that there always is one: at most this many whose
    /// slots the peer's head does not tell of, plus a quarter of 64 receives that are used but not yet posted
    /// anew.
    static constexpr std::size_t kMostUnread = 48;
    /// Immediates after which the receiver tells its head, whatever gamma is.
    static constexpr std::uint64_t kTellEvery = 24;

    struct Announcement {
        static constexpr std::size_t kHeldBytes = 0;
        static constexpr std::uint32_t kTrailerBytes = 0;

        Announcement(const SenderWiring& wiring, const Parameters& parameters) noexcept
            : twice(wiring, parameters), head_word(wiring.local_head) {
            unread.fill(parameters.start);
        }

        template <fabric::Endpoint Endpoint, class Placement, class View>
        Status announce(Endpoint& endpoint, const Placement& placement, const View& slots, Batch batch,
                        fabric::Signal signal) noexcept {
            if (!alone(batch)) return twice.announce(endpoint, placement, slots, batch, signal);
            const Status status =
                transmit_announcing(endpoint, placement, slots, batch, [&](const auto& last) {
                    // The low half of the tail: wraps, but the receiver is at most a ring behind.
                    return endpoint.write_with_imm(last.source, last.target,
                                                   static_cast<std::uint32_t>(batch.to), signal);
                });
            if (status == Status::ok) {
                unread[oldest] = batch.to;
                oldest = (oldest + 1) % kMostUnread;
            }
            return status;
        }

        [[nodiscard]] bool alone(const Batch& batch) const noexcept {
            // Relaxed: nothing is read or overwritten on the strength of this head.
            const std::uint64_t head = std::atomic_ref(*head_word).load(std::memory_order_relaxed);
            return batch.from == batch.first && batch.from != batch.to && unread[oldest] <= head;
        }

        WriteTwice::Announcement twice;
        std::uint64_t* head_word;
        std::array<std::uint64_t, kMostUnread> unread;  ///< where the last immediates ended, in a circle
        std::size_t oldest = 0;
    };

    template <fabric::Endpoint Endpoint, class Placement, class Batching, class Layout>
    using Outbound = Publication<Announcement, Endpoint, Placement, Batching, Layout>;

    template <fabric::Endpoint Endpoint>
    class Inbound : public detail::KnownTail {
      public:
        Inbound(Endpoint& endpoint, const ReceiverWiring& wiring, const Parameters& parameters) noexcept
            : KnownTail(parameters.start),
              word_(wiring.local_tail),
              endpoint_(&endpoint),
              other_completions_(wiring.other_completions) {}

        template <class Layout>
        bool ready(const Slots<Layout>& slots, std::uint64_t head, std::uint64_t& mark) noexcept {
            return KnownTail::ready(slots, head, mark, [this] {
                // Acquire: all slots before this tail were written before it and are readable now.
                advance(std::atomic_ref(*word_).load(std::memory_order_acquire));
                // Also if the word told of records: whoever always finds some would never take the immediates
                // before them, and once their head is told the sender counts on the receives being there.
                harvest_for(*this, *endpoint_, other_completions_);
            });
        }

        bool take(const fabric::Completion& done) noexcept {
            if (done.operation != fabric::Operation::imm_arrived) return false;
            const auto ahead = static_cast<std::int32_t>(done.imm - static_cast<std::uint32_t>(cached_));
            const std::uint64_t tail = cached_ + static_cast<std::uint64_t>(ahead);
            if (++immediates_ % kTellEvery == 0) tell_at_ = tail;
            advance(tail);
            return true;
        }

        /// Whether the sender must be told the head now, until it has been.
        [[nodiscard]] bool owes_credit(std::uint64_t head) const noexcept { return head >= tell_at_; }
        void credited() noexcept { tell_at_ = kNotDue; }

      private:
        static constexpr std::uint64_t kNotDue = ~std::uint64_t{0};

        /// Word and immediates come in any order: the farthest counts.
        void advance(std::uint64_t tail) noexcept {
            if (static_cast<std::int64_t>(tail - cached_) > 0) cached_ = tail;
        }

        std::uint64_t* word_;
        Endpoint* endpoint_;
        CompletionSink other_completions_;
        std::uint64_t immediates_ = 0;     ///< taken so far
        std::uint64_t tell_at_ = kNotDue;  ///< head that the sender is to be told
    };
};

}  // namespace rb2::ring::tail
