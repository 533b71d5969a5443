#include "launcher/placement/binding.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

hwloc_obj_type_t type_of(BindTo bind_to) {
    switch (bind_to) {
        case BindTo::hwthread:
            return HWLOC_OBJ_PU;
        case BindTo::core:
            return HWLOC_OBJ_CORE;
        case BindTo::numa:
            return HWLOC_OBJ_NUMANODE;
        default:
            return HWLOC_OBJ_PACKAGE;
    }
}

bool serves_one_rank(hwloc_obj_type_t type) { return type == HWLOC_OBJ_PU || type == HWLOC_OBJ_CORE; }

/// The units that `map` deals ranks to; slots and the node are one, of all CPUs.
std::vector<Unit> mapped_units(const topology::Machine& machine, const topology::CpuSet& allowed,
                               const MapBy& map) {
    switch (map.unit) {
        case MapUnit::hwthread:
            return units_within(machine, allowed, HWLOC_OBJ_PU);
        case MapUnit::core:
            return units_within(machine, allowed, HWLOC_OBJ_CORE);
        case MapUnit::numa:
            return units_within(machine, allowed, HWLOC_OBJ_NUMANODE);
        case MapUnit::package:
            return units_within(machine, allowed, HWLOC_OBJ_PACKAGE);
        default:
            return {{0, allowed}};
    }
}

/// Where ranks are dealt one core after the other anyway, there is one unit of them all: PE=N may then need
/// several.
MapBy as_slots(MapBy map, BindTo bind_to) {
    const bool same = (map.unit == MapUnit::core && bind_to == BindTo::core) ||
                      (map.unit == MapUnit::hwthread && bind_to == BindTo::hwthread) ||
                      ((map.unit == MapUnit::core || map.unit == MapUnit::hwthread) && map.cpus_per_rank > 1);
    if (same && map.per_unit == 0) {
        map.unit = MapUnit::slot;
    }
    return map;
}

void refuse_too_many(const MapBy& map, std::size_t units, int ranks) {
    const auto room = static_cast<std::size_t>(map.per_unit) * units;
    if (map.per_unit > 0 && static_cast<std::size_t>(ranks) > room) {
        throw LaunchError(kExitUsage, fmt::format("--map-by {}: {} ranks, but {} {}{} with {} each take {}",
                                                  to_text(map), ranks, units, name_of(map.unit),
                                                  units == 1 ? "" : "s", map.per_unit, room));
    }
}

/// The ranks of each unit, in order.
std::vector<std::vector<std::size_t>> deal(const MapBy& map, std::size_t units, std::size_t ranks) {
    std::vector<std::vector<std::size_t>> dealt(units);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        const std::size_t turn = map.per_unit > 0 ? rank / static_cast<std::size_t>(map.per_unit) : rank;
        dealt[turn % units].push_back(rank);
    }
    return dealt;
}

/// 0, 0, 1, 1 for four ranks on two places; 0, 1 for two ranks on four.
std::size_t place_of(std::size_t rank, std::size_t ranks, std::size_t places) {
    return ranks <= places ? rank : rank * places / ranks;
}

std::string plural(std::size_t count, const char* name) {
    return fmt::format("{} {}{}", count, name, count == 1 ? "" : "s");
}

/// Binds the ranks of one unit to objects of `type`. Gives what is missing if they are too few.
std::optional<std::string> bind_within(BindingPlan& plan, const std::vector<std::size_t>& ranks,
                                       const std::vector<Unit>& objects, hwloc_obj_type_t type, int width) {
    const auto each = static_cast<std::size_t>(std::max(width, 1));
    if (serves_one_rank(type) && ranks.size() * each > objects.size()) {
        const std::string need = each == 1 ? "" : fmt::format(" of {} each", plural(each, unit_name(type)));
        return fmt::format("{}{}, but {}", plural(ranks.size(), "rank"), need,
                           plural(objects.size(), fmt::format("usable {}", unit_name(type)).c_str()));
    }
    if (objects.empty()) {
        return fmt::format("there is no {} within each part that ranks are dealt to", unit_name(type));
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const std::size_t first = each > 1 ? i * each : place_of(i, ranks.size(), objects.size());
        const auto begin = objects.begin() + static_cast<std::ptrdiff_t>(first);
        plan.bind(ranks[i], type, {begin, begin + static_cast<std::ptrdiff_t>(each)});
    }
    return std::nullopt;
}

