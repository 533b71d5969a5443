#include "launcher/cli/placement_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "launcher/cli/usage_error.hpp"

namespace rb2::launcher {
namespace {

/// Ranks of the only program of a job, without -n: those of the rank file, or all slots of the hosts, or one.
int ranks_of_all_slots(const Options& options) {
    if (!options.rank_slots.empty()) {
        return static_cast<int>(options.rank_slots.size());
    }
    const int per_host =
        options.map_by && options.map_by->unit == MapUnit::node ? options.map_by->per_unit : 0;
    int slots = 0;
    for (const HostSpec& host : options.hosts) {
        slots += per_host > 0 ? per_host : std::max(host.slots, 1);
    }
    return std::max(slots, std::max(per_host, 1));
}

}  // namespace

void decide_placement(Options& options, const PlacementWords& words) {
    try {
        options.map_by = words.map_by.empty() ? std::nullopt : std::optional(parse_map_by(words.map_by));
        options.bind_to = binding_for(options.map_by.value_or(MapBy{}), words.bind_to);
    } catch (const std::invalid_argument& error) {
        throw UsageError{fmt::format("--map-by: {}", error.what())};
    }
    if (words.rank_file.empty()) {
        return;
    }
    if (options.map_by) {
        throw UsageError{"--map-by and --rankfile: give one of them"};
    }
    options.bind_to = words.bind_to.value_or(BindTo::core);
    if (options.bind_to != BindTo::core && options.bind_to != BindTo::hwthread) {
        throw UsageError{
            "--rankfile: its numbers are those of cores or hardware threads; --bind-to can only be "
            "core or hwthread"};
    }
    options.rank_file = words.rank_file;
}

void read_ranks(Options& options) {
    if (options.rank_file.empty()) {
        return;
    }
    try {
        options.rank_slots = read_rank_file(options.rank_file, options.hosts);
    } catch (const std::invalid_argument& error) {
        throw UsageError{fmt::format("--rankfile: {}", error.what())};
    }
    if (options.hosts.empty()) {
        options.hosts = hosts_of(options.rank_slots);
    }
}

void fill_in_ranks(Options& options) {
    const bool said = options.apps.size() > 1 || options.apps.front().ranks > 0;
    if (!said && options.map_by && options.map_by->per_unit > 0 && options.map_by->unit != MapUnit::node) {
        throw UsageError{fmt::format("--map-by {}: say with -n how many ranks", to_text(*options.map_by))};
    }
    const int standard = options.apps.size() == 1 ? ranks_of_all_slots(options) : 1;
    for (AppSpec& app : options.apps) {
        app.ranks = app.ranks == 0 ? standard : app.ranks;
    }
}

}  // namespace rb2::launcher
