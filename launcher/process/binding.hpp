#pragma once
// Which CPUs each rank may use.

#include <string>
#include <vector>

#include "launcher/cli/options.hpp"
#include "runtime/topology/cpu_set.hpp"
#include "runtime/topology/topology.hpp"

namespace rb2::launcher {

/// One entry per rank; a rank that is not bound has an empty set and an empty place.
struct BindingPlan {
    std::vector<topology::CpuSet> cpus;
    std::vector<std::string> places;  ///< for people: "core 1"
    std::string warning;              ///< why binding was not possible; empty if it was, or was not asked for
};

/// Spreads `ranks` over the objects of `machine` that share a CPU with `allowed`, consecutive ranks together,
/// and gives each the allowed CPUs of its object: a core with only one of its hardware threads allowed
/// counts. More ranks than cores or hardware threads, or a machine without such objects: nobody is bound, and
/// the warning says so. Pure: the same arguments give the same plan.
[[nodiscard]] BindingPlan plan_binding(const topology::Machine& machine, const topology::CpuSet& allowed,
                                       BindTo bind_to, int ranks);

/// One line per rank, each ending in a newline. `allowed`: what ranks that are not bound may use.
[[nodiscard]] std::string describe_binding(const BindingPlan& plan, const topology::CpuSet& allowed);

/// `cpus` as the words of a sched_setaffinity mask; none for the empty set.
[[nodiscard]] std::vector<unsigned long> affinity_words(const topology::CpuSet& cpus);

}  // namespace rb2::launcher
