#pragma once
// Which device and port a rank uses, as a pure function of what there is.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runtime/fabric/verbs/options.hpp"

namespace rb2::fabric::verbs {

/// A port of a device of this machine.
struct PortInfo {
    std::string device;
    int port = 1;
    bool active = false;
    bool near = true;      ///< the device hangs on a NUMA node that the calling thread may run on
    double gigabits = 0;   ///< per second
    std::size_t gids = 0;  ///< that could be offered to a peer
};

/// Place in `ports` of the best that the options allow: near before far, then the faster, then the first.
/// Throws StartupError naming every port and why it is not the one.
[[nodiscard]] std::size_t choose_port(std::span<const PortInfo> ports, const Options& options);

/// Whether one of the CPUs that the calling thread may run on is local to the device, as the kernel (and
/// hwloc, which asks it) says; true where nobody knows.
[[nodiscard]] bool is_near(const std::string& device);

}  // namespace rb2::fabric::verbs
