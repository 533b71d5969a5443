#pragma once
// Finds out what the choice of an engine depends on: names of this machine, launchers in PATH and what they
// can.

#include <string>

#include "launcher/engine/choose.hpp"

namespace rb2::launcher {

/// Starts launchers (10 seconds each at most) only if the choice needs to know them, and looks names up only
/// if hosts are named.
[[nodiscard]] Facts gather_facts(const Options& options);

/// What the output of `srun --mpi=list` says.
[[nodiscard]] Tool judge_srun(std::string path, const std::string& plugins);

/// What the output of --version says.
[[nodiscard]] Tool judge_prterun(std::string path, const std::string& version);
[[nodiscard]] Tool judge_mpirun(std::string path, const std::string& version);

}  // namespace rb2::launcher
