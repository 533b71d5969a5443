#pragma once

#include <cstddef>

#include "osu-style-bench/mpi/driver.hpp"
#include "osu-style-bench/mpi/pair.hpp"

namespace rb2::bench {

/// Seconds this end needs for the timed iterations at this size. One iteration: the first end sends a window
/// of messages, the other answers with 4 bytes once it has received them all.
double one_way_stream_seconds(const Run& run, const Pair& pair, std::size_t bytes);

/// The same with a window in each direction at once.
double two_way_stream_seconds(const Run& run, const Pair& pair, std::size_t bytes);

/// Megabytes (10^6 bytes) that one direction of one pair moves over all timed iterations at this size.
double streamed_megabytes(const Options& options, std::size_t bytes);

}  // namespace rb2::bench
