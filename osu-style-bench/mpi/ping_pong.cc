#include "osu-style-bench/mpi/ping_pong.hpp"

#include <algorithm>

#include "osu-style-bench/engine/statistics.hpp"
#include "osu-style-bench/engine/stopwatch.hpp"
#include "osu-style-bench/mpi/verify.hpp"

namespace rb2::bench {
namespace {

/// One end's side of a number of round trips.
void round_trips(const Run& run, const Pair& pair, std::size_t bytes, std::size_t count) {
    const auto out = run.outgoing.first(bytes);
    const auto in = run.incoming.first(bytes);
    if (pair.first) {
        for (std::size_t i = 0; i < count; ++i) {
            send(out, pair.peer);
            recv(in, pair.peer);
        }
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            recv(in, pair.peer);
            send(out, pair.peer);
        }
    }
}

std::vector<double> single_trips_us(const Run& run, const Pair& pair, std::size_t bytes, std::size_t count) {
    std::vector<double> half_trips;
    half_trips.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Stopwatch watch;
        round_trips(run, pair, bytes, 1);
        half_trips.push_back(watch.elapsed_us() / 2);
    }
    return half_trips;
}

}  // namespace

std::vector<double> ping_pong_us(const Run& run, const Pair& pair, std::size_t bytes) {
    if (run.options.verify) {
        verify_ping_pong(run, pair, bytes);
    }
    const std::size_t count = iterations_for(run.options, bytes);
    round_trips(run, pair, bytes, warmup_for(run.options, bytes));
    const Stopwatch watch;
    round_trips(run, pair, bytes, count);
    std::vector<double> figures{watch.elapsed_us() / 2 / static_cast<double>(count)};
    if (run.options.distribution) {
        const std::vector<double> half_trips = single_trips_us(run, pair, bytes, count);
        for (const double fraction : {0.5, 0.99, 0.999}) {
            figures.push_back(percentile(half_trips, fraction));
        }
    }
    return figures;
}

}  // namespace rb2::bench
