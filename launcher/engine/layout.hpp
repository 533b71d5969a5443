#pragma once
// Which host takes which ranks. No system calls here.

#include <string>
#include <vector>

#include "launcher/cli/options.hpp"

namespace rb2::launcher {

/// How many ranks a host takes.
struct Share {
    std::string host;
    int ranks = 0;  ///< above 0
};

struct Layout {
    std::vector<Share> shares;    ///< in the order of hosts; empty: the engine decides
    bool in_turn = false;         ///< ranks go to the hosts one by one, not 0, 1, … to the first
    bool oversubscribed = false;  ///< some host takes more ranks than its slots
};

/// Ranks of all programs together.
[[nodiscard]] int job_size(const Options& options);

/// Fills hosts in the order given, each up to its slots, or deals them one rank in turn with --map-by node;
/// with ppr:N:node a host has N slots. Hosts without a number share evenly what the others leave, one at
/// least. What exceeds all slots is dealt one by one, as more ranks than CPUs are always allowed; only
/// ppr:N:node throws LaunchError then.
[[nodiscard]] Layout plan_layout(const std::vector<HostSpec>& hosts, int ranks, const MapBy& map = {});

/// The host of each rank, in their order.
[[nodiscard]] std::vector<std::string> host_of_each_rank(const Layout& layout);

}  // namespace rb2::launcher
