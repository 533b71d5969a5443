#pragma once

#include "osu-style-bench/engine/stopwatch.hpp"
#include "osu-style-bench/mpi/driver.hpp"

namespace rb2::bench {

/// Mean time of a collective `call()` in us: each call by itself, between barriers, so that no rank runs
/// ahead into the next one; then the mean over all ranks. Valid on rank 0.
template <class Call>
double mean_us_together(const Run& run, std::size_t bytes, Call call) {
    const auto together = [&](std::size_t count) {
        double total_us = 0;
        for (std::size_t i = 0; i < count; ++i) {
            run.world.barrier();
            const Stopwatch watch;
            call();
            total_us += watch.elapsed_us();
        }
        return total_us;
    };
    together(warmup_for(run.options, bytes));
    const std::size_t count = iterations_for(run.options, bytes);
    const double own_us = together(count) / static_cast<double>(count);
    return run.world.mean(own_us);
}

}  // namespace rb2::bench
