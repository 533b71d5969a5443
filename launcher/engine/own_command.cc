// The job as a command of rb2run itself, for --dry-run.

#include <fmt/core.h>

#include "launcher/engine/dialects.hpp"

namespace rb2::launcher {
namespace {

void add_job_options(std::vector<std::string>& argv, const Options& options) {
    const auto add_flag = [&argv](bool given, const char* name) {
        if (given) {
            argv.emplace_back(name);
        }
    };
    const auto add_value = [&argv](bool given, const char* name, const std::string& value) {
        if (given) {
            argv.insert(argv.end(), {name, value});
        }
    };
    add_value(options.map_by.has_value(), "--map-by", to_text(options.map_by.value_or(MapBy{})));
    add_value(!options.rank_file.empty(), "--rankfile", options.rank_file);
    add_value(options.bind_to != BindTo::none || options.map_by, "--bind-to", name_of(options.bind_to));
    add_flag(options.report_bindings, "--report-bindings");
    add_flag(options.tag_output, "--tag-output");
    add_flag(options.timestamp_output, "--timestamp-output");
    add_flag(options.verbose, "--verbose");
    add_value(!options.output_dir.empty(), "--output", options.output_dir);
    add_value(options.timeout_s.has_value(), "--timeout", fmt::format("{}", options.timeout_s.value_or(0)));
    add_value(options.kill_wait_s.has_value(), "--kill-wait",
              fmt::format("{}", options.kill_wait_s.value_or(0)));
}

void add_program(std::vector<std::string>& argv, const AppSpec& app) {
    argv.insert(argv.end(), {"-n", std::to_string(app.ranks)});
    for (const Export& entry : app.exports) {
        argv.insert(argv.end(), {"-x", entry.value ? entry.name + "=" + *entry.value : entry.name});
    }
    if (!app.wdir.empty()) {
        argv.insert(argv.end(), {"--wdir", app.wdir});
    }
    argv.emplace_back("--");
    argv.insert(argv.end(), app.command.begin(), app.command.end());
}

}  // namespace

EngineCommand own_command(const Options& options) {
    EngineCommand command;
    command.argv = {"rb2run", "--engine", "embedded"};
    add_job_options(command.argv, options);
    for (const AppSpec& app : options.apps) {
        if (&app != &options.apps.front()) {
            command.argv.emplace_back(":");
        }
        add_program(command.argv, app);
    }
    return command;
}

}  // namespace rb2::launcher
