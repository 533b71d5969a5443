#pragma once
// Immediate values on their way from one process to the other: a one-sender one-receiver queue in shared
// memory that stands in for the receive queue of a network card. Zeroed memory is an empty queue.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rb2::fabric::shm {

/// In shared memory. Sender and receiver fields lie on line pairs of their own; positions only grow.
class ImmQueue {
  public:
    static constexpr std::uint64_t kCapacity = 64;

    struct Value {
        std::uint32_t imm;
        std::uint32_t bytes;  ///< length of the write it came with
    };

    /// Sender only. False when the receiver is kCapacity values behind.
    [[nodiscard]] bool push(Value value) noexcept {
        const std::uint64_t tail = tail_.load(std::memory_order_relaxed);  // only this side stores it
        if (tail - head_.load(std::memory_order_acquire) == kCapacity) return false;
        values_[tail % kCapacity] = value;
        // Release: the value, and every write before it, are readable once the new tail is seen.
        tail_.store(tail + 1, std::memory_order_release);
        return true;
    }

    /// Receiver only. False when empty.
    [[nodiscard]] bool pop(Value& value) noexcept {
        const std::uint64_t head = head_.load(std::memory_order_relaxed);  // only this side stores it
        if (tail_.load(std::memory_order_acquire) == head) return false;
        value = values_[head % kCapacity];
        head_.store(head + 1, std::memory_order_release);  // the sender may reuse the value's place
        return true;
    }

  private:
    alignas(128) std::atomic<std::uint64_t> tail_{0};
    alignas(128) std::atomic<std::uint64_t> head_{0};
    alignas(128) std::array<Value, kCapacity> values_{};
};

static_assert(std::is_standard_layout_v<ImmQueue> && sizeof(ImmQueue) == 768);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace rb2::fabric::shm
