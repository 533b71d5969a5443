#pragma once
// Who starts the job, and, if it is not rb2run itself, the whole run.

#include <optional>

#include "launcher/cli/options.hpp"

namespace rb2::launcher {

/// Exit code of a job that another launcher ran, or of --dry-run; nullopt: rb2run itself is to start it, on
/// this machine. Does not return if rb2run became the engine. Throws LaunchError.
[[nodiscard]] std::optional<int> delegate(const Options& options);

}  // namespace rb2::launcher
