#pragma once
// Tail synchronisation: how the receiver learns that a record is complete. rb2 paper, §IV-A; the sender side
// they share is publication.hpp. InlinedBell has a file of its own.

#include <atomic>
#include <cstdint>
#include <cstring>

#include "runtime/fabric/fabric.hpp"
#include "runtime/ring/inlined_bell.hpp"
#include "runtime/ring/publication.hpp"

namespace rb2::ring::tail {

namespace detail {

/// The receiver's half that both share: its own copy of the tail, looked for anew once all before it is read.
class KnownTail {
  public:
    explicit KnownTail(std::uint64_t start) noexcept : cached_(start) {}

    /// Slots a record at `head` may have; more than the ring has means that the tail is corrupt.
    [[nodiscard]] std::uint64_t published(std::uint64_t head, std::uint64_t) const noexcept {
        return cached_ - head;
    }
    /// The record of `count` slots at `head` has been read.
    template <class Layout>
    void consumed(const Slots<Layout>&, std::uint64_t, std::uint64_t) noexcept {}

  protected:
    /// Whether a record starts at `head`; if so, `mark` is its mark. `look()` brings `cached_` up to date.
    template <class Layout, class Look>
    bool ready(const Slots<Layout>& slots, std::uint64_t head, std::uint64_t& mark, Look look) noexcept {
        if (head == cached_) {
            look();
            if (head == cached_) return false;
        }
        mark = slots.header(head).mark;
        return true;
    }

    std::uint64_t cached_;
};

}  // namespace detail

/// First the slots, then the tail, as two ordered writes. Works on every fabric, whatever the byte order
/// inside a write, and lets one tail cover a batch. The receiver polls one word, then reads the record: two
/// line transfers.
struct WriteTwice {
    static constexpr std::uint32_t kTrailerBytes = 0;
    static constexpr bool kZeroes = false;
    static constexpr bool kPollsCompletions = false;

    struct Announcement {
        static constexpr std::size_t kHeldBytes = 0;
        static constexpr std::uint32_t kTrailerBytes = 0;

        Announcement(const SenderWiring& wiring, const Parameters&) noexcept
            : local_tail(wiring.local_tail) {}

        template <fabric::Endpoint Endpoint, class Placement, class View>
        Status announce(Endpoint& endpoint, const Placement& placement, const View& slots, Batch batch,
                        fabric::Signal signal) noexcept {
            const Status status = transmit(endpoint, placement, slots, batch, 0);
            if (status != Status::ok) return status;
            return endpoint.write({reinterpret_cast<const std::byte*>(&batch.to), sizeof batch.to},
                                  local_tail, signal);
        }

        fabric::Remote local_tail;
    };

    template <fabric::Endpoint Endpoint, class Placement, class Batching, class Layout>
    using Outbound = Publication<Announcement, Endpoint, Placement, Batching, Layout>;

    template <fabric::Endpoint Endpoint>
    class Inbound : public detail::KnownTail {
      public:
        Inbound(Endpoint&, const ReceiverWiring& wiring, const Parameters& parameters) noexcept
            : KnownTail(parameters.start), word_(wiring.local_tail) {}

        template <class Layout>
        bool ready(const Slots<Layout>& slots, std::uint64_t head, std::uint64_t& mark) noexcept {
            return KnownTail::ready(slots, head, mark, [this] {
                // Acquire: all slots before this tail were written before it and are readable now.
                cached_ = std::atomic_ref(*word_).load(std::memory_order_acquire);
            });
        }
        /// Whether the completion is one of this policy's own.
        bool take(const fabric::Completion&) noexcept { return false; }

      private:
        std::uint64_t* word_;
    };
};

/// The last write of a batch carries the number of its slots as an immediate, and the receiver polls its
/// completion queue for it. One write per batch, on every fabric; a completion at the receiver for each.
struct PollCq {
    static constexpr std::uint32_t kTrailerBytes = 0;
    static constexpr bool kZeroes = false;
    static constexpr bool kPollsCompletions = true;

    struct Announcement {
        static constexpr std::size_t kHeldBytes = 0;
        static constexpr std::uint32_t kTrailerBytes = 0;

        Announcement(const SenderWiring&, const Parameters&) noexcept {}

        template <fabric::Endpoint Endpoint, class Placement, class View>
        Status announce(Endpoint& endpoint, const Placement& placement, const View& slots, Batch batch,
                        fabric::Signal signal) noexcept {
            const auto count = static_cast<std::uint32_t>(batch.to - batch.first);
            return transmit_announcing(endpoint, placement, slots, batch, [&](const auto& last) {
                return endpoint.write_with_imm(last.source, last.target, count, signal);
            });
        }
    };

    template <fabric::Endpoint Endpoint, class Placement, class Batching, class Layout>
    using Outbound = Publication<Announcement, Endpoint, Placement, Batching, Layout>;

    template <fabric::Endpoint Endpoint>
    class Inbound : public detail::KnownTail {
      public:
        Inbound(Endpoint& endpoint, const ReceiverWiring& wiring, const Parameters& parameters) noexcept
            : KnownTail(parameters.start),
              endpoint_(&endpoint),
              other_completions_(wiring.other_completions) {}

        template <class Layout>
        bool ready(const Slots<Layout>& slots, std::uint64_t head, std::uint64_t& mark) noexcept {
            return KnownTail::ready(slots, head, mark,
                                    [this] { harvest_for(*this, *endpoint_, other_completions_); });
        }

        bool take(const fabric::Completion& done) noexcept {
            if (done.operation != fabric::Operation::imm_arrived) return false;
            cached_ += done.imm;
            return true;
        }

      private:
        Endpoint* endpoint_;
        CompletionSink other_completions_;
    };
};

}  // namespace rb2::ring::tail
