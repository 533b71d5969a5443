#pragma once
// Peers reached through RDMA: rings by WRITE, users' buffers by WRITE from registered memory
// (runtime/fabric/verbs), which stays registered (runtime/memory/registration).

#include <memory>

#include "runtime/network/network.hpp"

namespace rb2::network {

/// Whether this machine has a device with an active port.
[[nodiscard]] bool verbs_available() noexcept;

/// Opens the device. Throws StartupError.
[[nodiscard]] std::unique_ptr<Network> make_verbs_network(const Options& options);

}  // namespace rb2::network
