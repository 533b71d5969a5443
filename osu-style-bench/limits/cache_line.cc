#include <cstdint>

#include "osu-style-bench/engine/stopwatch.hpp"
#include "osu-style-bench/limits/limits.hpp"
#include "osu-style-bench/limits/repeat.hpp"

namespace rb2::bench::limits {
namespace {

constexpr std::uint64_t kRoundTrips = 20000;

constexpr std::size_t kApart = 4 * kLine;  // farther than hardware fetches lines together

struct Court {
    Gate gate;
    alignas(kApart) std::atomic<std::uint64_t> ball;
    alignas(kApart) std::atomic<std::uint64_t> second_ball;
};

double bounce_us(const Processors& processors, bool line_each_way) {
    const Shared<Court> court;
    const Spin spin(processors);
    auto& there = court->ball;
    auto& back = line_each_way ? court->second_ball : court->ball;
    double elapsed_us = 0;
    const auto first = [&] {
        court->gate.meet(spin);
        const Stopwatch watch;
        for (std::uint64_t trip = 0; trip < kRoundTrips; ++trip) {
            there.store(2 * trip + 1, std::memory_order_release);
            spin.until([&] { return back.load(std::memory_order_acquire) == 2 * trip + 2; });
        }
        elapsed_us = watch.elapsed_us();
    };
    const auto second = [&] {
        court->gate.meet(spin);
        for (std::uint64_t trip = 0; trip < kRoundTrips; ++trip) {
            spin.until([&] { return there.load(std::memory_order_acquire) == 2 * trip + 1; });
            back.store(2 * trip + 2, std::memory_order_release);
        }
    };
    run_pinned_pair(processors, first, second);
    return elapsed_us / 2 / static_cast<double>(kRoundTrips);
}

}  // namespace

double cache_line_one_way_us(const Processors& processors, int repetitions) {
    return median_of(repetitions, [&] { return bounce_us(processors, false); });
}

double line_each_way_us(const Processors& processors, int repetitions) {
    return median_of(repetitions, [&] { return bounce_us(processors, true); });
}

}  // namespace rb2::bench::limits
