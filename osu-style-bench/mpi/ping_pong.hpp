#pragma once

#include <cstddef>
#include <vector>

#include "osu-style-bench/mpi/driver.hpp"
#include "osu-style-bench/mpi/pair.hpp"

namespace rb2::bench {

/// Half the round trip in microseconds, mean over the timed iterations at this size; with --dist followed by
/// the 50th, 99th and 99.9th percentile over single iterations.
std::vector<double> ping_pong_us(const Run& run, const Pair& pair, std::size_t bytes);

}  // namespace rb2::bench
