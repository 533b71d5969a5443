#pragma once
// Which host takes which ranks. No system calls here.

#include <string>
#include <vector>

#include "launcher/cli/options.hpp"

namespace rb2::launcher {

/// A run of consecutive ranks on one host.
struct Share {
    std::string host;
    int ranks = 0;  ///< above 0
};

struct Layout {
    std::vector<Share> shares;    ///< ranks 0, 1, … in this order; empty: the engine decides
    bool oversubscribed = false;  ///< some host takes more ranks than its slots
};

/// Ranks of all programs together.
[[nodiscard]] int job_size(const Options& options);

/// Fills hosts in the order given, each up to its slots. Hosts without a number share evenly what the others
/// leave, one at least. What exceeds all slots is dealt one by one, as more ranks than CPUs are always
/// allowed.
[[nodiscard]] Layout plan_layout(const std::vector<HostSpec>& hosts, int ranks);

}  // namespace rb2::launcher
