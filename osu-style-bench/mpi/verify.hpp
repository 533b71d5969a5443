#pragma once

#include <cstddef>

#include "osu-style-bench/mpi/driver.hpp"
#include "osu-style-bench/mpi/pair.hpp"

namespace rb2::bench {

/// Messages of a verified window: as many as fit a fixed budget, at least one, at most the window.
std::size_t verified_window(const Options& options, std::size_t bytes);

/// Bytes a buffer needs for the largest message and every verified window of the run.
std::size_t buffer_bytes(const Options& options);

/// Ends the job, saying where the data differs, unless data is what sender wrote as message number sequence.
void expect_pattern(std::span<const std::byte> data, int self, int sender, std::size_t sequence);

/// A few ping-pongs with data that changes every time, all of it checked on both sides.
void verify_ping_pong(const Run& run, const Pair& pair, std::size_t bytes);

/// A window in each direction at once, every message with its own data and buffer, all of it checked.
void verify_window(const Run& run, const Pair& pair, std::size_t bytes);

}  // namespace rb2::bench
