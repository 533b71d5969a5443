// Open MPI's mpirun and PRRTE's prterun. Open MPI 5's mpirun is PRRTE's under another name.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "launcher/engine/dialects.hpp"
#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

constexpr int kFirstOpenMpiOverPrrte = 5;

using Words = std::vector<std::string>;

void add(Words& argv, const Words& more) { argv.insert(argv.end(), more.begin(), more.end()); }
void add_if(Words& argv, bool given, const char* word) {
    if (given) {
        argv.emplace_back(word);
    }
}

/// In its --output-filename and --output, "," and ":" begin qualifiers.
void refuse_unequal(const Options& options, const std::string& path) {
    if (options.output_dir.find_first_of(",:") != std::string::npos) {
        throw LaunchError(
            kExitUsage, fmt::format("{} cannot write to --output {}: in its options , and : have a meaning; "
                                    "take another directory",
                                    path, options.output_dir));
    }
}

/// PRRTE names it within --map-by, where ":" ends the path.
void refuse_rank_file(const Options& options, const std::string& path) {
    if (options.rank_file.find(':') != std::string::npos) {
        throw LaunchError(
            kExitUsage, fmt::format("{} cannot read --rankfile {}: in its options : has a meaning; give the "
                                    "file a path without it",
                                    path, options.rank_file));
    }
}

std::string host_list(const Layout& layout) {
    std::string list;
    for (const Share& share : layout.shares) {
        list += fmt::format("{}{}:{}", list.empty() ? "" : ",", share.host, share.ranks);
    }
    return list;
}

/// Without hosts, slots are the allocation's or the CPUs, and more ranks than that are allowed.
bool may_exceed_slots(const Layout& layout, const Allocation& allocation) {
    return layout.shares.empty() || !allocation.job.empty();
}

/// Whether the engine has to count hardware threads and not cores.
bool counts_hwthreads(const Options& options) {
    return options.bind_to == BindTo::hwthread ||
           (options.map_by && options.map_by->unit == MapUnit::hwthread);
}

std::string whole_seconds(double seconds) { return fmt::format("{:.0f}", std::ceil(seconds)); }

/// The programs, each with its hosts, variables and directory, and ":" between them.
void add_programs(EngineCommand& command, const Options& options, const Layout& layout,
                  const EngineContext& context) {
    Words& argv = command.argv;
    for (const AppSpec& app : options.apps) {
        if (&app != &options.apps.front()) {
            argv.emplace_back(":");
        }
        if (!layout.shares.empty()) {
            add(argv, {"--host", host_list(layout)});
        }
        add(argv, {"-n", std::to_string(app.ranks)});
        for (const std::string& variable : command.set) {
            add(argv, {"-x", variable.substr(0, variable.find('='))});
        }
        for (const std::string& variable : settings_to_pass(app, context)) {
            const std::string name = variable.substr(0, variable.find('='));
            const bool inherited =
                value_of(context.environment, name) == variable.substr(name.size() + 1) &&
                std::find(command.unset.begin(), command.unset.end(), name) == command.unset.end();
            add(argv, {"-x", inherited ? name : variable});
        }
        if (!app.wdir.empty()) {
            add(argv, {"--wdir", app.wdir});
        }
        add(argv, app.command);
    }
}

void allow_root(EngineCommand& command, const EngineContext& context) {
    if (context.root) {
        command.argv.emplace_back("--allow-run-as-root");
        command.notes.emplace_back("running as root: --allow-run-as-root added");
    }
}

/// A daemon whose host is gone is noticed by its silence. By default that takes eight minutes.
void add_keepalive(Words& argv, const EngineContext& context) {
    constexpr std::array<std::array<const char*, 2>, 3> settings{{{"oob_tcp_keepalive_time", "3"},
                                                                  {"oob_tcp_keepalive_intvl", "1"},
                                                                  {"oob_tcp_keepalive_probes", "3"}}};
    for (const auto& [name, value] : settings) {
        if (!value_of(context.environment, fmt::format("OMPI_MCA_{}", name))) {
            add(argv, {"--mca", name, value});
        }
    }
}

/// How an engine calls what reaches other hosts.
struct Agent {
    const char* option;
    const char* variables;  ///< prefix of its settings in the environment
    const char* component;
};
constexpr Agent kOrteAgent{"--mca", "OMPI_MCA_", "plm_rsh"};
constexpr Agent kPrrteAgent{"--prtemca", "PRTE_MCA_", "plm_ssh"};

