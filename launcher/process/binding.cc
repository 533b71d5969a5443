#include "launcher/process/binding.hpp"

#include <fmt/core.h>

#include <memory>
#include <utility>

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

topology::CpuSet intersection(hwloc_const_bitmap_t cpus, const topology::CpuSet& allowed) {
    const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> common(hwloc_bitmap_alloc(),
                                                                               &hwloc_bitmap_free);
    hwloc_bitmap_and(common.get(), cpus, allowed.hwloc());
    return topology::CpuSet::from_hwloc(common.get());
}

/// An object with those of its CPUs that may be used; never none.
struct Place {
    hwloc_obj_t object;
    topology::CpuSet cpus;
};

std::vector<Place> usable_places(const topology::Machine& machine, const topology::CpuSet& allowed,
                                 hwloc_obj_type_t type) {
    std::vector<Place> places;
    hwloc_obj_t object = nullptr;
    while ((object = hwloc_get_next_obj_by_type(machine.hwloc(), type, object)) != nullptr) {
        topology::CpuSet cpus = intersection(object->cpuset, allowed);
        if (!cpus.empty()) {
            places.push_back({object, std::move(cpus)});
        }
    }
    return places;
}

std::string why_impossible(const Target& target, std::size_t places, int ranks) {
    if (places == 0) {
        return fmt::format("this machine reports no {}", target.name);
    }
    if (target.exclusive && static_cast<std::size_t>(ranks) > places) {
        return fmt::format("{} ranks, but {} usable {}{}", ranks, places, target.name,
                           places == 1 ? "" : "s");
    }
    return {};
}

/// 0, 0, 1, 1 for four ranks on two places; 0, 1 for two ranks on four.
std::size_t place_of(std::size_t rank, std::size_t ranks, std::size_t places) {
    return ranks <= places ? rank : rank * places / ranks;
}

}  // namespace

BindingPlan plan_binding(const topology::Machine& machine, const topology::CpuSet& allowed, BindTo bind_to,
                         int ranks) {
    const auto count = static_cast<std::size_t>(ranks);
    BindingPlan plan{std::vector<topology::CpuSet>(count), std::vector<std::string>(count), {}};
    if (bind_to == BindTo::none) {
        return plan;
    }
    const Target target = target_of(bind_to);
    const std::vector<Place> places = usable_places(machine, allowed, target.type);
    const std::string obstacle = why_impossible(target, places.size(), ranks);
    if (!obstacle.empty()) {
        plan.warning = "ranks are not bound: " + obstacle;
        return plan;
    }
    for (std::size_t rank = 0; rank < count; ++rank) {
        const Place& place = places[place_of(rank, count, places.size())];
        plan.cpus[rank] = place.cpus;
        plan.places[rank] = fmt::format("{} {}", target.name, place.object->logical_index);
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
