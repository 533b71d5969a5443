#pragma once
// The way to a peer's port, as verbs want to be told of it.

#include <infiniband/verbs.h>

#include <vector>

#include "runtime/fabric/verbs/device.hpp"
#include "runtime/fabric/verbs/gid.hpp"

namespace rb2::fabric::verbs {

/// In the order of the address; their indexes are the owner's business and 0.
[[nodiscard]] std::vector<GidEntry> gids_of(const Address& address);

/// `gids`: those that choose_pair() has found, of the device's address and the peer's.
[[nodiscard]] ibv_ah_attr path_to(const Device& device, const Address& peer, const GidPair& gids) noexcept;

}  // namespace rb2::fabric::verbs
