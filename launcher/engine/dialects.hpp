#pragma once
// The command line of each engine. Option by option: rb2run(1), "Several hosts".

#include "launcher/engine/command.hpp"

namespace rb2::launcher {

/// Variables that a remote rank of `app` needs: -x, and rb2's own settings.
[[nodiscard]] Environment settings_to_pass(const AppSpec& app, const EngineContext& context);

/// rb2run --engine embedded ...
[[nodiscard]] EngineCommand own_command(const Options& options);

/// Each appends the whole command line to `command`.
void add_srun(EngineCommand& command, const Options& options, const Layout& layout,
              const EngineContext& context);
void add_prrte(EngineCommand& command, const Options& options, const Layout& layout,
               const EngineContext& context);
/// Open MPI's mpirun: as PRRTE from version 5 on.
void add_mpirun(EngineCommand& command, const Options& options, const Layout& layout,
                const EngineContext& context);

}  // namespace rb2::launcher
