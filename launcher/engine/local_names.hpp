#pragma once
// How this machine may be called.

#include <string>
#include <vector>

#include "launcher/cli/hosts.hpp"

namespace rb2::launcher {

/// The machine's own name comes first, then its short form, "localhost", its addresses, and those of `hosts`
/// that stand for one of them. Looks names up only if there are hosts.
[[nodiscard]] std::vector<std::string> local_names(const std::vector<HostSpec>& hosts);

}  // namespace rb2::launcher
