#include "launcher/process/binding.hpp"

#include <fmt/core.h>

namespace rb2::launcher {
namespace {

struct Target {
    hwloc_obj_type_t type;
    const char* name;
    bool exclusive;  ///< one rank each: more ranks than objects means no binding
};

Target target_of(BindTo bind_to) {
    switch (bind_to) {
        case BindTo::hwthread:
            return {HWLOC_OBJ_PU, "hwthread", true};
        case BindTo::core:
            return {HWLOC_OBJ_CORE, "core", true};
        case BindTo::numa:
            return {HWLOC_OBJ_NUMANODE, "numa node", false};
        case BindTo::socket:
        case BindTo::none:
            break;
    }
    return {HWLOC_OBJ_PACKAGE, "socket", false};
}

std::vector<hwloc_obj_t> objects_with_cpus(const topology::Machine& machine, hwloc_obj_type_t type) {
    std::vector<hwloc_obj_t> objects;
    hwloc_obj_t object = nullptr;
    while ((object = hwloc_get_next_obj_by_type(machine.hwloc(), type, object)) != nullptr) {
        if (hwloc_bitmap_iszero(object->cpuset) == 0) {  // a memory-only NUMA node has none
            objects.push_back(object);
        }
    }
    return objects;
}

std::string why_impossible(const Target& target, std::size_t objects, int ranks) {
    if (objects == 0) {
        return fmt::format("this machine reports no {}", target.name);
    }
    if (target.exclusive && static_cast<std::size_t>(ranks) > objects) {
        return fmt::format("{} ranks, but {} usable {}{}", ranks, objects, target.name,
                           objects == 1 ? "" : "s");
    }
    return {};
}

/// 0, 0, 1, 1 for four ranks on two objects; 0, 1 for two ranks on four.
std::size_t object_of(std::size_t rank, std::size_t ranks, std::size_t objects) {
    return ranks <= objects ? rank : rank * objects / ranks;
}

}  // namespace

BindingPlan plan_binding(const topology::Machine& machine, BindTo bind_to, int ranks) {
    const auto count = static_cast<std::size_t>(ranks);
    BindingPlan plan{std::vector<topology::CpuSet>(count), std::vector<std::string>(count), {}};
    if (bind_to == BindTo::none) {
        return plan;
    }
    const Target target = target_of(bind_to);
    const std::vector<hwloc_obj_t> objects = objects_with_cpus(machine, target.type);
    const std::string obstacle = why_impossible(target, objects.size(), ranks);
    if (!obstacle.empty()) {
        plan.warning = "ranks are not bound: " + obstacle;
        return plan;
    }
    for (std::size_t rank = 0; rank < count; ++rank) {
        const hwloc_obj_t object = objects[object_of(rank, count, objects.size())];
        plan.cpus[rank] = topology::CpuSet::from_hwloc(object->cpuset);
        plan.places[rank] = fmt::format("{} {}", target.name, object->logical_index);
    }
    return plan;
}

std::string describe_binding(const BindingPlan& plan, const topology::CpuSet& allowed) {
    std::string text;
    for (std::size_t rank = 0; rank < plan.cpus.size(); ++rank) {
        const topology::CpuSet& cpus = plan.cpus[rank];
        text += cpus.empty() ? fmt::format("rb2run: rank {} not bound (cpus {})\n", rank, allowed.to_list())
                             : fmt::format("rb2run: rank {} bound to {} (cpus {})\n", rank, plan.places[rank],
                                           cpus.to_list());
    }
    return text;
}

std::vector<unsigned long> affinity_words(const topology::CpuSet& cpus) {
    if (cpus.empty()) {
        return {};
    }
    std::vector<unsigned long> words(static_cast<std::size_t>(hwloc_bitmap_nr_ulongs(cpus.hwloc())));
    hwloc_bitmap_to_ulongs(cpus.hwloc(), static_cast<unsigned>(words.size()), words.data());
    return words;
}

}  // namespace rb2::launcher
