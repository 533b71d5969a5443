#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "launcher/placement/binding.hpp"
#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

/// The objects that a range of a rank file names.
std::vector<Unit> objects_in(const topology::Machine& machine, const SlotRange& range,
                             hwloc_obj_type_t type) {
    topology::CpuSet within = machine.cpus();
    if (range.package != SlotRange::kAny) {
        const std::vector<Unit> packages = units_within(machine, within, HWLOC_OBJ_PACKAGE);
        if (static_cast<std::size_t>(range.package) >= packages.size()) {
            throw std::invalid_argument(fmt::format("there is no package {}", range.package));
        }
        within = packages[static_cast<std::size_t>(range.package)].cpus;
    }
    const std::vector<Unit> all = units_within(machine, within, type);
    const int last = range.last == SlotRange::kAny ? static_cast<int>(all.size()) - 1 : range.last;
    if (last < range.first || static_cast<std::size_t>(last) >= all.size()) {
        throw std::invalid_argument(fmt::format(
            "there is no {} {}{}", unit_name(type), std::max(last, 0),
            range.package == SlotRange::kAny ? "" : fmt::format(" in package {}", range.package)));
    }
    return {all.begin() + range.first, all.begin() + last + 1};
}

std::vector<Unit> objects_of(const RankSlots& line, const topology::Machine& machine,
                             const topology::CpuSet& allowed, hwloc_obj_type_t type) {
    std::vector<Unit> objects;
    for (const SlotRange& range : line.slots) {
        for (Unit& object : objects_in(machine, range, type)) {
            object.cpus = intersection(object.cpus, allowed);
            if (object.cpus.empty()) {
                throw std::invalid_argument(fmt::format("{} {} is not among the CPUs that may be used ({})",
                                                        unit_name(type), object.number, allowed.to_list()));
            }
            objects.push_back(std::move(object));
        }
    }
    return objects;
}

}  // namespace

BindingPlan plan_by_rank_file(const topology::Machine& machine, const topology::CpuSet& allowed,
                              const std::vector<RankSlots>& file, BindTo bind_to, int ranks) {
    const hwloc_obj_type_t type = bind_to == BindTo::hwthread ? HWLOC_OBJ_PU : HWLOC_OBJ_CORE;
    BindingPlan plan(ranks);
    for (std::size_t rank = 0; rank < plan.cpus.size(); ++rank) {
        if (rank >= file.size() || file[rank].host.empty()) {
            throw LaunchError(kExitUsage,
                              fmt::format("--rankfile: rank {} has no line, of {} ranks", rank, ranks));
        }
        try {
            plan.bind(rank, type, objects_of(file[rank], machine, allowed, type));
        } catch (const std::invalid_argument& error) {
            throw LaunchError(kExitUsage, fmt::format("--rankfile: rank {}: {}", rank, error.what()));
        }
    }
    return plan;
}

}  // namespace rb2::launcher
