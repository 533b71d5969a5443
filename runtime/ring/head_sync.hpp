#pragma once
// Head synchronisation: how the sender learns which slots it may fill again. rb2 paper, §IV-A.

#include <atomic>
#include <cstdint>

#include "runtime/fabric/fabric.hpp"
#include "runtime/ring/parameters.hpp"
#include "runtime/ring/wiring.hpp"

namespace rb2::ring::head {

/// The receiver writes its head into the sender's memory every gamma slots; the sender looks at that word
/// only when its own copy of it leaves no room. 1/gamma writes per slot received, none at the sender.
struct LazyPush {
    static constexpr bool kPulls = false;

    template <fabric::Endpoint Endpoint>
    class Outbound {
      public:
        Outbound(Endpoint&, const SenderWiring& wiring, const Parameters& parameters) noexcept
            : cached_(parameters.start), word_(wiring.local_head) {}

        /// The head as last seen: never ahead of the receiver's.
        [[nodiscard]] std::uint64_t cached() const noexcept { return cached_; }

        /// Looks again. A head outside [cached, tail] cannot come from a sound receiver and is ignored.
        std::uint64_t refresh(std::uint64_t tail) noexcept {
            // Acquire: the receiver is done reading the slots before this head; they may be overwritten.
            const std::uint64_t head = std::atomic_ref(*word_).load(std::memory_order_acquire);
            if (head - cached_ <= tail - cached_) cached_ = head;
            return cached_;
        }

      private:
        std::uint64_t cached_;
        std::uint64_t* word_;
    };

    template <fabric::Endpoint Endpoint>
    class Inbound {
      public:
        Inbound(Endpoint& endpoint, const ReceiverWiring& wiring, const Parameters& parameters) noexcept
            : syncd_head_(parameters.start),
              gamma_(parameters.gamma),
              endpoint_(&endpoint),
              word_(wiring.local_head) {}

        /// The receiver has moved to `head`. Algorithm 1, lines 22-24.
        void consumed(std::uint64_t head) noexcept {
            if (head - syncd_head_ >= gamma_) [[unlikely]] {
                // A full queue is no loss: the next record consumed tries again, or retry().
                static_cast<void>(push(head));
            }
        }

        /// Nothing has come since `head`: a push that a full queue refused is tried again, for the sender
        /// may be waiting for it.
        void retry(std::uint64_t head) noexcept {
            if constexpr (!Endpoint::kCapabilities.mapped) consumed(head);
        }

        /// Pushes now whatever the sender does not know yet.
        Status release(std::uint64_t head) noexcept { return head == syncd_head_ ? Status::ok : push(head); }

        /// The head as the sender was last told.
        [[nodiscard]] std::uint64_t reported() const noexcept { return syncd_head_; }

      private:
        [[gnu::noinline]] Status push(std::uint64_t head) noexcept {
            const fabric::Source source{reinterpret_cast<const std::byte*>(&head), sizeof head};
            if (const Status status = endpoint_->write(source, word_, fabric::kSilent);
                status != Status::ok) {
                return status;
            }
            syncd_head_ = head;
            return endpoint_->flush();
        }

        std::uint64_t syncd_head_;
        std::uint64_t gamma_;
        Endpoint* endpoint_;
        fabric::Remote word_;
    };
};

/// The receiver writes its head after every record (MVAPICH): LazyPush with a gamma of one slot.
struct ActivePush {
    static constexpr bool kPulls = false;

    template <fabric::Endpoint Endpoint>
    using Outbound = LazyPush::Outbound<Endpoint>;

    template <fabric::Endpoint Endpoint>
    struct Inbound : LazyPush::Inbound<Endpoint> {
        Inbound(Endpoint& endpoint, const ReceiverWiring& wiring, Parameters parameters) noexcept
            : LazyPush::Inbound<Endpoint>(endpoint, wiring, (parameters.gamma = 1, parameters)) {}
    };
};

/// The sender READs the receiver's head every gamma slots that it fills, and whenever it has no room; the
/// receiver only keeps the word up to date in its own memory. 1/gamma reads per slot sent and their
/// completions at the sender, no operation at the receiver; a full ring is noticed one round trip late.
struct LazyPull {
    static constexpr bool kPulls = true;

