// Slurm's srun (22.05 and later).

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "launcher/engine/dialects.hpp"
#include "launcher/engine/shell.hpp"
#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& advice) {
    throw LaunchError(kExitUsage, fmt::format("srun has no equal of {}; {}", option, advice));
}

void refuse_unequal(const Options& options) {
    if (options.kill_wait_s) {
        refuse("--kill-wait", "Slurm's KillWait (slurm.conf) rules there");
    }
    if (!options.rsh_agent.empty()) {
        refuse("--rsh-agent", "Slurm reaches hosts by its own daemons; leave it out");
    }
    if (!options.rank_file.empty()) {
        refuse("--rankfile", "order hosts by --host and bind by --map-by and --bind-to");
    }
    if (options.timestamp_output) {
        refuse("--timestamp-output", "its output can have the ranks only, with --tag-output");
    }
    const MapBy map = options.map_by.value_or(MapBy{});
    if (map.unit == MapUnit::numa || (map.per_unit > 0 && map.unit != MapUnit::node)) {
        refuse("--map-by " + to_text(map),
               "it deals ranks to slot, hwthread, core, package, node or ppr:N:node");
    }
    if (options.output_dir.find_first_of("%\\") != std::string::npos) {
        refuse(fmt::format("--output {}", options.output_dir),
               "in its file names % and \\ have a meaning; take another directory");
    }
}

const char* cpu_bind(BindTo what) {
    switch (what) {
        case BindTo::none:
            return "none";
        case BindTo::hwthread:
            return "threads";
        case BindTo::core:
            return "cores";
        case BindTo::numa:
            return "ldoms";
        case BindTo::package:
            break;
    }
    return "sockets";
}

/// How ranks are dealt to the packages of a node; empty: Slurm's default.
const char* within_node(const MapBy& map) {
    switch (map.unit) {
        case MapUnit::package:
            return ":cyclic";
        case MapUnit::core:
        case MapUnit::hwthread:
            return ":block";
        default:
            return "";
    }
}

void add_nodes(std::vector<std::string>& argv, const Layout& layout, const Allocation& allocation, int ranks,
               const MapBy& map) {
    if (!layout.shares.empty()) {
        argv.push_back(fmt::format("--nodes={}", layout.shares.size()));
        argv.push_back(fmt::format("--distribution=arbitrary{}", within_node(map)));
        // One entry of the node list for every rank is what "arbitrary" goes by.
        argv.push_back(fmt::format("--nodelist={}", fmt::join(host_of_each_rank(layout), ",")));
        return;
    }
    if (map.per_unit > 0) {
        argv.push_back(fmt::format("--ntasks-per-node={}", map.per_unit));
    } else if (allocation.nodes > 0) {
        argv.push_back(fmt::format("--nodes={}", std::min(ranks, allocation.nodes)));
    }
    if (allocation.nodes > 0 || map.unit != MapUnit::slot) {
        const bool in_turn = map.unit == MapUnit::node && map.per_unit == 0;
        argv.push_back(fmt::format("--distribution={}{}", in_turn ? "cyclic" : "block", within_node(map)));
    }
}

void add_placement(std::vector<std::string>& argv, const Options& options, const Layout& layout,
                   const Allocation& allocation) {
    const int ranks = job_size(options);
    argv.push_back(fmt::format("--ntasks={}", ranks));
    // Otherwise a job of more ranks than CPUs is queued for ever, and a step waits for the other steps' end.
    argv.emplace_back("--overcommit");
    if (!allocation.job.empty()) {
        argv.emplace_back("--overlap");
    }
    const MapBy map = options.map_by.value_or(MapBy{});
    add_nodes(argv, layout, allocation, ranks, map);
    if (map.cpus_per_rank > 0) {
        argv.push_back(fmt::format("--cpus-per-task={}", map.cpus_per_rank));
    }
    argv.push_back(
        fmt::format("--cpu-bind={}{}", options.report_bindings ? "verbose," : "", cpu_bind(options.bind_to)));
}

void add_output(std::vector<std::string>& argv, const Options& options) {
    argv.emplace_back("--input=0");
    if (!options.output_dir.empty()) {
        argv.push_back(fmt::format("--output={}/rank.%t.out", options.output_dir));
        argv.push_back(fmt::format("--error={}/rank.%t.err", options.output_dir));
    } else if (options.tag_output) {
        argv.emplace_back("--label");
    }
}

}  // namespace

void add_srun(EngineCommand& command, const Options& options, const Layout& layout,
              const EngineContext& context) {
    refuse_unequal(options);
    // Without it Slurm's fence of several nodes is no barrier (seen with 22.05).
    set_variable(command.set, "SLURM_PMIX_FENCE", "ring");
    std::vector<std::string>& argv = command.argv;
    argv = {context.tool.path, "--mpi=pmix", "--kill-on-bad-exit=1", "--export=ALL"};
    add_placement(argv, options, layout, context.allocation);
    add_output(argv, options);
    if (options.apps.size() > 1) {
        const std::string script = program_selector(options.apps, context.environment, "SLURM_PROCID");
        argv.insert(argv.end(), {"sh", "-c", script});
        return;
    }
    const AppSpec& app = options.apps.front();
    if (!app.wdir.empty()) {
        argv.push_back("--chdir=" + app.wdir);
    }
    const std::vector<std::string> program = with_exports(app, context.environment);
    argv.insert(argv.end(), program.begin(), program.end());
}

}  // namespace rb2::launcher
