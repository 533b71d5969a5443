#pragma once

#include <atomic>
#include <functional>

namespace rb2::bench::study {

/// How the threads of a measurement wait for each other.
class Pace {
  public:
    explicit Pace(int threads, bool crowded) noexcept : missing_(threads), crowded_(crowded) {}

    /// Called at every turn of a loop in which nothing could be done. Gives way where threads share a
    /// processor; throws Stopped when another thread has failed.
    void idle() const {
        if (failed_.load(std::memory_order_relaxed)) throw Stopped{};  // relaxed: only the fact counts
        if (crowded_) give_way();
    }

    /// Waits for all threads, once: none is timed while another is still starting.
    void meet() {
        missing_.fetch_sub(1, std::memory_order_acq_rel);
        while (missing_.load(std::memory_order_acquire) > 0) idle();
    }

    void fail() noexcept { failed_.store(true, std::memory_order_relaxed); }

    /// Unwinds a thread whose partner is gone.
    struct Stopped {};

  private:
    static void give_way();

    std::atomic<int> missing_;
    std::atomic<bool> failed_{false};
    bool crowded_;
};

/// Runs side(0) to side(count - 1) at once, each on a thread with a processor of its own as far as they go
/// round, and returns when all are done. Rethrows the first exception of any of them.
void run_team(int count, const std::function<void(int side, Pace& pace)>& side);

}  // namespace rb2::bench::study
