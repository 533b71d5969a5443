#pragma once
// What a process of a job tells its TCP fabric.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/fabric/tcp/handshake_messages.hpp"
#include "runtime/fabric/tcp/io.hpp"
#include "runtime/fabric/tcp/ip_address.hpp"

namespace rb2::fabric::tcp {

using Clock = std::chrono::steady_clock;

/// A way to a peer: its listening address, and the address here to call from (no family: the kernel's
/// choice).
struct Target {
    SocketAddress to;
    IpAddress from;
};

struct Timing {
    std::chrono::milliseconds stranger{5000};  ///< until an accepted connection has proved itself
    std::chrono::milliseconds call{3000};  ///< until the kernel there has taken a call to one address, and
                                           ///< then until the rank answers, twice as long each round
    std::chrono::milliseconds confirm{60'000};  ///< until a peer that has proved itself goes on
    std::chrono::milliseconds first_pause{20};  ///< after all addresses failed; doubles each round
    std::chrono::milliseconds longest_pause{2000};
    unsigned rounds = 10;  ///< through all addresses before the peer is given up
};

struct Options {
    std::uint32_t rank = 0;
    Secret secret{};  ///< the job's, the same for all its ranks and known to nobody else
    /// Listens on exactly these; port 0: the kernel's choice, which Context::addresses() tells.
    std::vector<SocketAddress> listen_on;
    /// Ways to a rank, best first; asked when it is called for the first time. None: the reason goes to
    /// `why`.
    std::function<std::vector<Target>(std::uint32_t rank, std::string& why)> find_peer;
    /// What to tell a peer first; asked once it has proved to be one. May be empty.
    std::function<Greeting(std::uint32_t rank)> greet;
    /// Takes lines for the user, at most one every ten seconds. May be empty.
    std::function<void(std::string_view line)> notice;
    /// Sockets are only touched by flush() and Context::progress(). Otherwise also by an endpoint's poll()
    /// that finds nothing.
    bool driven = false;
    std::string congestion;       ///< algorithm of the connections (congestion.hpp); empty: the system's
    std::size_t half_open = 128;  ///< accepted connections that have not proved themselves yet, at most
    Timing timing{};
    const Io* io = &kKernelIo;
};

}  // namespace rb2::fabric::tcp
