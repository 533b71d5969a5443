#pragma once
// What a user may choose about the registration cache.

#include <cstdint>

namespace rb2::memory::registration {

/// How the cache learns of changes; `per_operation` caches nothing.
enum class Mode : std::uint8_t {
    automatic,      ///< userfaultfd, else interposed calls, else registration per operation
    per_operation,  ///< every lease registers, its end deregisters: the cache is off
    userfaultfd,
    interposed,
    checked,  ///< as automatic, but also registers anew each time and compares the pages behind: for finding
              ///< errors
};

struct Options {
    Mode mode = Mode::automatic;
    std::uint64_t most_bytes =
        0;  ///< registered at once before idle entries go; 0: from the machine's limits
    std::uint32_t most_count = 0;  ///< likewise, entries; 0: 4096
};

}  // namespace rb2::memory::registration
