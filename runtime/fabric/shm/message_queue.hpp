#pragma once
// Two-sided messages on their way between two processes of one host: a one-sender one-receiver queue of cells
// in shared memory. Zeroed memory is an empty queue.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rb2::fabric::shm {

/// In shared memory. Positions only grow.
class MessageQueue {
  public:
    static constexpr std::uint64_t kCapacity = 16;
    static constexpr std::size_t kCellBytes = 4096;

    struct Cell {
        std::uint32_t bytes;
        std::uint32_t imm;
        std::array<std::byte, kCellBytes> payload;
    };

    /// Sender only: the cell to fill, null when the receiver is kCapacity messages behind.
    [[nodiscard]] Cell* claim() noexcept {
        const std::uint64_t tail = tail_.load(std::memory_order_relaxed);  // only this side stores it
        // Acquire: the receiver is done with the cell before it is filled again.
        const bool full = tail - head_.load(std::memory_order_acquire) == kCapacity;
        return full ? nullptr : &cells_[tail % kCapacity];
    }
    /// Sender only. Release: the cell, and every write before it, are readable once the new tail is seen.
    void publish() noexcept {
        tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }

    /// Receiver only: the oldest message, null when there is none. Valid until drop().
    [[nodiscard]] const Cell* front() const noexcept {
        const std::uint64_t head = head_.load(std::memory_order_relaxed);  // only this side stores it
        return tail_.load(std::memory_order_acquire) == head ? nullptr : &cells_[head % kCapacity];
    }
    void drop() noexcept {
        head_.store(head_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }

  private:
    alignas(128) std::atomic<std::uint64_t> tail_{0};
    alignas(128) std::atomic<std::uint64_t> head_{0};
    alignas(128) std::array<Cell, kCapacity> cells_{};
};

static_assert(std::is_standard_layout_v<MessageQueue>);

}  // namespace rb2::fabric::shm
