#include "launcher/process/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace rb2::launcher {
namespace {

std::string_view name_of(std::string_view variable) { return variable.substr(0, variable.find('=')); }

Environment::const_iterator find_variable(const Environment& environment, std::string_view name) {
    return std::find_if(environment.begin(), environment.end(),
                        [name](const std::string& variable) { return name_of(variable) == name; });
}

bool starts_with_any(std::string_view name, const std::vector<std::string_view>& prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [name](std::string_view prefix) { return name.starts_with(prefix); });
}

void apply_export(Environment& environment, const Environment& outer, const Export& entry) {
    if (entry.value) {
        set_variable(environment, entry.name, *entry.value);
        return;
    }
    if (const auto value = value_of(outer, entry.name)) {
        set_variable(environment, entry.name, *value);
    }
}

}  // namespace

Environment current_environment() {
    Environment environment;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        environment.emplace_back(*variable);
    }
    return environment;
}

std::optional<std::string> value_of(const Environment& environment, std::string_view name) {
    const auto found = find_variable(environment, name);
    return found != environment.end() ? std::optional(found->substr(name.size() + 1)) : std::nullopt;
}

bool is_under_launcher(const Environment& environment) {
    constexpr std::array rank_variables = {"PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK"};
    const auto is_set = [&environment](std::string_view name) {
        return find_variable(environment, name) != environment.end();
    };
    // A batch script has SLURM_PROCID, too, but it is no task of a step.
    return std::any_of(rank_variables.begin(), rank_variables.end(), is_set) ||
           (is_set("SLURM_PROCID") && is_set("SLURM_STEP_ID"));
}

Environment without_launcher_variables(const Environment& environment) {
    const bool nested = is_under_launcher(environment);
    Environment kept;
    std::copy_if(environment.begin(), environment.end(), std::back_inserter(kept),
                 [nested](const std::string& variable) {
                     const std::string_view name = name_of(variable);
                     const bool setting = starts_with_any(name, {"PMIX_MCA_", "OMPI_MCA_"});
                     const bool foreign = starts_with_any(name, {"PMIX_", "PMI_", "OMPI_", "SLURM_PMI"});
                     return !foreign || (setting && !nested);
                 });
    return kept;
}

void set_variable(Environment& environment, const std::string& name, const std::string& value) {
    std::erase_if(environment, [&name](const std::string& variable) { return name_of(variable) == name; });
    environment.push_back(name + "=" + value);
}

Environment rank_environment(const Environment& outer, const Job& job, const App& app) {
    Environment environment = without_launcher_variables(outer);
    for (const Export& entry : app.exports) {
        apply_export(environment, outer, entry);
    }
    set_variable(environment, "RB2_JOB_NONCE", job.footprint.nonce);
    set_variable(environment, "RB2_LAUNCHER", "rb2run");
    set_variable(environment, "RB2_WORLD_SIZE", std::to_string(job.size));
    return environment;
}

}  // namespace rb2::launcher
