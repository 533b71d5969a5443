#include "launcher/engine/choose.hpp"

#include <fmt/core.h>
#include <strings.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace rb2::launcher {
namespace {

constexpr int kGoodPrterun = 3;  // earlier ones bind wrongly and lose some options

int number_in(const Environment& environment, std::string_view name) {
    const std::string text = value_of(environment, name).value_or("");
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// First host that is not this machine.
const HostSpec* first_remote(const Facts& facts) {
    const auto remote = std::find_if(facts.hosts.begin(), facts.hosts.end(), [&facts](const HostSpec& host) {
        return !is_local(host.name, facts.local_names);
    });
    return remote != facts.hosts.end() ? &*remote : nullptr;
}

std::string complaint(const char* name, const Tool& tool) {
    return tool.path.empty() ? fmt::format("{}: not found in PATH", name)
                             : fmt::format("{}: {}", tool.path, tool.problem);
}

/// Why this machine alone is enough; nothing if it is not.
std::optional<std::string> reason_for_embedded(const Facts& facts) {
    if (!facts.hosts.empty()) {
        return first_remote(facts) == nullptr ? std::optional<std::string>("all hosts are this machine")
                                              : std::nullopt;
    }
    const Allocation allocation = find_allocation(facts);
    if (allocation.job.empty()) {
        return "no hosts given, no Slurm allocation";
    }
    if (is_one_of_several(facts.environment)) {
        return "started as one of several ranks of another job";
    }
    if (allocation.nodes == 1 && allocation.here) {
        return fmt::format("Slurm job {} has this node only", allocation.job);
    }
    return std::nullopt;
}

/// Where the ranks are to run, for messages.
std::string target(const Facts& facts) {
    if (const HostSpec* remote = first_remote(facts)) {
        return fmt::format("host {}", remote->name);
    }
    const Allocation allocation = find_allocation(facts);
    return fmt::format("the {} nodes of Slurm job {}", allocation.nodes, allocation.job);
}

std::string no_engine(const Facts& facts) {
    const std::string srun =
        find_allocation(facts).job.empty()
            ? "srun: no Slurm allocation (SLURM_JOB_ID is not set); with a Slurm cluster "
              "try salloc first, or --engine srun"
            : complaint("srun", facts.srun);
    return fmt::format(
        "no engine can start ranks on {}:\n"
        "  {}\n  {}\n  {}\n"
        "install PRRTE or Open MPI (for its mpirun), or run on this machine alone with --engine embedded",
        target(facts), srun, complaint("prterun", facts.prterun),
        complaint("Open MPI's mpirun", facts.mpirun));
}

std::variant<Choice, std::string> first_that_can(const Facts& facts) {
    const Allocation allocation = find_allocation(facts);
    if (!allocation.job.empty() && facts.srun.usable()) {
        return Choice{Engine::srun, fmt::format("in Slurm job {}", allocation.job)};
    }
    const std::string why = fmt::format("for {}", target(facts));
    if (facts.prterun.usable() && facts.prterun.major >= kGoodPrterun) {
        return Choice{Engine::prterun, why};
    }
    if (facts.mpirun.usable()) {
        return Choice{Engine::mpirun, why};
    }
    if (facts.prterun.usable()) {
        return Choice{Engine::prterun, why + ", nothing newer found"};
    }
    return no_engine(facts);
}

std::variant<Choice, std::string> grant(Engine wanted, const Facts& facts) {
    if (wanted == Engine::embedded) {
        if (const HostSpec* remote = first_remote(facts)) {
            return fmt::format(
                "--engine embedded starts ranks on this machine ({}) only, not on {}; try --engine auto",
                facts.local_names.empty() ? "?" : facts.local_names.front(), remote->name);
        }
        return Choice{wanted, "as asked for"};
    }
    const Tool& tool = tool_of(wanted, facts);
    if (!tool.usable()) {
        return fmt::format("--engine {}: {}; try --engine auto", engine_name(wanted),
                           complaint(engine_name(wanted), tool));
    }
    return Choice{wanted, "as asked for"};
}

}  // namespace

const char* engine_name(Engine engine) {
    switch (engine) {
        case Engine::automatic:
            return "auto";
        case Engine::embedded:
            return "embedded";
        case Engine::srun:
            return "srun";
        case Engine::prterun:
            return "prterun";
        case Engine::mpirun:
            break;
    }
    return "mpirun";
}

const Tool& tool_of(Engine engine, const Facts& facts) {
    switch (engine) {
        case Engine::srun:
            return facts.srun;
        case Engine::prterun:
            return facts.prterun;
        default:
            return facts.mpirun;
    }
}

Allocation find_allocation(const Facts& facts) {
    Allocation allocation;
    allocation.job = value_of(facts.environment, "SLURM_JOB_ID").value_or("");
    allocation.nodes = number_in(facts.environment, "SLURM_JOB_NUM_NODES");
    const auto on_node = value_of(facts.environment, "SLURMD_NODENAME");
    const auto nodes = value_of(facts.environment, "SLURM_JOB_NODELIST");
    // Slurm sets SLURMD_NODENAME on its nodes. A list of one node is its plain name.
    allocation.here = on_node.has_value() || (nodes && is_local(*nodes, facts.local_names));
    return allocation;
}

bool is_one_of_several(const Environment& environment) {
    const auto several = [&environment](std::string_view name) { return number_in(environment, name) > 1; };
    return several("OMPI_COMM_WORLD_SIZE") || several("PMI_SIZE") || several("RB2_WORLD_SIZE") ||
           (value_of(environment, "SLURM_STEP_ID") && several("SLURM_STEP_NUM_TASKS"));
}

bool is_local(const std::string& host, const std::vector<std::string>& local_names) {
    return std::any_of(local_names.begin(), local_names.end(), [&host](const std::string& name) {
        return ::strcasecmp(name.c_str(), host.c_str()) == 0;
    });
}

bool needs_tools(Engine wanted, const Facts& facts) {
    return wanted == Engine::automatic ? !reason_for_embedded(facts) : wanted != Engine::embedded;
}

std::variant<Choice, std::string> choose_engine(Engine wanted, const Facts& facts) {
    if (wanted != Engine::automatic) {
        return grant(wanted, facts);
    }
    if (const auto reason = reason_for_embedded(facts)) {
        return Choice{Engine::embedded, *reason};
    }
    return first_that_can(facts);
}

}  // namespace rb2::launcher
