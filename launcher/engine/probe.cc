#include "launcher/engine/probe.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>

#include "launcher/engine/capture.hpp"
#include "launcher/engine/local_names.hpp"
#include "launcher/process/program_path.hpp"
#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

/// Empty if PATH has no such program.
std::string find_tool(const char* name) {
    AppSpec spec;
    spec.command = {name};
    try {
        return find_program(spec);
    } catch (const LaunchError&) {
        return "";
    }
}

std::string first_line(const std::string& text) {
    const std::string line = text.substr(0, text.find('\n'));
    return line.empty() ? "nothing" : line;
}

/// The 4 of "mpirun (Open MPI) 4.1.4".
int major_version(const std::string& text) {
    const std::size_t bracket = text.find(") ");
    int major = 0;
    if (bracket != std::string::npos) {
        std::from_chars(text.data() + bracket + 2, text.data() + text.size(), major);
    }
    return major;
}

Tool probe_srun() {
    const std::string path = find_tool("srun");
    return path.empty() ? Tool{} : judge_srun(path, capture_output({path, "--mpi=list"}));
}

Tool probe_prterun() {
    const std::string path = find_tool("prterun");
    return path.empty() ? Tool{} : judge_prterun(path, capture_output({path, "--version"}));
}

/// `mpirun` may be another MPI's; packages that allow several add a suffix. The first that is Open MPI's.
Tool probe_mpirun() {
    Tool first;
    for (const char* name : {"mpirun", "orterun", "mpirun.openmpi"}) {
        const std::string path = find_tool(name);
        if (path.empty()) {
            continue;
        }
        Tool tool = judge_mpirun(path, capture_output({path, "--version"}));
        if (tool.usable()) {
            return tool;
        }
        if (first.path.empty()) {
            first = tool;
        }
    }
    return first;
}

}  // namespace

Tool judge_srun(std::string path, const std::string& plugins) {
    Tool tool{std::move(path), 0, {}};
    if (plugins.find("pmix") == std::string::npos) {
        tool.problem =
            fmt::format("it lists no PMIx plugin, by which ranks find each other (srun --mpi=list: {})",
                        first_line(plugins));
    }
    return tool;
}

Tool judge_prterun(std::string path, const std::string& version) {
    Tool tool{std::move(path), major_version(version), {}};
    if (version.find("PRRTE") == std::string::npos) {
        tool.problem = fmt::format("it is not PRRTE's; prterun --version says: {}", first_line(version));
    }
    return tool;
}

Tool judge_mpirun(std::string path, const std::string& version) {
    Tool tool{std::move(path), major_version(version), {}};
    if (version.find("Open MPI") == std::string::npos && version.find("OpenRTE") == std::string::npos) {
        tool.problem = fmt::format(
            "it is not Open MPI's, and other mpiruns are no PMIx servers; mpirun --version says: {}",
            first_line(version));
    }
    return tool;
}

Facts gather_facts(const Options& options) {
    Facts facts;
    facts.environment = current_environment();
    facts.local_names = local_names(options.hosts);
    facts.hosts = options.hosts;
    if (needs_tools(options.engine, facts)) {
        facts.srun = probe_srun();
        facts.prterun = probe_prterun();
        facts.mpirun = probe_mpirun();
    }
    return facts;
}

}  // namespace rb2::launcher
