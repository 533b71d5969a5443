#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace rb2::bench::compare {

/// How a command ended.
struct Ending {
    bool succeeded;
    double wall_ms;      ///< from start to exit
    std::string reason;  ///< exit status, signal or time-out in words; empty on success
    std::string output;  ///< the last lines of its standard output and error
};

/// Runs a command in its own process group, its output collected in log, and waits for it. At the time-out
/// the group is asked to end and two seconds later killed. Throws std::system_error when it cannot be
/// started.
Ending run_command(const std::vector<std::string>& command, std::chrono::seconds timeout,
                   const std::filesystem::path& log);

/// A directory of its own under the temporary directory, removed with its contents at the end.
class ScratchDirectory {
  public:
    /// Throws std::system_error.
    ScratchDirectory();
    ~ScratchDirectory();
    ScratchDirectory(const ScratchDirectory&) = delete;
    ScratchDirectory& operator=(const ScratchDirectory&) = delete;
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  private:
    std::filesystem::path path_;
};

}  // namespace rb2::bench::compare
