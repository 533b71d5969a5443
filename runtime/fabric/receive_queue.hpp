#pragma once
// Posted receives, in order. One endpoint's own queue, or a shared receive queue over memory of its own.
// Posting a receive is local on every fabric, so the emulating ones share it.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "runtime/fabric/fabric.hpp"

namespace rb2::fabric {

/// One thread.
class ReceiveQueue {
  public:
    struct Receive {
        Sink sink;
        std::uint64_t ticket = 0;
    };
    static constexpr std::size_t kDefaultCapacity = 1024;

    ReceiveQueue() = default;
    /// A shared queue: sinks must lie in `memory`, which outlives it. At most `capacity` receives at a time.
    explicit ReceiveQueue(std::span<std::byte> memory, std::size_t capacity = kDefaultCapacity)
        : memory_(memory), capacity_(capacity) {}

    Status post(Sink sink, std::uint64_t ticket) noexcept {
        return inside(sink) ? post_checked(sink, ticket) : Status::invalid_argument;
    }
    /// For an endpoint that has checked the sink itself.
    Status post_checked(Sink sink, std::uint64_t ticket) noexcept {
        if (receives_.size() >= capacity_) return Status::would_block;
        receives_.push_back({sink, ticket});
        ++posted_;
        return Status::ok;
    }

    [[nodiscard]] bool empty() const noexcept { return receives_.empty(); }
    /// The oldest receive leaves. Not when empty.
    [[nodiscard]] Receive take() noexcept {
        const Receive oldest = receives_.front();
        receives_.pop_front();
        return oldest;
    }
    [[nodiscard]] std::uint64_t posted() const noexcept { return posted_; }  ///< ever

  private:
    [[nodiscard]] bool inside(const Sink& sink) const noexcept {
        if (sink.bytes == 0) return true;
        const auto start = reinterpret_cast<std::uintptr_t>(memory_.data());
        const auto place = reinterpret_cast<std::uintptr_t>(sink.data);
        return place >= start && place - start <= memory_.size() &&
               sink.bytes <= memory_.size() - (place - start);
    }

    std::span<std::byte> memory_;
    std::size_t capacity_ = kDefaultCapacity;
    std::deque<Receive> receives_;
    std::uint64_t posted_ = 0;
};

}  // namespace rb2::fabric
