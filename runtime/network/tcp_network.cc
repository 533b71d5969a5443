#include "runtime/network/tcp_network.hpp"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "runtime/fabric/tcp/context.hpp"
#include "runtime/network/blocks.hpp"
#include "runtime/network/card_bytes.hpp"
#include "runtime/network/channel_over.hpp"
#include "runtime/ring/mix.hpp"

namespace rb2::network {
namespace {

using fabric::tcp::Context;
using fabric::tcp::Endpoint;
using fabric::tcp::SocketAddress;
using fabric::tcp::Target;

/// The bytes of a frame land front to back, so a record is announced by itself: one frame per message.
using Ring =
    ring::Mix<ring::head::LazyPush, ring::tail::PollMessage, ring::batching::None, ring::placement::Mirrored>;

/// Longer messages go straight into the receiver's buffer: a round trip more, two copies less.
constexpr std::uint64_t kDirectFrom = 64U << 10;

/// Card: this head, the addresses, then for each peer (rank ascending) its rank and the key of its block.
struct CardHead {
    std::uint32_t addresses;
    std::uint32_t peers;
};
struct PeerKey {
    std::uint32_t rank;
    fabric::Key key;
};

/// Of all interfaces that are up, those that may be reached from elsewhere first.
std::vector<fabric::tcp::IpAddress> own_addresses() {
    std::vector<fabric::tcp::IpAddress> found;
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) throw StartupError(fmt::format("getifaddrs: {}", std::strerror(errno)));
    for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
        if (at->ifa_addr == nullptr || (at->ifa_flags & IFF_UP) == 0) continue;
        if (at->ifa_addr->sa_family != AF_INET && at->ifa_addr->sa_family != AF_INET6) continue;
        sockaddr_storage storage{};
        std::memcpy(&storage, at->ifa_addr,
                    at->ifa_addr->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
        const auto address = SocketAddress::from_native(storage).ip;
        if (!address.link_local()) found.push_back(address);
    }
    ::freeifaddrs(list);
    std::stable_partition(found.begin(), found.end(),
                          [](const auto& address) { return !address.loopback(); });
    return found;
}

/// Regions of one peer. A source needs no registration: it is read by this rank's own system calls.
class TcpRegistrar final : public Registrar {
  public:
    explicit TcpRegistrar(Endpoint& endpoint) noexcept : endpoint_(endpoint) {}

    std::unique_ptr<Pin> pin(std::span<const std::byte> memory, Access access) noexcept override {
        try {
            if (access == Access::own_reads) return std::make_unique<Free>();
            // Receive buffers are writable; only the type of this function covers both.
            auto* data = const_cast<std::byte*>(memory.data());
            return std::make_unique<Registered>(endpoint_.register_memory({data, memory.size()}));
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
    std::vector<SocketAddress> addresses;
    std::optional<ChannelOver<Ring, Endpoint>> channel;
};

class TcpNetwork final : public Network {
  public:
    explicit TcpNetwork(const Options& options)
        : options_(options), blocks_(options.ring, options.peers.size()), context_(context_options()) {
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
    bool arm() noexcept override { return context_.prepare_wait() != 0; }
    bool quiet() noexcept override { return context_.unsent() == 0; }
    std::string describe(std::uint32_t rank) const override;
    void expect_end(std::uint32_t rank) noexcept override { line(rank).channel->expect_end(); }

  private:
    fabric::tcp::Options context_options();
    void meet(const Peer& peer);
    [[nodiscard]] Line& line(std::uint32_t rank) const noexcept { return *lines_.find(rank)->second; }

    Options options_;
    Blocks blocks_;
    Context context_;
    std::map<std::uint32_t, std::unique_ptr<Line>> lines_;
};

fabric::tcp::Options TcpNetwork::context_options() {
    fabric::tcp::Options options;
    options.rank = options_.rank;
    options.secret = options_.secret;
    options.driven = true;
    for (const fabric::tcp::IpAddress& address : own_addresses()) options.listen_on.push_back({address, 0});
    options.find_peer = [this](std::uint32_t rank, std::string& why) {
        const Line& peer = line(rank);
        if (peer.addresses.empty()) why = "it published no address";
        std::vector<Target> targets;
        for (const SocketAddress& address : peer.addresses) targets.push_back({address, {}});
        return targets;
    };
    options.notice = [rank = options_.rank](std::string_view text) {
        fmt::print(stderr, "rb2: rank {}: {}\n", rank, text);
    };
    return options;
}

std::vector<std::byte> TcpNetwork::card() const {
    std::vector<std::byte> bytes;
    const auto& addresses = context_.addresses();
    append(bytes,
           CardHead{static_cast<std::uint32_t>(addresses.size()), static_cast<std::uint32_t>(lines_.size())});
    for (const SocketAddress& address : addresses) append(bytes, address);
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
    std::span<const std::byte> bytes = peer.card;
    const auto head = take<CardHead>(bytes);
    for (std::uint32_t i = 0; i < head.addresses; ++i) to.addresses.push_back(take<SocketAddress>(bytes));
    fabric::Remote block;
    bool granted = false;
    for (std::uint32_t i = 0; i < head.peers; ++i) {
        const auto entry = take<PeerKey>(bytes);
        if (entry.rank != options_.rank) continue;
        block.key = entry.key;
        granted = true;
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
                       DirectParameters{.from = kDirectFrom});
}

std::string TcpNetwork::describe(std::uint32_t rank) const {
    const Line& to = line(rank);
    if (to.endpoint.status() == Status::peer_lost) return fmt::format("tcp: {}", to.endpoint.cause());
    return to.addresses.empty() ? "tcp" : fmt::format("tcp, {}", to.addresses.front().text());
}

}  // namespace

std::unique_ptr<Network> make_tcp_network(const Options& options) {
    return std::make_unique<TcpNetwork>(options);
}

}  // namespace rb2::network
