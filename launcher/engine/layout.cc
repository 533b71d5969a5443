#include "launcher/engine/layout.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

/// Slots of every host for a job of `ranks`.
std::vector<int> slots_of(const std::vector<HostSpec>& hosts, int ranks) {
    int open_hosts = 0;
    int rest = ranks;
    for (const HostSpec& host : hosts) {
        open_hosts += host.slots == 0 ? 1 : 0;
        rest -= host.slots;
    }
    rest = std::max(rest, 0);
    std::vector<int> slots;
    for (const HostSpec& host : hosts) {
        if (host.slots > 0) {
            slots.push_back(host.slots);
            continue;
        }
        slots.push_back(std::max((rest + open_hosts - 1) / open_hosts, 1));
        rest = std::max(rest - slots.back(), 0);
        --open_hosts;
    }
    return slots;
}

/// The same for a mapping.
std::vector<int> map_slots(const std::vector<HostSpec>& hosts, int ranks, const MapBy& map) {
    if (map.unit != MapUnit::node || map.per_unit == 0) {
        return slots_of(hosts, ranks);
    }
    const std::size_t room = hosts.size() * static_cast<std::size_t>(map.per_unit);
    if (static_cast<std::size_t>(ranks) > room) {
        throw LaunchError(
            kExitUsage, fmt::format("--map-by {}: {} ranks, but {} host{} with {} each take {}", to_text(map),
                                    ranks, hosts.size(), hosts.size() == 1 ? "" : "s", map.per_unit, room));
    }
    return std::vector<int>(hosts.size(), map.per_unit);
}

/// How many ranks each host takes; the slots are enough.
std::vector<int> fill_in_order(const std::vector<int>& slots, int ranks) {
    std::vector<int> taken;
    for (const int room : slots) {
        taken.push_back(std::min(room, ranks));
        ranks -= taken.back();
    }
    return taken;
}

std::vector<int> deal_in_turn(const std::vector<int>& slots, int ranks) {
    std::vector<int> taken(slots.size());
    for (std::size_t i = 0; ranks > 0; i = (i + 1) % slots.size()) {
        if (taken[i] < slots[i]) {
            ++taken[i];
            --ranks;
        }
    }
    return taken;
}

}  // namespace

int job_size(const Options& options) {
    return std::accumulate(options.apps.begin(), options.apps.end(), 0,
                           [](int sum, const AppSpec& app) { return sum + app.ranks; });
}

Layout plan_layout(const std::vector<HostSpec>& hosts, int ranks, const MapBy& map) {
    Layout layout;
    if (hosts.empty()) {
        return layout;
    }
    std::vector<int> slots = map_slots(hosts, ranks, map);
    int missing = ranks - std::accumulate(slots.begin(), slots.end(), 0);
    layout.oversubscribed = missing > 0;
    layout.in_turn = map.unit == MapUnit::node && map.per_unit == 0;
    for (std::size_t i = 0; missing > 0; i = (i + 1) % slots.size(), --missing) {
        ++slots[i];
    }
    const std::vector<int> taken = layout.in_turn ? deal_in_turn(slots, ranks) : fill_in_order(slots, ranks);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        if (taken[i] > 0) {
            layout.shares.push_back({hosts[i].name, taken[i]});
        }
    }
    return layout;
}

std::vector<std::string> host_of_each_rank(const Layout& layout) {
    std::vector<std::string> hosts;
    std::vector<Share> left = layout.shares;
    while (!left.empty()) {
        for (Share& share : left) {
            const int run = layout.in_turn ? 1 : share.ranks;
            hosts.insert(hosts.end(), static_cast<std::size_t>(run), share.host);
            share.ranks -= run;
        }
        std::erase_if(left, [](const Share& share) { return share.ranks == 0; });
    }
    return hosts;
}

}  // namespace rb2::launcher
