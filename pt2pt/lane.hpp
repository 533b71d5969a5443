#pragma once
// The channel to one peer, whichever fabric reaches it: the ring in shared memory, called directly, or a
// network's, called virtually. The branch between them costs two instructions per call and is always
// predicted where a job has one fabric (docs/experiments.md).

#include <cstdint>
#include <utility>

#include "runtime/network/channel.hpp"
#include "runtime/ring/channel.hpp"

namespace rb2::pt2pt {

/// A value of two pointers, of which one is null; the channels are not owned.
class Lane {
  public:
    /// A network channel flushes every commit by itself, the in-place ring has nothing to flush.
    static constexpr bool kMustFlush = false;

    constexpr Lane() = default;
    explicit constexpr Lane(ring::ShmChannel& local) noexcept : local_(&local) {}
    explicit constexpr Lane(network::Channel& remote) noexcept : remote_(&remote) {}

    class Sender {
      public:
        [[gnu::always_inline]] ring::Claim try_claim(std::uint32_t length) const noexcept {
            if (local_ != nullptr) [[likely]]
                return local_->sender().try_claim(length);
            return remote_->try_claim(length);
        }
        [[gnu::always_inline]] Status commit(ring::Claim& claim, std::uint8_t kind, std::uint64_t word,
                                             std::uint32_t length) const noexcept {
            if (local_ != nullptr) [[likely]]
                return local_->sender().commit(claim, kind, word, length);
            return remote_->commit(claim, kind, word, length);
        }
        void abort(ring::Claim& claim) const noexcept {
            local_ != nullptr ? local_->sender().abort(claim) : remote_->abort(claim);
        }
        [[nodiscard]] std::uint32_t max_length() const noexcept {
            return local_ != nullptr ? local_->sender().max_length() : remote_->max_length();
        }

      private:
        friend class Lane;
        explicit Sender(const Lane& lane) noexcept : local_(lane.local_), remote_(lane.remote_) {}
        ring::ShmChannel* local_;
        network::Channel* remote_;
    };

    class Receiver {
      public:
        template <class H>
        [[gnu::always_inline]] int drain(int budget, H&& handler) const {
            if (local_ != nullptr) [[likely]]
                return local_->receiver().drain(budget, handler);
            return remote_->drain(budget, {.call = call<std::remove_reference_t<H>>, .object = &handler});
        }
        /// A network's peers need no bell for credits: what is written to them is seen.
        [[nodiscard]] std::uint64_t reported() const noexcept {
            return local_ != nullptr ? local_->receiver().reported() : 0;
        }
        Status release() const noexcept {
            return local_ != nullptr ? local_->receiver().release() : remote_->release();
        }

      private:
        friend class Lane;
        explicit Receiver(const Lane& lane) noexcept : local_(lane.local_), remote_(lane.remote_) {}
        template <class H>
        static ring::Verdict call(void* handler, const ring::Record& record) {
            return (*static_cast<H*>(handler))(record);
        }
        ring::ShmChannel* local_;
        network::Channel* remote_;
    };

    [[nodiscard]] Sender sender() const noexcept { return Sender(*this); }
    [[nodiscard]] Receiver receiver() const noexcept { return Receiver(*this); }
    /// Whether all that was committed reaches the peer even if this side never calls again.
    [[nodiscard]] bool flushed() const noexcept { return remote_ == nullptr || remote_->flushed(); }
    [[nodiscard]] bool connected() const noexcept { return local_ != nullptr || remote_ != nullptr; }
    /// Null for a peer that shares no memory.
    [[nodiscard]] ring::ShmChannel* local() const noexcept { return local_; }
    /// Null for a peer in shared memory.
    [[nodiscard]] network::Channel* remote() const noexcept { return remote_; }

  private:
    ring::ShmChannel* local_ = nullptr;
    network::Channel* remote_ = nullptr;
};

}  // namespace rb2::pt2pt
