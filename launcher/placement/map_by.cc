#include "launcher/placement/map_by.hpp"

#include <fmt/core.h>

#include <CLI/StringTools.hpp>
#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include "launcher/cli/words.hpp"

namespace rb2::launcher {
namespace {

constexpr int kMaxCount = 100'000;

constexpr std::array<std::pair<const char*, MapUnit>, 7> kUnits = {{{"slot", MapUnit::slot},
                                                                    {"hwthread", MapUnit::hwthread},
                                                                    {"core", MapUnit::core},
                                                                    {"numa", MapUnit::numa},
                                                                    {"package", MapUnit::package},
                                                                    {"socket", MapUnit::package},
                                                                    {"node", MapUnit::node}}};

MapUnit parse_unit(const std::string& text) {
    for (const auto& [name, unit] : kUnits) {
        if (text == name) {
            return unit;
        }
    }
    throw std::invalid_argument(
        fmt::format("'{}' is none of slot, hwthread, core, numa, package (or socket), node", text));
}

int parse_count(const std::string& text, const char* what) {
    const std::optional<int> count = parse_number(text, 1, kMaxCount);
    if (!count) {
        throw std::invalid_argument(fmt::format("'{}' is no number of {} (1 to {})", text, what, kMaxCount));
    }
    return *count;
}

void apply_modifier(MapBy& map, const std::string& text) {
    if (text.starts_with("pe=")) {
        map.cpus_per_rank = parse_count(text.substr(3), "cores for each rank, as in PE=2");
    } else if (text != "oversubscribe") {
        throw std::invalid_argument(fmt::format("'{}' is none of PE=N, OVERSUBSCRIBE", text));
    }
}

}  // namespace

MapBy parse_map_by(std::string_view text) {
    std::vector<std::string> words = CLI::detail::split(CLI::detail::to_lower(std::string(text)), ':');
    MapBy map;
    std::size_t next = 0;
    if (words.front() == "ppr") {
        if (words.size() < 3) {
            throw std::invalid_argument(fmt::format("'{}': expected ppr:N:UNIT, as in ppr:2:numa", text));
        }
        map.per_unit = parse_count(words[1], "ranks on each unit, as in ppr:2:numa");
        next = 2;
    }
    map.unit = parse_unit(words[next]);
    if (map.per_unit > 0 && map.unit == MapUnit::slot) {
        throw std::invalid_argument(
            fmt::format("'{}': a slot takes one rank; name a part of the machine", text));
    }
    while (++next < words.size()) {
        apply_modifier(map, words[next]);
    }
    return map;
}

std::string to_text(const MapBy& map, const char* package) {
    const char* unit = map.unit == MapUnit::package ? package : name_of(map.unit);
    return (map.per_unit > 0 ? fmt::format("ppr:{}:{}", map.per_unit, unit) : unit) +
           (map.cpus_per_rank > 0 ? fmt::format(":PE={}", map.cpus_per_rank) : "");
}

const char* name_of(BindTo bind_to) {
    constexpr std::array names = {"none", "hwthread", "core", "numa", "package"};
    return names.at(static_cast<std::size_t>(bind_to));
}

const char* name_of(MapUnit unit) {
    for (const auto& [name, value] : kUnits) {
        if (value == unit) {
            return name;
        }
    }
    return "?";
}

BindTo binding_for(const MapBy& map, std::optional<BindTo> wanted) {
    const bool counts_cpus = map.cpus_per_rank > 0;
    if (wanted) {
        if (counts_cpus && *wanted != BindTo::core && *wanted != BindTo::hwthread) {
            throw std::invalid_argument(fmt::format(
                "PE={} gives each rank that many cores, or hardware threads with --bind-to hwthread; it "
                "cannot be bound to {}",
                map.cpus_per_rank, name_of(*wanted)));
        }
        return *wanted;
    }
    switch (map.unit) {
        case MapUnit::hwthread:
            return BindTo::hwthread;
        case MapUnit::core:
            return BindTo::core;
        case MapUnit::numa:
            return counts_cpus ? BindTo::core : BindTo::numa;
        case MapUnit::package:
            return counts_cpus ? BindTo::core : BindTo::package;
        default:
            return counts_cpus ? BindTo::core : BindTo::none;
    }
}

}  // namespace rb2::launcher
