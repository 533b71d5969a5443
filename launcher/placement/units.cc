#include "launcher/placement/units.hpp"

#include <fmt/core.h>

#include <utility>

namespace rb2::launcher {

topology::CpuSet intersection(const topology::CpuSet& a, const topology::CpuSet& b) {
    topology::CpuSet common;
    for (int cpu = a.first(); cpu >= 0; cpu = hwloc_bitmap_next(a.hwloc(), cpu)) {
        if (b.contains(static_cast<unsigned>(cpu))) {
            common.add(static_cast<unsigned>(cpu));
        }
    }
    return common;
}

const char* unit_name(hwloc_obj_type_t type) {
    switch (type) {
        case HWLOC_OBJ_PU:
            return "hwthread";
        case HWLOC_OBJ_CORE:
            return "core";
        case HWLOC_OBJ_NUMANODE:
            return "numa node";
        default:
            return "package";
    }
}

std::vector<Unit> units_within(const topology::Machine& machine, const topology::CpuSet& within,
                               hwloc_obj_type_t type) {
    std::vector<Unit> units;
    hwloc_obj_t object = nullptr;
    while ((object = hwloc_get_next_obj_by_type(machine.hwloc(), type, object)) != nullptr) {
        topology::CpuSet cpus = intersection(topology::CpuSet::from_hwloc(object->cpuset), within);
        const bool other_memory = !units.empty() && type == HWLOC_OBJ_NUMANODE && units.back().cpus == cpus;
        if (!cpus.empty() && !other_memory) {
            units.push_back({object->logical_index, std::move(cpus)});
        }
    }
    return units;
}

topology::CpuSet cpus_of(const std::vector<Unit>& units) {
    topology::CpuSet cpus;
    for (const Unit& unit : units) {
        for (int cpu = unit.cpus.first(); cpu >= 0; cpu = hwloc_bitmap_next(unit.cpus.hwloc(), cpu)) {
            cpus.add(static_cast<unsigned>(cpu));
        }
    }
    return cpus;
}

std::string name_units(hwloc_obj_type_t type, const std::vector<Unit>& units) {
    topology::CpuSet numbers;
    for (const Unit& unit : units) {
        numbers.add(unit.number);
    }
    return units.empty()
               ? std::string()
               : fmt::format("{}{} {}", unit_name(type), numbers.count() == 1 ? "" : "s", numbers.to_list());
}

}  // namespace rb2::launcher
