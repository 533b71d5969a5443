#pragma once
// Where the pages of a job's ranks lie and what they are called, and the clock of their times.

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

namespace rb2::state {

inline constexpr const char* kPageDirectory = "/dev/shm";

/// The pages' names but for the rank. They begin like the job's segments, so that rb2run sweeps them, too.
[[nodiscard]] inline std::string page_prefix(std::string_view segment_prefix) {
    return std::string(segment_prefix) + "state-";
}

/// Nanoseconds of CLOCK_MONOTONIC, which all processes of a host share.
[[nodiscard]] inline std::uint64_t now_ns() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace rb2::state
