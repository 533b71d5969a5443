#pragma once
// Whether a yield gives the CPU away for a moment or for a slice of the scheduler's time.

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace rb2::wait {

/// What the kernel tells about the calling thread, and does for it.
struct ThisThread {
    /// How often it lost its CPU without sleeping; a yield that somebody took counts.
    [[nodiscard]] static long switches() noexcept {
        rusage usage{};
        ::getrusage(RUSAGE_THREAD, &usage);
        return usage.ru_nivcsw;
    }
    [[nodiscard]] static int cpu() noexcept { return ::sched_getcpu(); }
    [[nodiscard]] static std::chrono::steady_clock::time_point now() noexcept {
        return std::chrono::steady_clock::now();
    }
    /// To any other that it may use, if there is one. It may use the same ones afterwards.
    static void leave_cpu() noexcept {
        cpu_set_t all;
        if (::sched_getaffinity(0, sizeof all, &all) != 0) return;
        cpu_set_t others = all;
        CPU_CLR(static_cast<std::size_t>(cpu()), &others);
        // Fails where there is no other.
        if (::sched_setaffinity(0, sizeof others, &others) == 0) ::sched_setaffinity(0, sizeof all, &all);
    }
};

/// For a rank with a CPU of its own. There a yield returns at once, unless the kernel has put two ranks onto
/// one CPU, or another program runs there: the ranks then change places with every message until the kernel
/// balances its load, and the other program keeps the CPU for a slice, milliseconds. To sleep is better then:
/// who is woken is put onto an idle CPU if there is one, and else goes before those that have run meanwhile.
/// So after a few yields that somebody took there are none for a while, unless the thread is moved. The
/// kernel may also wake it where it was, beside an idle CPU (docs/experiments.md, "Threads"). So
/// when the next yields after such a while are taken, too, the thread moves of itself. Of two ranks on one
/// CPU one comes first, and the other one's yields are taken no longer.
///
/// A thread's own, without locks. `System`: ThisThread, or what a test has in its place.
template <class System = ThisThread>
class YieldWatch {
  public:
    using Clock = std::chrono::steady_clock;

    static constexpr std::uint32_t kYieldsPerLook = 8;  ///< a look takes as long as a yield
    static constexpr int kTaken = 2;                    ///< yields in a row that end the trust
    /// Of a time without yields. It begins short: of two ranks on one CPU the one that is not moved away is
    /// soon alone there, and would sleep in vain.
    static constexpr std::chrono::microseconds kShortest{50};
    static constexpr std::chrono::microseconds kLongest{100'000};
    static constexpr int kGrowth = 4;

    /// Whether the thread should yield; if not, it should sleep.
    [[nodiscard]] bool pays(Clock::time_point now) noexcept {
        return now >= none_until_ || System::cpu() != cpu_;
    }

    /// Yields, and learns from it.
    template <class Yield>
    void yield(Yield&& give_away) noexcept {
        if (taken_ == 0 && yields_++ % kYieldsPerLook != 0) {
            give_away();
            return;
        }
        const long before = System::switches();
        give_away();
        if (System::switches() != before)
            count_taken();
        else
            trust();
    }

  private:
    void count_taken() noexcept {
        if (++taken_ < kTaken) return;
        taken_ = kTaken - 1;  // the next one taken is enough
        cpu_ = System::cpu();
        const auto now = System::now();
        // Not again at once, when the other CPU is taken as well.
        if (none_for_ != kShortest && now >= none_until_) System::leave_cpu();
        none_until_ = now + none_for_;
        none_for_ = std::min(kGrowth * none_for_, kLongest);
    }

    void trust() noexcept {
        taken_ = 0;
        none_for_ = kShortest;
    }

    std::uint32_t yields_ = 0;
    int taken_ = 0;  // of the last yields, in a row
    int cpu_ = -1;   // where they were taken
    std::chrono::microseconds none_for_ = kShortest;
    Clock::time_point none_until_{};
};

}  // namespace rb2::wait
