#pragma once
// Finds a program before anything is started, the way execvp would after the change of directory.

#include <string>

#include "launcher/cli/options.hpp"

namespace rb2::launcher {

/// The path to execute for `spec` (relative ones count from its --wdir). A name without "/" is looked up in
/// PATH, the exported one if -x gives it. Throws LaunchError (127) naming the program and the cause.
[[nodiscard]] std::string find_program(const AppSpec& spec);

}  // namespace rb2::launcher
