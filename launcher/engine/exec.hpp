#pragma once
// Hands the job to another launcher.

#include "launcher/engine/command.hpp"

namespace rb2::launcher {

/// Becomes the engine, so that signals, terminal and exit status are its own. With --timeout it stays as its
/// parent instead: passes signals on, ends it by TERM when the time is up (124) and by KILL 10 seconds later,
/// and returns its exit code, 128 + n for signal n. Throws LaunchError (125) if it cannot be started.
[[nodiscard]] int hand_over(const EngineCommand& command, const Options& options);

}  // namespace rb2::launcher
