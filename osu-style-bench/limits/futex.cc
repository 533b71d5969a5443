#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "osu-style-bench/engine/stopwatch.hpp"
#include "osu-style-bench/limits/limits.hpp"
#include "osu-style-bench/limits/repeat.hpp"

namespace rb2::bench::limits {
namespace {

constexpr std::uint32_t kRoundTrips = 5000;

struct Court {
    Gate gate;
    alignas(kLine) std::atomic<std::uint32_t> ball;
};

void sleep_until(std::atomic<std::uint32_t>& word, std::uint32_t wanted) {
    for (std::uint32_t seen = word.load(); seen != wanted; seen = word.load()) {
        ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, nullptr, nullptr, 0);
    }
}

void set_and_wake(std::atomic<std::uint32_t>& word, std::uint32_t value) {
    word.store(value);
    ::syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

double sleeping_bounce_us(const Processors& processors) {
    const Shared<Court> court;
    const Spin spin(processors);
    double elapsed_us = 0;
    const auto first = [&] {
        court->gate.meet(spin);
        const Stopwatch watch;
        for (std::uint32_t trip = 0; trip < kRoundTrips; ++trip) {
            set_and_wake(court->ball, 2 * trip + 1);
            sleep_until(court->ball, 2 * trip + 2);
        }
        elapsed_us = watch.elapsed_us();
    };
    run_pinned_pair(processors, first, [&] {
        court->gate.meet(spin);
        for (std::uint32_t trip = 0; trip < kRoundTrips; ++trip) {
            sleep_until(court->ball, 2 * trip + 1);
            set_and_wake(court->ball, 2 * trip + 2);
        }
    });
    return elapsed_us / 2 / kRoundTrips;
}

}  // namespace

double futex_wake_us(const Processors& processors, int repetitions) {
    return median_of(repetitions, [&] { return sleeping_bounce_us(processors); });
}

}  // namespace rb2::bench::limits
