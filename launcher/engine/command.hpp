#pragma once
// The command line of another launcher that starts the job. No system calls here.

#include <optional>
#include <string>
#include <vector>

#include "launcher/engine/choose.hpp"
#include "launcher/engine/layout.hpp"

namespace rb2::launcher {

/// A command and how its environment differs from rb2run's own.
struct EngineCommand {
    std::vector<std::string> argv;   ///< the first is a path
    Environment set;                 ///< NAME=VALUE
    std::vector<std::string> unset;  ///< names
    std::vector<std::string> notes;  ///< what the user did not write, for --verbose
};

/// What decides about the command besides the options.
struct EngineContext {
    Tool tool;                ///< of a foreign engine; usable
    Environment environment;  ///< of rb2run
    Allocation allocation;
    std::string pages;        ///< ranks show their state under this nonce; empty: to nobody
    bool keep_pages = false;  ///< also when they have finalized
    bool root = false;        ///< Open MPI and PRRTE want to be told that this is meant
};

/// Translates the options; with Engine::embedded into a command of rb2run itself. --timeout of a foreign
/// engine stays with rb2run (hand_over()). Throws LaunchError (2) naming an option that the engine has no
/// equal of. `engine` is not `automatic`.
[[nodiscard]] EngineCommand build_command(Engine engine, const Options& options,
                                          const EngineContext& context);

/// The -x variables of `app` that have a value; NAME alone takes that of `outer`.
[[nodiscard]] Environment exports_of(const AppSpec& app, const Environment& outer);

/// The program of `app`, started by env(1) if there are variables to set.
[[nodiscard]] std::vector<std::string> with_exports(const AppSpec& app, const Environment& outer);

}  // namespace rb2::launcher
