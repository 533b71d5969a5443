#pragma once
// What the environment says about who started this process.

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rb2::bootstrap {

/// Looks up one environment variable; nullopt when it is not set.
using EnvironmentLookup = std::function<std::optional<std::string>(const char* name)>;

/// The process's own environment.
[[nodiscard]] std::optional<std::string> environment_variable(const char* name);

/// What was found, each as "NAME=value".
struct LauncherTrace {
    std::vector<std::string> pmix;   ///< set by a PMIx server for its ranks
    std::vector<std::string> other;  ///< set by some launcher for a rank of a job of several ranks

    [[nodiscard]] bool any() const noexcept { return !pmix.empty() || !other.empty(); }
    [[nodiscard]] std::string to_string() const;
};

/// Pure. What counts:
/// - PMIX_NAMESPACE, PMIX_RANK, PMIX_SERVER_URI*; not PMIX_MCA_*, which users set;
/// - PMI_RANK, PMI_FD (PMI-1 and PMI-2) unless PMI_SIZE is 1;
/// - OMPI_COMM_WORLD_SIZE, RB2_WORLD_SIZE above 1; RB2_LAUNCHER unless RB2_WORLD_SIZE is 1;
/// - SLURM_PROCID inside a step (SLURM_STEP_ID) of several tasks. The shell of an allocation and a batch
/// script are no
///   step: a program started there by hand is alone.
/// A job of one rank needs nobody, so a launcher that says "one" does not count.
[[nodiscard]] LauncherTrace find_launcher(const EnvironmentLookup& lookup);

/// Why a process with these traces cannot join its job, and what to try. `problem` is PMIx's status or its
/// like.
[[nodiscard]] std::string launcher_error(const LauncherTrace& trace, const EnvironmentLookup& lookup,
                                         const std::string& problem, const std::string& own_pmix_version);

}  // namespace rb2::bootstrap
