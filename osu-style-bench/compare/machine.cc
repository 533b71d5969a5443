#include "osu-style-bench/compare/machine.hpp"

#include <chrono>
#include <thread>
#include <vector>

#include "osu-style-bench/engine/options.hpp"
#include "osu-style-bench/engine/statistics.hpp"

namespace rb2::bench::compare {
namespace {

constexpr std::size_t kLinePayload = 56;  // what is left of a cache line beside an 8-byte flag
constexpr std::size_t kSmallestCopy = 4UL << 10;
constexpr std::size_t kLargestCopy = 4UL << 20;
constexpr int kProbes = 15;
constexpr std::chrono::milliseconds kBetweenProbes{50};
constexpr double kTolerance = 1.33;

double usual_distance(const limits::Processors& processors) {
    std::vector<double> probes;
    for (int i = 0; i < kProbes; ++i) {
        probes.push_back(limits::cache_line_one_way_us(processors, 1));
        std::this_thread::sleep_for(kBetweenProbes);
    }
    return median(std::move(probes));
}

}  // namespace

MachineLimits measure_limits(int repetitions) {
    const limits::Processors processors = limits::usable_processors();
    MachineLimits machine;
    machine.cache_line_us = limits::cache_line_one_way_us(processors, repetitions);
    machine.slots_per_second = limits::slots_per_second(processors, repetitions);
    for (const std::size_t bytes : size_list(kSmallestCopy, kLargestCopy)) {
        machine.copies[bytes] = limits::pipelined_copy(processors, bytes, repetitions);
    }
    return machine;
}

std::optional<double> limit_for(const MachineLimits& machine, Yardstick yardstick, std::size_t bytes) {
    const auto copy = machine.copies.find(bytes);
    const bool has_copy = copy != machine.copies.end();
    switch (yardstick) {
        case Yardstick::Latency:
            if (bytes <= kLinePayload) {
                return machine.cache_line_us;
            }
            return has_copy ? std::optional(copy->second.one_way_us) : std::nullopt;
        case Yardstick::Bandwidth:
            return has_copy ? std::optional(copy->second.gb_per_second * 1e3) : std::nullopt;
        case Yardstick::SlotRate:
            return bytes <= kLinePayload ? std::optional(machine.slots_per_second) : std::nullopt;
        case Yardstick::None:
            break;
    }
    return std::nullopt;
}

Steadiness::Steadiness() : processors_(limits::usable_processors()), usual_us_(usual_distance(processors_)) {}

bool Steadiness::as_usual() const {
    const double now = limits::cache_line_one_way_us(processors_, 1);
    return now < usual_us_ * kTolerance && now > usual_us_ / kTolerance;
}

}  // namespace rb2::bench::compare
