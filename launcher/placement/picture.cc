#include "launcher/placement/picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace rb2::launcher {
namespace {

constexpr std::size_t kLineWidth = 96;

/// One core: its heading, and a text for each hardware thread.
struct Column {
    std::string heading;
    std::vector<std::string> cells;
};

std::string ranks_on(unsigned cpu, const BindingPlan& plan) {
    topology::CpuSet ranks;  // a set of numbers that prints as ranges
    for (std::size_t rank = 0; rank < plan.cpus.size(); ++rank) {
        if (plan.cpus[rank].contains(cpu)) {
            ranks.add(static_cast<unsigned>(rank));
        }
    }
    return ranks.empty() ? "." : ranks.to_list();
}

Column draw_core(hwloc_obj_type_t kind, const Unit& core, const topology::CpuSet& allowed,
                 const BindingPlan& plan) {
    Column column{name_units(kind, {core}), {}};
    for (int cpu = core.cpus.first(); cpu >= 0; cpu = hwloc_bitmap_next(core.cpus.hwloc(), cpu)) {
        const auto number = static_cast<unsigned>(cpu);
        column.cells.push_back(allowed.contains(number) ? ranks_on(number, plan) : "x");
    }
    return column;
}

std::size_t widest(const std::vector<Column>& columns) {
    std::size_t width = 0;
    for (const Column& column : columns) {
        width = std::max(width, column.heading.size());
        for (const std::string& cell : column.cells) {
            width = std::max(width, cell.size());
        }
    }
    return width;
}

using Columns = std::vector<Column>::const_iterator;

/// Cores side by side; a core with fewer threads than its neighbours leaves its last lines empty.
std::string draw_row(Columns begin, Columns end, std::size_t width) {
    std::string headings = "rb2run:  ";
    std::size_t threads = 0;
    for (Columns column = begin; column != end; ++column) {
        headings += fmt::format("  {:<{}}", column->heading, width);
        threads = std::max(threads, column->cells.size());
    }
    std::string text = headings.substr(0, headings.find_last_not_of(' ') + 1) + "\n";
    for (std::size_t thread = 0; thread < threads; ++thread) {
        text += "rb2run:  ";
        for (Columns column = begin; column != end; ++column) {
            text +=
                fmt::format("| {:<{}}", thread < column->cells.size() ? column->cells[thread] : "", width);
        }
        text += "|\n";
    }
    return text;
}

/// Machines without cores (some virtual ones) have hardware threads that stand alone.
hwloc_obj_type_t smallest_kind(const topology::Machine& machine) {
    return hwloc_get_nbobjs_by_type(machine.hwloc(), HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
}

std::string draw_block(const std::string& title, const topology::Machine& machine, const Unit& block,
                       const topology::CpuSet& allowed, const BindingPlan& plan) {
    const hwloc_obj_type_t kind = smallest_kind(machine);
    std::vector<Column> columns;
    for (const Unit& core : units_within(machine, block.cpus, kind)) {
        columns.push_back(draw_core(kind, core, allowed, plan));
    }
    const std::size_t width = widest(columns);
    const auto per_row = static_cast<std::ptrdiff_t>(std::max<std::size_t>(kLineWidth / (width + 2), 1));
    std::string text = fmt::format("rb2run: {}\n", title);
    for (auto begin = columns.cbegin(); begin != columns.cend();) {
        const auto end = begin + std::min(per_row, columns.cend() - begin);
        text += draw_row(begin, end, width);
        begin = end;
    }
    return text;
}

std::string title_of(const topology::Machine& machine, const Unit& node) {
    const std::vector<Unit> packages = units_within(machine, node.cpus, HWLOC_OBJ_PACKAGE);
    const std::string name = name_units(HWLOC_OBJ_NUMANODE, {node});
    return packages.empty() ? name : name_units(HWLOC_OBJ_PACKAGE, packages) + ", " + name;
}

}  // namespace

std::string draw_bindings(const topology::Machine& machine, const topology::CpuSet& allowed,
                          const BindingPlan& plan) {
    const bool somebody = std::any_of(plan.cpus.begin(), plan.cpus.end(),
                                      [](const topology::CpuSet& cpus) { return !cpus.empty(); });
    std::string text;
    if (somebody) {
        for (const Unit& node : units_within(machine, machine.cpus(), HWLOC_OBJ_NUMANODE)) {
            text += draw_block(title_of(machine, node), machine, node, allowed, plan);
        }
    }
    return text;
}

}  // namespace rb2::launcher
