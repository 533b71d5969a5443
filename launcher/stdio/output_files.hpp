#pragma once
// --output DIR: one file per rank and stream.

#include <string>

#include "launcher/sys/unique_fd.hpp"

namespace rb2::launcher {

/// Makes the directory `dir` and its parents. Throws LaunchError (2) if that fails or if any rank's file is
/// there already: nothing is ever overwritten.
void prepare_output_files(const std::string& dir, int ranks);

/// Creates DIR/rank.N.`suffix` ("out" or "err") for appending. Throws LaunchError.
[[nodiscard]] UniqueFd create_output_file(const std::string& dir, int rank, const char* suffix);

}  // namespace rb2::launcher
