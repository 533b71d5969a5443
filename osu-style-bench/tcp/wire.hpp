#pragma once
// The wire both subjects are measured on: two addresses, each perhaps in a network namespace of its own.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "osu-style-bench/limits/duo.hpp"
#include "runtime/fabric/tcp/ip_address.hpp"

namespace rb2::bench::tcp {

using fabric::tcp::IpAddress;

struct Side {
    std::string network_namespace;  ///< as `ip netns` names it; empty: this one
    IpAddress address;
};

struct Wire {
    Side first;
    Side second;
    limits::Processors processors;
};

/// What is measured, and how often within one figure.
struct Load {
    std::size_t bytes = 8;
    std::size_t window = 1;  ///< messages before the answer; 1: ping-pong
    int rounds = 1000;       ///< windows and answers, or ping-pongs
    int warm_up = 100;
};

/// Moves the calling process into the side's namespace. Throws std::system_error.
void enter(const Side& side);

/// What the two processes of one measurement tell each other.
struct Meeting {
    limits::Gate gate;
    std::atomic<std::uint32_t> ports[2];
    std::atomic<std::uint64_t> words[4];

    /// The port the other side has opened.
    std::uint16_t port(int side, const limits::Spin& spin) {
        spin.until([&] { return ports[side].load(std::memory_order_acquire) != 0; });
        return static_cast<std::uint16_t>(ports[side].load());
    }
};

/// Seconds that `rounds` of the load take, the first side sending. Each forks its second side anew.
double plain_seconds(const Wire& wire, const Load& load, bool spins);
double ring_seconds(const Wire& wire, const Load& load);

}  // namespace rb2::bench::tcp
