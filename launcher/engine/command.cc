#include "launcher/engine/command.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "launcher/engine/dialects.hpp"
#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

std::string name_of(const std::string& variable) { return variable.substr(0, variable.find('=')); }

/// What rb2run sets for ranks that it starts itself; an engine's ranks must not find that of an outer job.
constexpr std::array kOwnVariables = {"RB2_LAUNCHER", "RB2_JOB_NONCE", "RB2_WORLD_SIZE", "RB2_PAGES",
                                      "RB2_KEEP_PAGES"};

bool is_own(const std::string& name) {
    return std::find(kOwnVariables.begin(), kOwnVariables.end(), name) != kOwnVariables.end();
}

/// A rank that finds no PMIx server must know that it is not alone.
void set_environment(EngineCommand& command, const Options& options, const EngineContext& context) {
    const Environment kept = without_launcher_variables(context.environment);
    for (const std::string& variable : context.environment) {
        const std::string name = name_of(variable);
        if (is_own(name) || std::find(kept.begin(), kept.end(), variable) == kept.end()) {
            command.unset.push_back(name);
        }
    }
    set_variable(command.set, "RB2_WORLD_SIZE", std::to_string(job_size(options)));
    if (!context.pages.empty()) {
        set_variable(command.set, "RB2_PAGES", context.pages);
    }
    if (context.keep_pages) {
        set_variable(command.set, "RB2_KEEP_PAGES", "1");
    }
}

/// Every engine would take it for an option of its own.
void refuse_dash(const Options& options, Engine engine) {
    for (const AppSpec& app : options.apps) {
        if (app.command.front().front() == '-') {
            throw LaunchError(
                kExitUsage, fmt::format("--engine {}: the program's name {} begins with '-'; give it a path",
                                        engine_name(engine), app.command.front()));
        }
    }
}

/// A rank file says itself which host takes how many.
Layout layout_of(const Options& options) {
    if (options.rank_file.empty()) {
        return plan_layout(options.hosts, job_size(options), options.map_by.value_or(MapBy{}));
    }
    Layout layout;
    for (const HostSpec& host : hosts_of(options.rank_slots)) {
        layout.shares.push_back({host.name, host.slots});
    }
    return layout;
}

}  // namespace

Environment exports_of(const AppSpec& app, const Environment& outer) {
    Environment variables;
    for (const Export& entry : app.exports) {
        const std::optional<std::string> value = entry.value ? entry.value : value_of(outer, entry.name);
        if (value) {
            set_variable(variables, entry.name, *value);
        }
    }
    return variables;
}

std::vector<std::string> with_exports(const AppSpec& app, const Environment& outer) {
    std::vector<std::string> words = exports_of(app, outer);
    if (!words.empty()) {
        words.insert(words.begin(), "env");
    }
    words.insert(words.end(), app.command.begin(), app.command.end());
    return words;
}

Environment settings_to_pass(const AppSpec& app, const EngineContext& context) {
    Environment variables = exports_of(app, context.environment);
    for (const std::string& variable : context.environment) {
        const std::string name = name_of(variable);
        if (name.starts_with("RB2_") && !is_own(name) && !value_of(variables, name)) {
            variables.push_back(variable);
        }
    }
    return variables;
}

EngineCommand build_command(Engine engine, const Options& options, const EngineContext& context) {
    if (engine == Engine::embedded) {
        return own_command(options);
    }
    refuse_dash(options, engine);
    EngineCommand command;
    set_environment(command, options, context);
    const Layout layout = layout_of(options);
    if (layout.oversubscribed) {
        command.notes.emplace_back("more ranks than slots: the rest is dealt one by one");
    }
    switch (engine) {
        case Engine::srun:
            add_srun(command, options, layout, context);
            break;
        case Engine::prterun:
            add_prrte(command, options, layout, context);
            break;
        default:
            add_mpirun(command, options, layout, context);
    }
    return command;
}

}  // namespace rb2::launcher
