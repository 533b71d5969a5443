#include <cstdint>

#include "osu-style-bench/engine/stopwatch.hpp"
#include "osu-style-bench/limits/limits.hpp"
#include "osu-style-bench/limits/repeat.hpp"

namespace rb2::bench::limits {
namespace {

constexpr std::uint64_t kRoundTrips = 20000;

struct Court {
    Gate gate;
    alignas(kLine) std::atomic<std::uint64_t> ball;
};

double bounce_us(const Processors& processors) {
    const Shared<Court> court;
    const Spin spin(processors);
    const auto rally = [&](std::uint64_t thrown, std::uint64_t awaited) {
        court->ball.store(thrown, std::memory_order_release);
        spin.until([&] { return court->ball.load(std::memory_order_acquire) == awaited; });
    };
    double elapsed_us = 0;
    const auto first = [&] {
        court->gate.meet(spin);
        const Stopwatch watch;
        for (std::uint64_t trip = 0; trip < kRoundTrips; ++trip) {
            rally(2 * trip + 1, 2 * trip + 2);
        }
        elapsed_us = watch.elapsed_us();
    };
    const auto second = [&] {
        court->gate.meet(spin);
        for (std::uint64_t trip = 0; trip < kRoundTrips; ++trip) {
            spin.until([&] { return court->ball.load(std::memory_order_acquire) == 2 * trip + 1; });
            court->ball.store(2 * trip + 2, std::memory_order_release);
        }
    };
    run_pinned_pair(processors, first, second);
    return elapsed_us / 2 / static_cast<double>(kRoundTrips);
}

}  // namespace

double cache_line_one_way_us(const Processors& processors, int repetitions) {
    return median_of(repetitions, [&] { return bounce_us(processors); });
}

}  // namespace rb2::bench::limits
