#include "runtime/network/tcp_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "runtime/fabric/tcp/address_choice.hpp"
#include "runtime/fabric/tcp/context.hpp"
#include "runtime/fabric/tcp/interfaces.hpp"
#include "runtime/network/blocks.hpp"
#include "runtime/network/card_bytes.hpp"
#include "runtime/network/channel_over.hpp"
#include "runtime/network/direct_choice.hpp"
#include "runtime/ring/mix.hpp"

namespace rb2::network {
namespace {

using fabric::tcp::CardAddresses;
using fabric::tcp::Context;
using fabric::tcp::Endpoint;

/// The bytes of a frame land front to back, so a record is announced by itself: one frame per message.
using Ring =
    ring::Mix<ring::head::LazyPush, ring::tail::PollMessage, ring::batching::None, ring::placement::Mirrored>;

/// Card: the addresses, then for each peer (rank ascending) its rank and the key of its block.
struct PeerKey {
    std::uint32_t rank;
    fabric::Key key;
};

/// Regions of one peer. A source needs no registration: it is read by this rank's own system calls.
class TcpRegistrar final : public Registrar {
  public:
    explicit TcpRegistrar(Endpoint& endpoint) noexcept : endpoint_(endpoint) {}

    std::unique_ptr<Pin> pin(std::span<const std::byte> memory, Access access) noexcept override {
        try {
            if (access == Access::own_reads) return std::make_unique<Free>();
            // Receive buffers are writable; only the type of this function covers both.
            auto* data = const_cast<std::byte*>(memory.data());
            return std::make_unique<Registered>(endpoint_.register_unwatched({data, memory.size()}));
        } catch (const std::exception&) {
            return nullptr;
        }
    }

  private:
    class Free final : public Pin {
      public:
        [[nodiscard]] fabric::Key key() const noexcept override { return 0; }
        [[nodiscard]] fabric::Remote remote() const noexcept override { return {}; }
    };
    class Registered final : public Pin {
      public:
        explicit Registered(Endpoint::Region region) noexcept : region_(std::move(region)) {}
        [[nodiscard]] fabric::Key key() const noexcept override { return region_.key(); }
        [[nodiscard]] fabric::Remote remote() const noexcept override { return region_.remote(); }

      private:
        Endpoint::Region region_;
    };

    Endpoint& endpoint_;
};

/// Everything about one peer.
struct Line {
    Line(Endpoint& to, std::span<std::byte> own_block)
        : endpoint(to), block(own_block), region(to.register_memory(own_block)), registrar(to) {}

    Endpoint& endpoint;
    std::span<std::byte> block;
    Endpoint::Region region;
    TcpRegistrar registrar;
    std::string host;
    bool same_stack = false;
    CardAddresses addresses{};
    std::optional<ChannelOver<Ring, Endpoint>> channel;
};

class TcpNetwork final : public Network {
  public:
    explicit TcpNetwork(const Options& options)
        : options_(options),
          filter_(options.choices.tcp_include, options.choices.tcp_exclude),
          listening_(fabric::tcp::choose_listening(interfaces_, filter_, primary_)),
          blocks_(options.ring, options.peers.size()),
          context_(context_options()) {
        for (std::size_t i = 0; i < options_.peers.size(); ++i) {
            const std::uint32_t rank = options_.peers[i];
            lines_.emplace(rank, std::make_unique<Line>(context_.endpoint(rank), blocks_.block(i)));
        }
    }

    std::string_view name() const noexcept override { return "tcp"; }
    std::vector<std::byte> card() const override;
    void connect(std::span<const Peer> peers) override;
    Channel& channel(std::uint32_t rank) noexcept override { return *line(rank).channel; }

