#pragma once
// A sleeping rank's doorbell: one futex word in its shared segment.
//
// A sender publishes a record and then looks at the word; a sleeper sets the word and then looks at its rings
// once more. Each side stores first and loads second, so without a full barrier on both sides a wake-up could
// be lost. The sender is on the hot path and pays nothing: the sleeper runs the barrier for everybody with
// membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED), as user-space RCU does (Desnoyers et al., "User-Level
// Implementations of Read-Copy Update", IEEE TPDS 2012, section on membarrier). Where the kernel refuses it,
// the sleeper sleeps in slices short enough that a lost wake-up costs a slice.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "runtime/wait/gate.hpp"

namespace rb2::wait {

/// Lives at a fixed place of the rank's segment; zero-filled memory is a valid doorbell.
struct alignas(128) Doorbell {
    std::atomic<std::uint32_t> asleep{0};  ///< 1: the owner sleeps or is about to
};
static_assert(sizeof(Doorbell) == 128 && std::atomic<std::uint32_t>::is_always_lock_free);

/// System call that wakes the owner. Clears the word first, so that only one peer pays for it.
void wake(Doorbell& bell) noexcept;

/// Peer side, after a publishing store: one load of a line that stays shared while the owner is awake.
inline void ring(Doorbell& bell) noexcept {
    // Relaxed: ordering against the publish comes from the sleeper's membarrier.
    if (bell.asleep.load(std::memory_order_relaxed) != 0) [[unlikely]]
        wake(bell);
}

/// Owner side. One per rank.
class Sleeper {
  public:
    /// Registers this process for the peers' barriers. Never fails: see asymmetric().
    explicit Sleeper(Doorbell& own) noexcept;

    /// True when the kernel grants the barrier; false: sleeps are cut into kSlice.
    [[nodiscard]] bool asymmetric() const noexcept { return asymmetric_; }

    /// Sleeps until a peer rings or `kLongest` has passed. `poll` looks for work once after the doorbell is
    /// armed and returns true when it found some; then this returns at once. `gate` is open during the sleep
    /// itself.
    template <class Poll, class Gate = NoGate>
    void sleep(Poll&& poll, Gate&& gate = {}) noexcept {
        arm();
        if (!poll()) {
            gate.open();
            wait_on_futex();
            gate.close();
        }
        disarm();
    }

    /// Bound on one sleep, so that an event that rings no bell (a peer that left) is noticed.
    static constexpr std::chrono::microseconds kLongest{100'000};
    static constexpr std::chrono::microseconds kSlice{1'000};

    /// No sleep longer than `longest`: for a rank whose peers cannot all ring.
    void limit(std::chrono::microseconds longest) noexcept { longest_ = std::min(longest_, longest); }

  private:
    void arm() noexcept;
    void wait_on_futex() noexcept;
    void disarm() noexcept { own_.asleep.store(0, std::memory_order_relaxed); }

    Doorbell& own_;
    bool asymmetric_ = false;
    std::chrono::microseconds longest_ = kLongest;
};

}  // namespace rb2::wait
