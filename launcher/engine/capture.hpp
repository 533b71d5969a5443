#pragma once
// What another program prints.

#include <string>
#include <vector>

namespace rb2::launcher {

/// Standard output and error of `argv`, whatever its exit code, 64 KiB at most. After 10 seconds it is
/// killed. Empty if it cannot be started.
[[nodiscard]] std::string capture_output(const std::vector<std::string>& argv);

}  // namespace rb2::launcher
