#include "runtime/bootstrap/environment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

namespace rb2::bootstrap {
namespace {

constexpr const char* kPmixVariables[] = {"PMIX_NAMESPACE",    "PMIX_RANK",        "PMIX_SERVER_URI2",
                                          "PMIX_SERVER_URI21", "PMIX_SERVER_URI3", "PMIX_SERVER_URI4",
                                          "PMIX_SERVER_URI41"};

/// Adds NAME=value when the variable is set.
void note(std::vector<std::string>& found, const EnvironmentLookup& lookup, const char* name) {
    if (const auto value = lookup(name)) found.push_back(fmt::format("{}={}", name, *value));
}

/// The variable is a number above one. Something unreadable counts as several: better an error than a silent
/// rank 0.
bool says_several(const EnvironmentLookup& lookup, const char* name) {
    const auto value = lookup(name);
    return value && *value != "1" && *value != "0";
}

bool says_one(const EnvironmentLookup& lookup, const char* name) { return lookup(name) == "1"; }

const char* advice(const LauncherTrace& trace, const EnvironmentLookup& lookup) {
    if (!trace.pmix.empty())
        return "if the variables are left over from another job, unset them to run alone; "
               "if the two PMIx versions differ, use the launcher that belongs to this installation";
    if (lookup("SLURM_STEP_ID"))
        return "start it with `srun --mpi=pmix` (see `srun --mpi=list`) or with `rb2run`";
    if (lookup("PMI_RANK") || lookup("PMI_FD"))
        return "its launcher speaks PMI-1 or PMI-2 only: start it with `rb2run`, Open MPI's `mpirun` or "
               "`srun --mpi=pmix`";
    return "start it with `rb2run`, or unset the variables to run alone";
}

}  // namespace

std::optional<std::string> environment_variable(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): start-up, one thread
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

std::string LauncherTrace::to_string() const {
    std::vector<std::string> all = pmix;
    all.insert(all.end(), other.begin(), other.end());
    return fmt::format("{}", fmt::join(all, ", "));
}

LauncherTrace find_launcher(const EnvironmentLookup& lookup) {
    LauncherTrace trace;
    for (const char* name : kPmixVariables) note(trace.pmix, lookup, name);
    if (!says_one(lookup, "PMI_SIZE"))
        for (const char* name : {"PMI_RANK", "PMI_FD"}) note(trace.other, lookup, name);
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "RB2_WORLD_SIZE"})
        if (says_several(lookup, name)) note(trace.other, lookup, name);
    if (!says_one(lookup, "RB2_WORLD_SIZE")) note(trace.other, lookup, "RB2_LAUNCHER");
    if (lookup("SLURM_STEP_ID") && says_several(lookup, "SLURM_STEP_NUM_TASKS"))
        for (const char* name : {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}) note(trace.other, lookup, name);
    return trace;
}

std::string launcher_error(const LauncherTrace& trace, const EnvironmentLookup& lookup,
                           const std::string& problem, const std::string& own_pmix_version) {
    return fmt::format(
        "this process was started as a rank of a job ({}) but cannot join it through PMIx: {} "
        "(PMIx here: {}; PMIx of the launcher: {}). It does not go on as a world of one: {}",
        trace.to_string(), problem, own_pmix_version, lookup("PMIX_VERSION").value_or("unknown"),
        advice(trace, lookup));
}

}  // namespace rb2::bootstrap
