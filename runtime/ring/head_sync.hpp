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
    class Outbound {
      public:
        Outbound(const SenderWiring& wiring, const Parameters& parameters) noexcept
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
                // A full queue is no loss: the next record consumed tries again.
                static_cast<void>(push(head));
            }
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

}  // namespace rb2::ring::head
