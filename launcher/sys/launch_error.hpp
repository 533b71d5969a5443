#pragma once
// Why a job could not be started, with the exit code that says so.

#include <string>

#include "runtime/status.hpp"

namespace rb2::launcher {

inline constexpr int kExitUsage = 2;          ///< the command line is wrong
inline constexpr int kExitTimeout = 124;      ///< --timeout ran out (as timeout(1))
inline constexpr int kExitLauncher = 125;     ///< rb2run itself could not do its work
inline constexpr int kExitCannotStart = 127;  ///< a program could not be started (as sh(1))

/// Thrown while a job is prepared; never once ranks run.
class LaunchError : public StartupError {
  public:
    LaunchError(int exit_code, const std::string& text) : StartupError(text), exit_code_(exit_code) {}
    [[nodiscard]] int exit_code() const { return exit_code_; }

  private:
    int exit_code_;
};

}  // namespace rb2::launcher
