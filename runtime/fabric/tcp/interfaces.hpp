#pragma once
// What the kernel knows of this host's addresses and of the ways from them.

#include <optional>
#include <vector>

#include "runtime/fabric/tcp/address_choice.hpp"

namespace rb2::fabric::tcp {

/// All Internet addresses of this host. Throws StartupError.
[[nodiscard]] std::vector<Interface> own_interfaces();

/// The address this host would call `to` from; nullopt, with errno, if there is no way, or no such family
/// here. Sends nothing.
[[nodiscard]] std::optional<IpAddress> source_towards(const IpAddress& to) noexcept;

/// The address this host takes towards the rest of the world: IPv4 if it has a way there, else IPv6; no
/// family if neither.
[[nodiscard]] IpAddress primary_address() noexcept;

}  // namespace rb2::fabric::tcp