/// An ssh that asks for a password, or whether a host's key is the right one, would keep a job waiting for an
/// answer that nobody sees the question of. The user's own choice of an agent, or of its arguments, stands.
void add_agent(Words& argv, const Options& options, const Layout& layout, const EngineContext& context,
               const Agent& agent) {
    const auto is_set = [&](const char* name) {
        return value_of(context.environment, fmt::format("{}{}_{}", agent.variables, agent.component, name))
            .has_value();
    };
    if (!options.rsh_agent.empty()) {
        add(argv, {agent.option, fmt::format("{}_agent", agent.component), options.rsh_agent});
    } else if (!layout.shares.empty() && !is_set("agent") && !is_set("args")) {
        add(argv,
            {agent.option, fmt::format("{}_args", agent.component), "-o BatchMode=yes -o ConnectTimeout=10"});
    }
}

/// Open MPI up to 4.
void add_orte(EngineCommand& command, const Options& options, const Layout& layout,
              const EngineContext& context) {
    Words& argv = command.argv;
    if (may_exceed_slots(layout, context.allocation)) {
        argv.emplace_back("--oversubscribe");
    }
    add_if(argv, counts_hwthreads(options), "--use-hwthread-cpus");
    if (options.rank_file.empty()) {
        const bool package = options.bind_to == BindTo::package;
        add(argv, {"--map-by", to_text(options.map_by.value_or(MapBy{}), "socket"), "--bind-to",
                   package ? "socket" : name_of(options.bind_to)});
    } else {
        add(argv, {"--rankfile", options.rank_file});
    }
    if (options.report_bindings) {
        argv.emplace_back("--report-bindings");
    }
    if (!options.output_dir.empty()) {
        add(argv, {"--output-filename", options.output_dir + ":nocopy,nojobid"});
    } else {
        add_if(argv, options.tag_output, "--tag-output");
        add_if(argv, options.timestamp_output, "--timestamp-output");
    }
    if (layout.shares.size() > 1 || context.allocation.nodes > 1) {
        add_keepalive(argv, context);
    }
    add_agent(argv, options, layout, context, kOrteAgent);
    if (options.kill_wait_s) {
        add(argv, {"--mca", "odls_base_sigkill_timeout", whole_seconds(*options.kill_wait_s)});
    }
}

void add_prrte_options(EngineCommand& command, const Options& options, const Layout& layout,
                       const EngineContext& context) {
    Words& argv = command.argv;
    std::string mapping = options.rank_file.empty() ? to_text(options.map_by.value_or(MapBy{}))
                                                    : "rankfile:file=" + options.rank_file;
    mapping += counts_hwthreads(options) ? ":hwtcpus" : "";
    if (may_exceed_slots(layout, context.allocation)) {
        mapping += ":oversubscribe";
    }
    add(argv, {"--map-by", mapping});
    if (options.rank_file.empty()) {
        add(argv, {"--bind-to", name_of(options.bind_to)});
    }
    if (options.report_bindings) {
        add(argv, {"--display", "bind"});
    }
    if (!options.output_dir.empty()) {
        add(argv, {"--output", fmt::format("dir={}:nocopy", options.output_dir)});
    } else if (options.tag_output || options.timestamp_output) {
        add(argv, {"--output", !options.timestamp_output ? "tag"
                               : options.tag_output      ? "tag,timestamp"
                                                         : "timestamp"});
    }
    add_agent(argv, options, layout, context, kPrrteAgent);
    if (options.kill_wait_s) {
        add(argv, {"--prtemca", "odls_base_sigkill_timeout", whole_seconds(*options.kill_wait_s)});
    }
}

}  // namespace

void add_prrte(EngineCommand& command, const Options& options, const Layout& layout,
               const EngineContext& context) {
    refuse_unequal(options, context.tool.path);
    refuse_rank_file(options, context.tool.path);
    command.argv = {context.tool.path};
    allow_root(command, context);
    add_prrte_options(command, options, layout, context);
    add_programs(command, options, layout, context);
}

void add_mpirun(EngineCommand& command, const Options& options, const Layout& layout,
                const EngineContext& context) {
    if (context.tool.major >= kFirstOpenMpiOverPrrte) {
        add_prrte(command, options, layout, context);
        return;
    }
    refuse_unequal(options, context.tool.path);
    command.argv = {context.tool.path};
    allow_root(command, context);
    add_orte(command, options, layout, context);
    add_programs(command, options, layout, context);
}

}  // namespace rb2::launcher
