#pragma once

#include <atomic>
#include <functional>

namespace rb2::bench::study {

/// How the threads of a measurement wait for each other.
class Pace {
  public:
    explicit Pace(int threads, bool crowded) noexcept : missing_(threads), crowded_(crowded) {}

    /// How long a thread has waited for the others.
    class Wait {
      public:
        explicit Wait(const Pace& pace) noexcept : pace_(pace) {}
        /// Called at every turn in which nothing could be done. Gives way where threads share a processor, or
        /// when it has been long; throws Stopped when another thread has failed.
        void idle() {
            if (pace_.failed_.load(std::memory_order_relaxed)) throw Stopped{};  // only the fact counts
            if (pace_.crowded_ || ++turns_ > kLong) give_way();
        }
        void over() noexcept { turns_ = 0; }

      private:
        // A good part of a millisecond: whoever is waited for does not run.
        static constexpr unsigned kLong = 20'000;
        const Pace& pace_;
        unsigned turns_ = 0;
    };

    /// Waits for all threads, once: none is timed while another is still starting.
    void meet() {
        missing_.fetch_sub(1, std::memory_order_acq_rel);
        Wait wait(*this);
        while (missing_.load(std::memory_order_acquire) > 0) wait.idle();
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
