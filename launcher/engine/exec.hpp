#pragma once
// Hands the job to another launcher.

#include "launcher/engine/command.hpp"
#include "launcher/engine/survey.hpp"

namespace rb2::launcher {

/// Becomes the engine, so that signals, terminal and exit status are its own. With a survey (--timeout,
/// --stats) it stays as its parent instead: passes signals on, but at USR1 says where the ranks are; says it,
/// too, when the time is up, ends the engine by TERM (124) and by KILL 10 seconds later; and returns its exit
/// code, 128 + n for signal n. Throws LaunchError (125) if it cannot be started.
[[nodiscard]] int hand_over(const EngineCommand& command, const Options& options, const Survey* survey);

}  // namespace rb2::launcher
