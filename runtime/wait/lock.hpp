#pragma once
// A lock for short stays, between threads that may outnumber the CPUs.
//
// The word is the futex mutex of Drepper, "Futexes Are Tricky" (2011), section 6, mutex 3: free, taken, taken
// and somebody sleeps. Whoever comes while it is free takes it, also past those that sleep: handing it to a
// sleeper would make everybody wait for a wake-up. Differs from the paper in:
// - a thread tries for about a microsecond before it sleeps, since the stays are shorter than a wake-up;
// - nobody starves. A thread that has waited for kPatience says so and stays awake; all others then hold back
//   until it had the lock (the idea of a starving mode is from Go's sync.Mutex, 2016);
// - a holder that wants the lock back at once, because it only polls, can see who waits and be polite.

#include <atomic>
#include <chrono>
#include <cstdint>

namespace rb2::wait {

/// Not recursive. One holder; any thread may wait. Zero-initialised memory is a free lock.
class Lock {
  public:
    void lock() noexcept {
        if (!take(kTaken)) [[unlikely]]
            lock_contended();
    }

    void unlock() noexcept {
        // Release: the next holder sees what this one did.
        if (word_.exchange(kFree, std::memory_order_release) == kTakenAndSlept) [[unlikely]]
            wake_one();
    }

    /// For a thread that has just let go and only polls: first lets in those that wait, within bounds.
    void lock_after_others() noexcept;

    /// True when some thread waits for the lock. A hint: it may be out of date when the caller sees it.
    [[nodiscard]] bool wanted() const noexcept { return waiting_.load(std::memory_order_relaxed) != 0; }

    /// A thread that has waited this long goes before those that come later.
    static constexpr std::chrono::milliseconds kPatience{1};

  private:
    enum Word : std::uint32_t { kFree, kTaken, kTakenAndSlept };

    /// One attempt; `as` is what the word becomes.
    bool take(Word as) noexcept {
        std::uint32_t free = kFree;
        // Relaxed: a newcomer that misses the call for patience is only once too quick.
        // Acquire: what the last holder did is visible.
        return starving_.load(std::memory_order_relaxed) == 0 &&
               word_.compare_exchange_strong(free, as, std::memory_order_acquire, std::memory_order_relaxed);
    }

    void lock_contended() noexcept;
    bool try_for_a_moment(Word as) noexcept;
    bool sleep_for_it() noexcept;
    void insist() noexcept;
    void wake_one() noexcept;

    std::atomic<std::uint32_t> word_{kFree};
    std::atomic<std::uint32_t> starving_{0};  ///< threads whose patience has run out
    std::atomic<std::uint32_t> waiting_{0};   ///< threads in lock_contended()
};

}  // namespace rb2::wait