    int poll() noexcept override { return context_.progress() ? 1 : 0; }
    int descriptor() const noexcept override { return context_.wait_fd(); }
    std::chrono::microseconds longest_sleep() const noexcept override {
        return std::chrono::microseconds::max();
    }
    bool arm() noexcept override { return context_.prepare_wait() != 0; }
    /// A look is a system call itself.
    std::chrono::nanoseconds spin() const noexcept override { return {}; }
    bool quiet() noexcept override { return context_.unsent() == 0; }
    std::string describe(std::uint32_t rank) const override;
    void expect_end(std::uint32_t rank) noexcept override { line(rank).channel->expect_end(); }

  private:
    fabric::tcp::Options context_options();
    void meet(const Peer& peer);
    [[nodiscard]] Line& line(std::uint32_t rank) const noexcept { return *lines_.find(rank)->second; }

    Options options_;
    fabric::tcp::Filter filter_;
    std::vector<fabric::tcp::Interface> interfaces_ = fabric::tcp::own_interfaces();
    fabric::tcp::IpAddress primary_ = fabric::tcp::primary_address();
    std::vector<fabric::tcp::Interface> listening_;
    Blocks blocks_;
    Context context_;
    std::map<std::uint32_t, std::unique_ptr<Line>> lines_;
};

fabric::tcp::Options TcpNetwork::context_options() {
    fabric::tcp::Options options;
    options.rank = options_.rank;
    options.secret = options_.secret;
    options.driven = true;
    for (const fabric::tcp::Interface& interface : listening_)
        options.listen_on.push_back({interface.address, 0});
    options.find_peer = [this](std::uint32_t rank, std::string& why) {
        const Line& peer = line(rank);
        auto route = fabric::tcp::choose_route(interfaces_, filter_, peer.addresses, peer.same_stack,
                                               fabric::tcp::source_towards);
        why = std::move(route.left_out);
        return std::move(route.targets);
    };
    options.notice = [](std::string_view text) { fmt::print(stderr, "{}\n", text); };
    return options;
}

std::vector<std::byte> TcpNetwork::card() const {
    std::vector<std::byte> bytes;
    append(bytes, fabric::tcp::card_addresses(listening_, context_.addresses(), primary_));
    for (const auto& [rank, line] : lines_) append(bytes, PeerKey{rank, line->region.key()});
    return bytes;
}

void TcpNetwork::connect(std::span<const Peer> peers) {
    for (const Peer& peer : peers) meet(peer);
}

/// Connections are made at first contact; here only where the peer is and what it gave this rank.
void TcpNetwork::meet(const Peer& peer) {
    Line& to = line(peer.rank);
    to.host = peer.host;
    to.same_stack = peer.same_stack;
    std::span<const std::byte> bytes = peer.card;
    to.addresses = take<CardAddresses>(bytes);
    fabric::Remote block;
    bool granted = false;
    while (!bytes.empty() && !granted) {
        const auto entry = take<PeerKey>(bytes);
        granted = entry.rank == options_.rank;
        block.key = entry.key;
    }
    if (!granted) {
        throw StartupError(
            fmt::format("rank {} on {} published no ring for rank {}: do all ranks see the same "
                        "RB2_FABRICS?",
                        peer.rank, peer.host, options_.rank));
    }
    const ring::BlockPair blocks{
        .own = to.block.data(), .own_layout = blocks_.layout(), .own_key = to.region.key(), .peer = block};
    to.channel.emplace(to.endpoint, to.registrar, blocks, options_.ring, options_.ring,
                       DirectParameters{.from = choose_direct_of_tcp(options_.choices.direct_bytes).from,
                                        .follow_from = kFollowFromOfTcp});
}

std::string TcpNetwork::describe(std::uint32_t rank) const {
    const Line& to = line(rank);
    if (to.endpoint.status() == Status::peer_lost) return fmt::format("tcp: {}", to.endpoint.cause());
    return fmt::format("tcp, {}", to.addresses.front().address().text());
}

}  // namespace

std::unique_ptr<Network> make_tcp_network(const Options& options) {
    return std::make_unique<TcpNetwork>(options);
}

}  // namespace rb2::network