    template <fabric::Endpoint Endpoint>
    class Outbound {
      public:
        Outbound(Endpoint& endpoint, const SenderWiring& wiring, const Parameters& parameters) noexcept
            : cached_(parameters.start),
              next_pull_(parameters.start + parameters.gamma),
              gamma_(parameters.gamma),
              sink_(wiring.local_head),
              key_(wiring.mirror_key),
              word_(wiring.head),
              endpoint_(&endpoint),
              other_completions_(wiring.other_completions) {}

        [[nodiscard]] std::uint64_t cached() const noexcept { return cached_; }

        /// Pulls unless one is still under way, and takes what has arrived.
        std::uint64_t refresh(std::uint64_t tail) noexcept {
            // An earlier pull may have arrived with a head that has since moved on.
            if (in_flight_) harvest_completions(*endpoint_, other_completions_);
            pull(tail);
            harvest_completions(*endpoint_, other_completions_);
            return cached_;
        }

        /// Position at which a sender that still has room calls pull_if_due(), which also takes what arrived.
        [[nodiscard]] std::uint64_t next_pull() const noexcept { return next_pull_; }
        void pull_if_due(std::uint64_t tail) noexcept {
            if (in_flight_) harvest_completions(*endpoint_, other_completions_);
            if (tail >= next_pull_) pull(tail);
        }

        /// Whether the completion is that of a pull; if so, its head counts. A head outside [cached, tail at
        /// the pull] cannot come from a sound receiver and is ignored.
        bool take(const fabric::Completion& done) noexcept {
            if (done.ticket != kPullTicket) return false;
            in_flight_ = false;
            // Acquire: the slots before this head have been read, and what the receiver did to them is done.
            const std::uint64_t head = std::atomic_ref(*sink_).load(std::memory_order_acquire);
            if (done.status == Status::ok && head - cached_ <= pulled_at_ - cached_) cached_ = head;
            return true;
        }

      private:
        [[gnu::noinline]] void pull(std::uint64_t tail) noexcept {
            if (in_flight_) return;
            const fabric::Sink sink{reinterpret_cast<std::byte*>(sink_), sizeof *sink_, key_};
            // A full queue or a lost peer is seen by the operations that matter; the next call tries again.
            if (endpoint_->read(sink, word_, fabric::Signal{kPullTicket}) != Status::ok) return;
            in_flight_ = true;
            pulled_at_ = tail;
            next_pull_ = tail + gamma_;
            static_cast<void>(endpoint_->flush());
        }

        std::uint64_t cached_;
        std::uint64_t next_pull_;
        std::uint64_t gamma_;
        std::uint64_t pulled_at_ = 0;
        std::uint64_t* sink_;
        fabric::Key key_;
        bool in_flight_ = false;
        fabric::Remote word_;
        Endpoint* endpoint_;
        CompletionSink other_completions_;
    };

    template <fabric::Endpoint Endpoint>
    class Inbound {
      public:
        Inbound(Endpoint&, const ReceiverWiring& wiring, const Parameters& parameters) noexcept
            : head_(parameters.start), word_(wiring.head) {
            std::atomic_ref(*word_).store(head_, std::memory_order_release);
        }

        void consumed(std::uint64_t head) noexcept {
            head_ = head;
            // Release: the slots before it have been read (and zeroed, where the tail policy does so).
            std::atomic_ref(*word_).store(head, std::memory_order_release);
        }
        void retry(std::uint64_t) noexcept {}
        Status release(std::uint64_t) noexcept { return Status::ok; }
        [[nodiscard]] std::uint64_t reported() const noexcept { return head_; }

      private:
        std::uint64_t head_;
        std::uint64_t* word_;
    };
};

}  // namespace rb2::ring::head
