#pragma once
// One network fabric as a rank uses it: made, published, connected, then polled. The fabrics behind it
// (tcp, verbs) know ranks only as numbers and texts; which pair uses which fabric is mesh::Mesh's to say.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/fabric/verbs/options.hpp"
#include "runtime/memory/registration/options.hpp"
#include "runtime/network/channel.hpp"
#include "runtime/ring/parameters.hpp"

namespace rb2::network {

/// What a user may choose of networks (docs/tuning.md).
struct Choices {
    std::string tcp_include;  ///< interfaces, addresses and ranges, as fabric::tcp::Filter reads them
    std::string tcp_exclude;
    std::string tcp_congestion;  ///< as fabric::tcp::choose_congestion() takes it
    fabric::verbs::Options verbs;
    memory::registration::Options registration;  ///< for fabrics whose memory must be registered
    std::uint64_t eager_bytes = 0;  ///< sent before the receiver answers; 0: as eager_window() says
    std::uint64_t direct_bytes =
        0;  ///< messages of so many are written directly; 0: as direct_choice.hpp says
};

/// A rank reached through the fabric, and what it published.
struct Peer {
    std::uint32_t rank = 0;
    std::string host;
    bool same_stack = false;  ///< it has the same network addresses as this rank
    std::vector<std::byte> card;
};

/// What every fabric is made with.
struct Options {
    std::uint32_t rank = 0;
    std::uint32_t ranks = 0;             ///< of the job
    bool on_demand = false;              ///< verbs: peers are met at first contact; tcp: always so
    bool spare = false;                  ///< most likely nobody will call: not to be looked at often
    std::vector<std::uint32_t> peers;    ///< else those that it connects at start, ascending
    ring::Parameters ring;               ///< of every ring of the job, in both directions
    std::array<std::byte, 32> secret{};  ///< the job's: only its ranks know it
    /// Fetches what the rank published; waits until it has. Throws StartupError.
    std::function<Peer(std::uint32_t rank)> find_peer;
    Choices choices;
};

class Network {
  public:
    Network() = default;
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;
    virtual ~Network() = default;

    /// "tcp", "verbs": for people.
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;
    /// Whether peers are met at first contact (reach(), take_callers()), and not all at start (connect()).
    [[nodiscard]] virtual bool on_demand() const noexcept = 0;
    /// What the peers need to know to reach this rank.
    [[nodiscard]] virtual std::vector<std::byte> card() const = 0;
    /// At start: all peers' cards are here. Throws StartupError naming both ranks and hosts.
    virtual void connect(std::span<const Peer> /*peers*/) {}
    /// On demand: begins to call the rank, whose channel() is there at once and open() once it has answered.
    /// Throws StartupError when there is no memory for it.
    virtual void reach(std::uint32_t /*rank*/) {}
    /// On demand: whether ranks have called, and those that did since the last time.
    [[nodiscard]] virtual bool called() const noexcept { return false; }
    [[nodiscard]] virtual std::vector<std::uint32_t> take_callers() { return {}; }
    /// Of a rank that was connected, reached, or has called.
    [[nodiscard]] virtual Channel& channel(std::uint32_t rank) noexcept = 0;

    /// Once per round of progress: connections, sockets. Returns whether anything happened.
    virtual int poll() noexcept = 0;
    /// Becomes readable when something arrives after arm().
    [[nodiscard]] virtual int descriptor() const noexcept = 0;
    /// Some of what arrives may not make it readable: so long that may lie unseen.
    [[nodiscard]] virtual std::chrono::microseconds longest_sleep() const noexcept = 0;
    /// Before sleeping. False: something has arrived already.
    [[nodiscard]] virtual bool arm() noexcept = 0;
    /// Who waits for a peer's answer is not to give its CPU away for this long.
    [[nodiscard]] virtual std::chrono::nanoseconds spin() const noexcept = 0;
    /// Whether all that was ever posted has left this rank.
    [[nodiscard]] virtual bool quiet() noexcept = 0;
    /// Where the peer is, and why it cannot be reached if so. For errors: "10.0.0.2:4711 over tcp: connection
    /// reset by peer".
    [[nodiscard]] virtual std::string describe(std::uint32_t rank) const = 0;
    /// The peer has said that it ends: its going away is no error.
    virtual void expect_end(std::uint32_t rank) noexcept = 0;
};

}  // namespace rb2::network
