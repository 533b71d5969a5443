#pragma once
// The parts of a machine that ranks are dealt and bound to.

#include <hwloc.h>

#include <string>
#include <vector>

#include "runtime/topology/cpu_set.hpp"
#include "runtime/topology/topology.hpp"

namespace rb2::launcher {

/// A part of the machine with those of its CPUs that may be used; never none.
struct Unit {
    unsigned number;  ///< hwloc's logical number among its kind
    topology::CpuSet cpus;
};

[[nodiscard]] topology::CpuSet intersection(const topology::CpuSet& a, const topology::CpuSet& b);

/// What people call it: "core", "numa node".
[[nodiscard]] const char* unit_name(hwloc_obj_type_t type);

/// All objects of `type` that share a CPU with `within`, in hwloc's order, with these CPUs. A second kind of
/// memory behind the same CPUs is no NUMA node of its own here.
[[nodiscard]] std::vector<Unit> units_within(const topology::Machine& machine, const topology::CpuSet& within,
                                             hwloc_obj_type_t type);

/// The CPUs of all of them.
[[nodiscard]] topology::CpuSet cpus_of(const std::vector<Unit>& units);

/// "core 1", or "cores 0-2,5" for several of one kind; none is the empty text.
[[nodiscard]] std::string name_units(hwloc_obj_type_t type, const std::vector<Unit>& units);

}  // namespace rb2::launcher
