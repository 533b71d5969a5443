#pragma once

#include <cstddef>
#include <vector>

#include "osu-style-bench/limits/duo.hpp"

namespace rb2::bench::limits {

// What this machine can do at best between two processes, measured with code as plain as possible and
// independent of the messaging library, so that the library's figures have something to be read against.
// Every function returns the median of several repetitions. repetitions is at least 1.

/// One flag, one way, in microseconds: two processes bounce a cache line.
double cache_line_one_way_us(const Processors& processors, int repetitions);

/// The same with a line for each way, as two rings have it: who writes must take the line from the reader
/// that waits for it. Where one line goes back and forth, who has read it may have it to write to.
double line_each_way_us(const Processors& processors, int repetitions);

/// Cache-line-sized slots per second through a single-producer single-consumer queue.
double slots_per_second(const Processors& processors, int repetitions);

/// Bytes one memcpy moves per second, times 1e-9, between two private resident buffers of this size.
double memcpy_gb_per_second(std::size_t bytes, int repetitions);

/// A large message copied in and out of a shared ring of chunks, both processors copying at once. Each figure
/// is of the chunk size that is best for it.
struct PipelinedCopy {
    double gb_per_second;  ///< messages back to back
    double one_way_us;     ///< half the round trip of a single message
};
PipelinedCopy pipelined_copy(const Processors& processors, std::size_t bytes, int repetitions);

/// From one process's futex wake to the other's return from the wait, in microseconds: half a round trip
/// of two processes that both sleep.
double futex_wake_us(const Processors& processors, int repetitions);

}  // namespace rb2::bench::limits
