#pragma once
// Which engine starts the job: ours, on this machine, or one that is there. No system calls here.

#include <string>
#include <variant>
#include <vector>

#include "launcher/cli/options.hpp"
#include "launcher/process/environment.hpp"

namespace rb2::launcher {

/// One foreign launcher as found on this machine.
struct Tool {
    std::string path;     ///< empty: not found
    int major = 0;        ///< of its version
    std::string problem;  ///< why it cannot start our ranks; empty: it can

    [[nodiscard]] bool usable() const { return !path.empty() && problem.empty(); }
};

/// What the choice depends on.
struct Facts {
    Environment environment;               ///< for what a resource manager or another launcher says
    std::vector<std::string> local_names;  ///< names and addresses of this machine; the first is its own name
    std::vector<HostSpec> hosts;           ///< as the user named them
    Tool srun;
    Tool prterun;
    Tool mpirun;  ///< Open MPI's
};

/// The name that --engine takes.
[[nodiscard]] const char* engine_name(Engine engine);

/// `engine` is a foreign one.
[[nodiscard]] const Tool& tool_of(Engine engine, const Facts& facts);

struct Choice {
    Engine engine;       ///< never `automatic`
    std::string reason;  ///< for --verbose
};

/// A Slurm allocation, as the environment tells.
struct Allocation {
    std::string job;    ///< its number; empty: none
    int nodes = 0;      ///< 0: unknown
    bool here = false;  ///< this machine is one of its nodes, so with one node it is the one
};

[[nodiscard]] Allocation find_allocation(const Facts& facts);

/// True if this process is one of several ranks of a job: each runs us, and none may start a job everywhere.
[[nodiscard]] bool is_one_of_several(const Environment& environment);

/// True if `host` is this machine: one of `local_names`, letter case aside.
[[nodiscard]] bool is_local(const std::string& host, const std::vector<std::string>& local_names);

/// True when the choice needs to know which engines there are.
[[nodiscard]] bool needs_tools(Engine wanted, const Facts& facts);

/// Rules: an explicit wish counts, if it can be granted. Else hosts that are all this machine, and no hosts
/// outside an allocation of several nodes: embedded. Else, first that can: in an allocation srun; prterun 3
/// and later; Open MPI's mpirun; an older prterun. The string says why there is none and what to try.
[[nodiscard]] std::variant<Choice, std::string> choose_engine(Engine wanted, const Facts& facts);

}  // namespace rb2::launcher
