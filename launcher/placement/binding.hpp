#pragma once
// Which CPUs each rank may use.

#include <string>
#include <vector>

#include "launcher/placement/map_by.hpp"
#include "launcher/placement/rank_file.hpp"
#include "launcher/placement/units.hpp"
#include "runtime/topology/cpu_set.hpp"
#include "runtime/topology/topology.hpp"

namespace rb2::launcher {

/// One entry per rank; a rank that is not bound has an empty set and an empty place.
struct BindingPlan {
    /// Nobody is bound yet.
    explicit BindingPlan(int ranks);

    /// Binds `rank` to `units`, which are of one kind.
    void bind(std::size_t rank, hwloc_obj_type_t type, const std::vector<Unit>& units);

    std::vector<topology::CpuSet> cpus;
    std::vector<std::string> places;  ///< for people: "core 1"
    std::string warning;              ///< why binding was not possible; empty if it was, or was not asked for
};

/// What the user wants for the ranks of one host.
struct Placement {
    MapBy map;
    BindTo bind_to = BindTo::none;
    int ranks = 1;
};

/// Deals ranks to the units of `machine` that share a CPU with `allowed`, and binds each within its unit, to
/// allowed CPUs only: a core with only one of its hardware threads allowed counts. Slots and the node are one
/// unit; within a unit consecutive ranks get consecutive cores or hardware threads, of which none serves two
/// ranks, and packages and NUMA nodes are shared evenly. A unit inside the object that ranks are bound to
/// means that object. Without enough cores, or such objects: nobody is bound, and the warning says so. Throws
/// LaunchError if there are more ranks than ppr:N:UNIT allows. Pure: the same arguments give the same plan.
[[nodiscard]] BindingPlan plan_binding(const topology::Machine& machine, const topology::CpuSet& allowed,
                                       const Placement& wanted);

/// The first `ranks` ranks as a rank file says, whose hosts are not looked at; its numbers count cores, or
/// hardware threads if `bind_to` is that. Throws LaunchError if a rank has no line, or CPUs that are not
/// there or not allowed.
[[nodiscard]] BindingPlan plan_by_rank_file(const topology::Machine& machine, const topology::CpuSet& allowed,
                                            const std::vector<RankSlots>& file, BindTo bind_to, int ranks);

/// One line per rank, each ending in a newline. `allowed`: what ranks that are not bound may use.
[[nodiscard]] std::string describe_binding(const BindingPlan& plan, const topology::CpuSet& allowed);

/// `cpus` as the words of a sched_setaffinity mask; none for the empty set.
[[nodiscard]] std::vector<unsigned long> affinity_words(const topology::CpuSet& cpus);

}  // namespace rb2::launcher
