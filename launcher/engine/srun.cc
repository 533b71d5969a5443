// Slurm's srun (22.05 and later).

#include <fmt/core.h>

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
        case BindTo::socket:
            break;
    }
    return "sockets";
}

/// One entry of the node list for every rank is what "arbitrary" goes by.
std::string node_of_each_rank(const Layout& layout) {
    std::string list;
    for (const Share& share : layout.shares) {
        for (int i = 0; i < share.ranks; ++i) {
            list += list.empty() ? "" : ",";
            list += share.host;
        }
    }
    return list;
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
    if (!layout.shares.empty()) {
        argv.push_back(fmt::format("--nodes={}", layout.shares.size()));
        argv.emplace_back("--distribution=arbitrary");
        argv.push_back("--nodelist=" + node_of_each_rank(layout));
    } else if (allocation.nodes > 0) {
        argv.push_back(fmt::format("--nodes={}", std::min(ranks, allocation.nodes)));
        argv.emplace_back("--distribution=block");
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
