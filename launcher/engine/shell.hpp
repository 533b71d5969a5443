#pragma once
// Commands as text for a POSIX shell.

#include <string>
#include <vector>

#include "launcher/engine/command.hpp"

namespace rb2::launcher {

/// `word` so that a shell reads it as one word.
[[nodiscard]] std::string shell_quoted(const std::string& word);

/// The words of one command, quoted and joined.
[[nodiscard]] std::string shell_command(const std::vector<std::string>& words);

/// One line that does what the command does, with env(1) for its environment.
[[nodiscard]] std::string to_shell(const EngineCommand& command);

/// A script in which each rank becomes its program; `rank_variable` tells it its rank.
[[nodiscard]] std::string program_selector(const std::vector<AppSpec>& apps, const Environment& outer,
                                           const std::string& rank_variable);

}  // namespace rb2::launcher
