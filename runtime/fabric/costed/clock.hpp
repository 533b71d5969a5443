#pragma once
// Time for a fabric whose operations have a price: ticks that can be read and waited for in a few
// nanoseconds.

#include <chrono>
#include <concepts>
#include <cstdint>

namespace rb2::fabric::costed {

/// Ticks only grow. wait_until() keeps the processor busy, as posting to a card does.
template <class C>
concept Clock = std::copyable<C> && requires(C clock, std::uint64_t tick, double ns) {
    { clock.now() }
    noexcept->std::same_as<std::uint64_t>;
    { clock.wait_until(tick) }
    noexcept->std::same_as<void>;
    { clock.ticks(ns) }
    noexcept->std::same_as<std::uint64_t>;
};

/// The processor's time stamp counter; the steady clock where there is none.
class TscClock {
  public:
    /// The first one of a process takes some milliseconds to compare the counter with the steady clock.
    TscClock() : ticks_per_ns_(rate()) {}

    [[nodiscard]] static std::uint64_t now() noexcept {
#if defined(__x86_64__)
        return __builtin_ia32_rdtsc();
#else
        return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
    }
    static void wait_until(std::uint64_t tick) noexcept {
        // Signed: right also when the counter wraps.
        while (static_cast<std::int64_t>(now() - tick) < 0) continue;
    }
    [[nodiscard]] std::uint64_t ticks(double ns) const noexcept {
        return static_cast<std::uint64_t>(ns * ticks_per_ns_);
    }
    [[nodiscard]] double nanoseconds(std::uint64_t ticks) const noexcept {
        return static_cast<double>(ticks) / ticks_per_ns_;
    }

  private:
    static double rate() {
        static const double once = measured_rate();
        return once;
    }
    static double measured_rate() {
        using Steady = std::chrono::steady_clock;
        constexpr std::chrono::milliseconds span{20};
        const Steady::time_point start = Steady::now();
        const std::uint64_t first = now();
        while (Steady::now() - start < span) continue;
        const std::uint64_t last = now();
        const std::chrono::duration<double, std::nano> took = Steady::now() - start;
        return static_cast<double>(last - first) / took.count();
    }

    double ticks_per_ns_;
};

}  // namespace rb2::fabric::costed
