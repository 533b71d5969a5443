#pragma once
// Which devices and ports a rank uses, as a pure function of what there is.

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

/// Places in `ports` of those that the options allow, at least one and at most Options::rails: near before
/// far, then the faster, then the first. Where no number is wished, only those as near and as fast as the
/// best: a slower one may well be there for other things. Throws StartupError naming every port and why it is
/// not one, or the device in the list that there is not.
[[nodiscard]] std::vector<std::size_t> choose_ports(std::span<const PortInfo> ports, const Options& options);

/// Whether one of the CPUs that the calling thread may run on is local to the device, as the kernel (and
/// hwloc, which asks it) says; true where nobody knows.
[[nodiscard]] bool is_near(const std::string& device);

}  // namespace rb2::fabric::verbs
