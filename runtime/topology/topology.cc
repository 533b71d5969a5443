#include "runtime/topology/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/status.hpp"

namespace rb2::topology {
namespace {

/// Lowest CPU of the closest object of `type` at or above `object`, numbered as the kernel does: the complete
/// set also has the CPUs that this process may not use.
std::uint32_t group_id(hwloc_topology_t topology, hwloc_obj_t object, hwloc_obj_type_t type) {
    if (object->type != type) object = hwloc_get_ancestor_obj_by_type(topology, type, object);
    if (object == nullptr) return Placement::kSpans;
    return static_cast<std::uint32_t>(hwloc_bitmap_first(object->complete_cpuset));
}

}  // namespace

Machine::Handle Machine::init() {
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0)
        throw StartupError("hwloc cannot create a topology: out of memory");
    return Handle(topology);
}

Machine Machine::current() {
    Handle handle = init();
    hwloc_topology_set_io_types_filter(handle.get(), HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(handle.get(), HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
    if (hwloc_topology_load(handle.get()) != 0)
        throw StartupError(
            fmt::format("hwloc cannot read this machine's topology: {}; try `lstopo`", std::strerror(errno)));
    return Machine(std::move(handle));
}

Machine Machine::synthetic(const std::string& description) {
    Handle handle = init();
    if (hwloc_topology_set_synthetic(handle.get(), description.c_str()) != 0 ||
        hwloc_topology_load(handle.get()) != 0)
        throw StartupError(fmt::format(
            "'{}' is not a synthetic topology of hwloc; an example is \"pack:2 l3:1 core:4 pu:1\"",
            description));
    return Machine(std::move(handle));
}

CpuSet Machine::cpus() const {
    return CpuSet::from_hwloc(hwloc_topology_get_topology_cpuset(topology_.get()));
}

int Machine::numa_node_of(const CpuSet& cpus) const {
    int lowest = -1;
    if (cpus.empty()) return lowest;
    for (hwloc_obj_t node = nullptr;
         (node = hwloc_get_next_obj_by_type(topology_.get(), HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
        const int number = static_cast<int>(node->os_index);
        const bool holds_all = hwloc_bitmap_isincluded(cpus.hwloc(), node->complete_cpuset) != 0;
        if (holds_all && (lowest < 0 || number < lowest)) lowest = number;
    }
    return lowest;
}

Placement Machine::placement(const CpuSet& cpus) const {
    Placement placement;
    placement.cpu_count = static_cast<std::uint32_t>(cpus.count());
    hwloc_obj_t object = hwloc_get_obj_covering_cpuset(topology_.get(), cpus.hwloc());
    if (cpus.empty() || object == nullptr) return placement;
    placement.l2 = group_id(topology_.get(), object, HWLOC_OBJ_L2CACHE);
    placement.l3 = group_id(topology_.get(), object, HWLOC_OBJ_L3CACHE);
    placement.package = group_id(topology_.get(), object, HWLOC_OBJ_PACKAGE);
    const int node = numa_node_of(cpus);
    if (node >= 0) placement.numa_node = static_cast<std::uint32_t>(node);
    return placement;
}

Locality Machine::locality_between(const CpuSet& a, const CpuSet& b) const {
    return locality(placement(a), placement(b));
}

CpuSet Machine::share(unsigned n, unsigned count) const {
    if (count == 0 || n >= count) throw StartupError(fmt::format("share {} of {} does not exist", n, count));
    const int depth = hwloc_get_type_or_below_depth(topology_.get(), HWLOC_OBJ_CORE);
    const unsigned cores = hwloc_get_nbobjs_by_depth(topology_.get(), depth);
    // More ranks than cores: several ranks get the same core.
    const auto begin = static_cast<unsigned>(std::uint64_t{n} * cores / count);
    const auto end = static_cast<unsigned>(std::uint64_t{n + 1} * cores / count);
    CpuSet set;
    for (unsigned core = begin; core < std::max(end, begin + 1); ++core) {
        const hwloc_obj_t object = hwloc_get_obj_by_depth(topology_.get(), depth, core);
        for (int cpu = -1; (cpu = hwloc_bitmap_next(object->cpuset, cpu)) >= 0;)
            set.add(static_cast<unsigned>(cpu));
    }
    return set;
}

}  // namespace rb2::topology