/// How coarse: hardware thread 0, core 1, NUMA node or package 2, all 3.
int level_of(MapUnit unit) {
    switch (unit) {
        case MapUnit::hwthread:
            return 0;
        case MapUnit::core:
            return 1;
        case MapUnit::numa:
        case MapUnit::package:
            return 2;
        default:
            return 3;
    }
}

int level_of(BindTo bind_to) { return std::min(static_cast<int>(bind_to) - 1, 2); }

/// Whether ranks on `unit` are bound to the whole object that holds it.
std::optional<Unit> holder_of(const Unit& unit, const std::vector<Unit>& objects, const Placement& wanted) {
    if (level_of(wanted.bind_to) < level_of(wanted.map.unit)) {
        return std::nullopt;
    }
    const auto found = std::find_if(objects.begin(), objects.end(),
                                    [&unit](const Unit& object) { return unit.cpus.within(object.cpus); });
    return found != objects.end() ? std::optional(*found) : std::nullopt;
}

std::vector<Unit> inside(const std::vector<Unit>& objects, const Unit& unit) {
    std::vector<Unit> found;
    for (const Unit& object : objects) {
        if (object.cpus.within(unit.cpus)) {
            found.push_back(object);
        }
    }
    return found;
}

/// Binds every rank, or says why that cannot be.
std::optional<std::string> bind_all(BindingPlan& plan, const Placement& wanted,
                                    const std::vector<Unit>& units, const std::vector<Unit>& objects) {
    const hwloc_obj_type_t type = type_of(wanted.bind_to);
    const std::vector<std::vector<std::size_t>> dealt = deal(wanted.map, units.size(), plan.cpus.size());
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (const std::optional<Unit> holder = holder_of(units[i], objects, wanted)) {
            for (const std::size_t rank : dealt[i]) {
                plan.bind(rank, type, {*holder});
            }
            continue;
        }
        if (auto obstacle =
                bind_within(plan, dealt[i], inside(objects, units[i]), type, wanted.map.cpus_per_rank)) {
            return obstacle;
        }
    }
    return std::nullopt;
}

/// One core or hardware thread takes one rank, unless ppr says otherwise.
bool too_few(const MapBy& map, std::size_t units, int ranks) {
    return map.per_unit == 0 && level_of(map.unit) < 2 && static_cast<std::size_t>(ranks) > units;
}

std::optional<std::string> try_to_bind(BindingPlan& plan, const topology::Machine& machine,
                                       const topology::CpuSet& allowed, const Placement& wanted,
                                       const std::vector<Unit>& units) {
    const hwloc_obj_type_t type = type_of(wanted.bind_to);
    const std::vector<Unit> objects = units_within(machine, allowed, type);
    if (units.empty() || objects.empty()) {
        return fmt::format("this machine reports no {}",
                           objects.empty() ? unit_name(type) : name_of(wanted.map.unit));
    }
    if (too_few(wanted.map, units.size(), wanted.ranks)) {
        return fmt::format("{} ranks, but {} usable {}{}", wanted.ranks, units.size(),
                           name_of(wanted.map.unit), units.size() == 1 ? "" : "s");
    }
    return bind_all(plan, wanted, units, objects);
}

}  // namespace

BindingPlan::BindingPlan(int ranks)
    : cpus(static_cast<std::size_t>(ranks)), places(static_cast<std::size_t>(ranks)) {}

void BindingPlan::bind(std::size_t rank, hwloc_obj_type_t type, const std::vector<Unit>& units) {
    cpus[rank] = cpus_of(units);
    places[rank] = name_units(type, units);
}

BindingPlan plan_binding(const topology::Machine& machine, const topology::CpuSet& allowed,
                         const Placement& given) {
    Placement wanted = given;
    wanted.map = as_slots(given.map, given.bind_to);
    const std::vector<Unit> units = mapped_units(machine, allowed, wanted.map);
    refuse_too_many(wanted.map, units.size(), wanted.ranks);
    BindingPlan plan(wanted.ranks);
    if (wanted.bind_to == BindTo::none) {
        return plan;
    }
    if (const auto obstacle = try_to_bind(plan, machine, allowed, wanted, units)) {
        plan = BindingPlan(wanted.ranks);
        plan.warning = "ranks are not bound: " + *obstacle;
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
