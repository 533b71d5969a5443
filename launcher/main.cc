// rb2run: starts the ranks of a job on this machine and sees them through, or has another launcher do so on
// several hosts (rb2run(1)).

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "launcher/cli/options.hpp"
#include "launcher/engine/delegate.hpp"
#include "launcher/job/job.hpp"
#include "launcher/job/rank_starter.hpp"
#include "launcher/job/supervisor.hpp"
#include "launcher/placement/binding.hpp"
#include "launcher/placement/picture.hpp"
#include "launcher/pmix/server.hpp"
#include "launcher/process/descendants.hpp"
#include "launcher/process/environment.hpp"
#include "launcher/process/footprint.hpp"
#include "launcher/process/keeper.hpp"
#include "launcher/process/limits.hpp"
#include "launcher/stdio/output_files.hpp"
#include "launcher/stdio/stdio_hub.hpp"
#include "launcher/sys/launch_error.hpp"
#include "launcher/sys/signal_source.hpp"
#include "runtime/topology/usable_cpus.hpp"

namespace rb2::launcher {
namespace {

/// Started with 0, 1 or 2 closed, a pipe of ours would take their place and be mixed up with them.
void open_standard_descriptors() {
    int fd = 0;
    while (fd >= 0 && fd <= STDERR_FILENO) {
        fd = ::open("/dev/null", O_RDWR);
    }
    ::close(fd);
}

/// The PMIx library reads these too, and those of an outer launcher are not meant for our server.
void forget_outer_launcher(const Environment& outer) {
    const Environment kept = without_launcher_variables(outer);
    for (const std::string& variable : outer) {
        if (std::find(kept.begin(), kept.end(), variable) == kept.end()) {
            ::unsetenv(variable.substr(0, variable.find('=')).c_str());
        }
    }
}

/// Removes what the job left in the file system, also when its preparation failed half-way.
class FootprintGuard {
  public:
    explicit FootprintGuard(const Footprint& footprint) : footprint_(footprint) {}
    FootprintGuard(const FootprintGuard&) = delete;
    FootprintGuard& operator=(const FootprintGuard&) = delete;
    ~FootprintGuard() { remove_footprint(footprint_); }

  private:
    const Footprint& footprint_;
};

BindingPlan plan_job(const Options& options, const Job& job, const topology::Machine& machine,
                     const topology::CpuSet& allowed) {
    return options.rank_file.empty()
               ? plan_binding(machine, allowed, {options.map_by.value_or(MapBy{}), options.bind_to, job.size})
               : plan_by_rank_file(machine, allowed, options.rank_slots, options.bind_to, job.size);
}

void print_notes(const Options& options, const Job& job, const BindingPlan& plan,
                 const topology::Machine& machine, const topology::CpuSet& allowed, StdioHub& stdio) {
    const double cpus = topology::usable_cpus();
    if (job.size > cpus) {
        stdio.note(fmt::format("rb2run: {} ranks share {:.3g} usable CPU{}\n", job.size, cpus,
                               cpus == 1 ? "" : "s"));
    }
    if (!plan.warning.empty()) {
        stdio.note(fmt::format("rb2run: {}\n", plan.warning));
    }
    if (options.report_bindings) {
        stdio.note(describe_binding(plan, allowed) + draw_bindings(machine, allowed, plan));
    }
}

int run_job(const Options& options, const Job& job, const rlimit& descriptor_limit) {
    const Environment outer = current_environment();
    forget_outer_launcher(outer);
    SignalSource signals;
    Keeper keeper(job.footprint);  // before anything is there to clean up, and before there are threads
    const FootprintGuard guard(job.footprint);
    const UniqueFd scratch = create_scratch(job.footprint);
    remove_stale_jobs();
    become_subreaper();
    EventLoop loop;
    StdioHub stdio(loop, {options.tag_output, options.timestamp_output});
    // Static: PMIx's threads use them until _exit.
    static const topology::Machine machine = topology::Machine::current();
    static RankEventQueue events;
    const topology::CpuSet allowed = topology::CpuSet::of_this_thread();
    const BindingPlan plan = plan_job(options, job, machine, allowed);
    print_notes(options, job, plan, machine, allowed, stdio);
    PmixServer server(job, machine, plan.cpus, events);
    RankStarter starter(job, server, plan.cpus, outer,
                        {options.output_dir, descriptor_limit, signals.mask_before()});
    return Supervisor({options, job, loop, signals, events, server, starter, stdio, keeper}).run();
}

int launch(const Options& options) {
    if (const std::optional<int> code = delegate(options)) {
        return *code;
    }
    const Job job = describe_job(options);
    const rlimit descriptor_limit = raise_descriptor_limit(job.size);
    if (!options.output_dir.empty()) {
        prepare_output_files(options.output_dir, job.size);
    }
    return run_job(options, job, descriptor_limit);
}

int run(const std::vector<std::string>& args) {
    const auto parsed = parse_command_line(args);
    if (const auto* early = std::get_if<EarlyExit>(&parsed)) {
        fmt::print(early->code == 0 ? stdout : stderr, "{}", early->text);
        return early->code;
    }
    try {
        return launch(std::get<Options>(parsed));
    } catch (const LaunchError& error) {
        fmt::print(stderr, "rb2run: {}\n", error.what());
        return error.exit_code();
    } catch (const std::exception& error) {
        fmt::print(stderr, "rb2run: {}\n", error.what());
        return kExitLauncher;
    }
}

}  // namespace
}  // namespace rb2::launcher

int main(int argc, char** argv) {
    rb2::launcher::open_standard_descriptors();
    const int code = rb2::launcher::run({argv + 1, argv + argc});
    std::fflush(nullptr);
    ::_exit(code);  // PMIx's threads still run; its own finalize costs 8-40 ms and can hang after a failure
}
