#pragma once
// The environment of the ranks, before PMIx adds its own variables.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/job/job.hpp"

namespace rb2::launcher {

/// "NAME=VALUE" strings.
using Environment = std::vector<std::string>;

/// The launcher's own environment.
[[nodiscard]] Environment current_environment();

/// The value of `name`; nullopt if it is not set.
[[nodiscard]] std::optional<std::string> value_of(const Environment& environment, std::string_view name);

/// True if a process of another launcher's job has this environment.
[[nodiscard]] bool is_under_launcher(const Environment& environment);

/// Drops what another launcher set for its own rank and would mislead ours: PMIX_*, PMI_*, OMPI_*,
/// SLURM_PMI*. The user's settings (OMPI_MCA_*, PMIX_MCA_*) stay, unless we run under a launcher, which sets
/// some itself.
[[nodiscard]] Environment without_launcher_variables(const Environment& environment);

/// Sets or replaces one variable.
void set_variable(Environment& environment, const std::string& name, const std::string& value);

/// What every rank of `app` gets: `outer` cleaned, -x applied, and the variables of the contract with the
/// runtime (RB2_JOB_NONCE, RB2_LAUNCHER, RB2_WORLD_SIZE).
[[nodiscard]] Environment rank_environment(const Environment& outer, const Job& job, const App& app);

}  // namespace rb2::launcher
