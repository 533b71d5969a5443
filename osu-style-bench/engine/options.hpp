#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "osu-style-bench/engine/spec.hpp"

namespace rb2::bench {

/// What the command line asked for, defaults filled in from the program's Spec. Sizes in bytes.
struct Options {
    std::size_t min_bytes = 0;
    std::size_t max_bytes = 0;
    std::size_t iterations = 0;        ///< timed iterations at 8 KiB and below
    std::size_t large_iterations = 0;  ///< lower bound for larger messages
    std::size_t warmup = 0;            ///< untimed iterations at 8 KiB and below
    std::size_t large_warmup = 0;      ///< lower bound for larger messages
    int window = 64;                   ///< messages in flight, bandwidth programs
    int queue_depth = 0;               ///< entries left pending in the message queue
    bool unexpected = false;           ///< the pending entries are unexpected messages, not posted receives
    int threads = 2;                   ///< threads of the rank that answers
    bool verify = false;
    bool distribution = false;
    std::string json_path;  ///< empty: none; "-": standard output instead of the table
};

/// Either options to run with, or a text to print and the status to exit with (help, version, an error).
struct Parsed {
    std::optional<Options> options;
    std::string text;
    int exit_code = 0;
};

/// Exit status for a command line, or a number of ranks, that the program cannot work with.
inline constexpr int kUsageError = 2;

/// Sizes in bytes, both included.
struct SizeRange {
    std::size_t min_bytes;
    std::size_t max_bytes;
};

/// Reads MAX, MIN: or MIN:MAX, the rest from `fallback`. Throws CLI::ValidationError, a CLI::ParseError.
SizeRange parse_size_range(const std::string& text, SizeRange fallback);

/// Reads the command line of the program described by spec. Never throws for bad input.
Parsed parse_options(const Spec& spec, int argc, const char* const* argv);

/// Message sizes of a run: min, then doubling up to max; after 0 comes 1.
std::vector<std::size_t> size_list(std::size_t min_bytes, std::size_t max_bytes);

/// Timed iterations at one size: the full count up to 8 KiB, then falling as the size grows, never below
/// large_iterations, so that every size takes a similar time.
std::size_t iterations_for(const Options& options, std::size_t bytes);

/// Untimed iterations at one size, by the same rule.
std::size_t warmup_for(const Options& options, std::size_t bytes);

}  // namespace rb2::bench
