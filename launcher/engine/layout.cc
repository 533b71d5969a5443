#include "launcher/engine/layout.hpp"

#include <algorithm>
#include <numeric>

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

}  // namespace

int job_size(const Options& options) {
    return std::accumulate(options.apps.begin(), options.apps.end(), 0,
                           [](int sum, const AppSpec& app) { return sum + app.ranks; });
}

Layout plan_layout(const std::vector<HostSpec>& hosts, int ranks) {
    Layout layout;
    if (hosts.empty()) {
        return layout;
    }
    std::vector<int> slots = slots_of(hosts, ranks);
    int missing = ranks - std::accumulate(slots.begin(), slots.end(), 0);
    layout.oversubscribed = missing > 0;
    for (std::size_t i = 0; missing > 0; i = (i + 1) % slots.size(), --missing) {
        ++slots[i];
    }
    for (std::size_t i = 0; i < hosts.size() && ranks > 0; ++i) {
        const int here = std::min(slots[i], ranks);
        if (here > 0) {
            layout.shares.push_back({hosts[i].name, here});
            ranks -= here;
        }
    }
    return layout;
}

}  // namespace rb2::launcher
