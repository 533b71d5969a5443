#pragma once
// Peers reached through TCP: rings and users' buffers written by frames (runtime/fabric/tcp).

#include <memory>

#include "runtime/network/network.hpp"

namespace rb2::network {

/// Listens at once. Throws StartupError.
[[nodiscard]] std::unique_ptr<Network> make_tcp_network(const Options& options);

}  // namespace rb2::network
