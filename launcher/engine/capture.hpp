#pragma once
// What another program prints.

#include <cstddef>
#include <string>
#include <vector>

namespace rb2::launcher {

/// Standard output and error of `argv`, whatever its exit code, `most_bytes` at most. After 10 seconds it is
/// killed. Empty if it cannot be started.
[[nodiscard]] std::string capture_output(const std::vector<std::string>& argv,
                                         std::size_t most_bytes = 65536);

}  // namespace rb2::launcher
