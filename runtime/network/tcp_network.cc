#include "runtime/network/tcp_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "runtime/fabric/tcp/address_choice.hpp"
#include "runtime/fabric/tcp/congestion.hpp"
#include "runtime/fabric/tcp/context.hpp"
#include "runtime/fabric/tcp/interfaces.hpp"
#include "runtime/network/blocks.hpp"
#include "runtime/network/card_bytes.hpp"
#include "runtime/network/channel_over.hpp"
#include "runtime/network/direct_choice.hpp"
#include "runtime/network/first_contact.hpp"
#include "runtime/ring/mix.hpp"

namespace rb2::network {
namespace {

using fabric::tcp::CardAddresses;
using fabric::tcp::Context;
using fabric::tcp::Endpoint;

/// The bytes of a frame land front to back, so a record is announced by itself: one frame per message.
using Ring =
    ring::Mix<ring::head::LazyPush, ring::tail::PollMessage, ring::batching::None, ring::placement::Mirrored>;

/// What a rank tells a peer with the connection. Wire format: docs/wire.md.
struct Invitation {
    static constexpr std::uint32_t kVersion = 1;
    std::uint32_t version = kVersion;
    std::uint32_t slots = 0;  ///< of the rings between the two
    fabric::Key block = 0;    ///< of the memory the rank keeps for the peer; 0: it has none left
};
static_assert(sizeof(Invitation) <= sizeof(fabric::tcp::Greeting));

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
        [[nodiscard]] fabric::Key key(std::size_t) const noexcept override { return 0; }
        [[nodiscard]] Place place() const noexcept override { return {}; }
    };
    class Registered final : public Pin {
      public:
        explicit Registered(Endpoint::Region region) noexcept : region_(std::move(region)) {}
        [[nodiscard]] fabric::Key key(std::size_t) const noexcept override { return region_.key(); }
        [[nodiscard]] Place place() const noexcept override {
            return {region_.remote().address, {region_.remote().key}};
        }

      private:
        Endpoint::Region region_;
    };

    Endpoint& endpoint_;
};

using Clock = fabric::tcp::Clock;

/// Of a spare network that has met nobody.
constexpr std::uint32_t kRoundsPerKnock = 64;

/// Everything about one peer that was met.
struct Line {
    Line(Endpoint& to, const ring::Parameters& ring, std::uint64_t direct_from)
        : endpoint(to),
          blocks(ring, 1),
          region(to.register_memory(blocks.block(0))),
          registrar(to),
          channel(endpoint, registrar,
                  {.own = blocks.block(0).data(),
                   .own_layout = blocks.layout(),
                   .own_key = region.key(),
                   .peer = {}},
                  ring, ring, DirectParameters{.from = direct_from, .follow_from = kFollowFromOfTcp}) {}

    Endpoint& endpoint;
    Blocks blocks;
    Endpoint::Region region;
    TcpRegistrar registrar;
    ChannelOver<Ring, Endpoint> channel;
    bool calls = false;                                   ///< this side's call is not decided yet
    Clock::time_point ask_at = Clock::time_point::max();  ///< when to call though there is nothing to send
    std::string fault;                                    ///< why the peer that answered cannot be talked to
};

class TcpNetwork final : public Network {
  public:
    explicit TcpNetwork(const Options& options)
        : options_(options),
          filter_(options.choices.tcp_include, options.choices.tcp_exclude),
          listening_(fabric::tcp::choose_listening(interfaces_, filter_, primary_)),
          context_(context_options()) {}

    std::string_view name() const noexcept override { return "tcp"; }
    bool on_demand() const noexcept override { return true; }
    std::vector<std::byte> card() const override;
    void reach(std::uint32_t rank) override;
    bool called() const noexcept override { return !callers_.empty(); }
    std::vector<std::uint32_t> take_callers() override { return std::exchange(callers_, {}); }
    Channel& channel(std::uint32_t rank) noexcept override { return line(rank).channel; }

    int poll() noexcept override;
    int descriptor() const noexcept override { return context_.wait_fd(); }
    std::chrono::microseconds longest_sleep() const noexcept override {
        return std::chrono::microseconds::max();
    }
    bool arm() noexcept override {
        rounds_ = kRoundsPerKnock - 1;  // the next poll() looks
        return context_.prepare_wait() != 0;
    }
    /// A look is a system call itself.
    std::chrono::nanoseconds spin() const noexcept override { return {}; }
    bool quiet() noexcept override { return context_.unsent() == 0; }
    std::string describe(std::uint32_t rank) const override;
    void expect_end(std::uint32_t rank) noexcept override { line(rank).channel.expect_end(); }

  private:
    fabric::tcp::Options context_options();
    std::vector<fabric::tcp::Target> targets(std::uint32_t rank, std::string& why) const;
    fabric::tcp::Greeting greet(std::uint32_t rank) noexcept;
    Line& meet(std::uint32_t rank);
    /// Of an unopened line; whether it is to be looked at no longer.
    bool settle(Line& line);
    void open(Line& line, const fabric::tcp::Greeting& greeting);
    [[nodiscard]] Line& line(std::uint32_t rank) const noexcept { return *lines_.find(rank)->second; }

    Options options_;
    fabric::tcp::Filter filter_;
    std::vector<fabric::tcp::Interface> interfaces_ = fabric::tcp::own_interfaces();
    fabric::tcp::IpAddress primary_ = fabric::tcp::primary_address();
    std::vector<fabric::tcp::Interface> listening_;
    Context context_;
    std::map<std::uint32_t, std::unique_ptr<Line>> lines_;  // of those met
    std::vector<Line*> unopened_;
    std::vector<std::uint32_t> callers_;
    std::uint32_t rounds_ = 0;  // of a spare one that has met nobody
};

fabric::tcp::Options TcpNetwork::context_options() {
    fabric::tcp::Options options;
    options.rank = options_.rank;
    options.secret = options_.secret;
    options.driven = true;
    options.congestion = fabric::tcp::choose_congestion(options_.choices.tcp_congestion);
    for (const fabric::tcp::Interface& interface : listening_)
        options.listen_on.push_back({interface.address, 0});
    options.find_peer = [this](std::uint32_t rank, std::string& why) { return targets(rank, why); };
    options.greet = [this](std::uint32_t rank) { return greet(rank); };
    options.notice = [](std::string_view text) { fmt::print(stderr, "{}\n", text); };
    return options;
}

std::vector<std::byte> TcpNetwork::card() const {
    std::vector<std::byte> bytes;
    append(bytes, fabric::tcp::card_addresses(listening_, context_.addresses(), primary_));
    return bytes;
}

/// Asked when the rank is called: only then its card is fetched.
std::vector<fabric::tcp::Target> TcpNetwork::targets(std::uint32_t rank, std::string& why) const {
    try {
        const Peer peer = options_.find_peer(rank);
        std::span<const std::byte> bytes = peer.card;
        const auto addresses = take<CardAddresses>(bytes);
        auto route = fabric::tcp::choose_route(interfaces_, filter_, addresses, peer.same_stack,
                                               fabric::tcp::source_towards);
        why = std::move(route.left_out);
        return std::move(route.targets);
    } catch (const std::exception& error) {
        why = error.what();
        return {};
    }
}

/// Also how this rank learns of one that calls.
fabric::tcp::Greeting TcpNetwork::greet(std::uint32_t rank) noexcept {
    Invitation invitation{.slots = static_cast<std::uint32_t>(options_.ring.slots)};
    try {
        if (rank < options_.ranks) {
            const bool new_here = !lines_.contains(rank);
            invitation.block = meet(rank).region.key();
            if (new_here) callers_.push_back(rank);
        }
    } catch (const std::exception&) {
        // The peer's to tell: it wants the connection.
    }
    fabric::tcp::Greeting greeting{};
    std::memcpy(greeting.data(), &invitation, sizeof invitation);
    return greeting;
}

Line& TcpNetwork::meet(std::uint32_t rank) {
    if (const auto known = lines_.find(rank); known != lines_.end()) return *known->second;
    const std::uint64_t direct = choose_direct_of_tcp(options_.choices.direct_bytes).from;
    auto line = std::make_unique<Line>(context_.endpoint(rank), options_.ring, direct);
    unopened_.push_back(line.get());
    return *(lines_[rank] = std::move(line));
}

void TcpNetwork::reach(std::uint32_t rank) { meet(rank).ask_at = Clock::now() + kAskAfter; }

int TcpNetwork::poll() noexcept {
    // To ask is a system call, while another network may be waited for.
    if (options_.spare && lines_.empty() && ++rounds_ % kRoundsPerKnock != 0) return 0;
    const bool any = context_.progress();
    if (unopened_.empty() && callers_.empty()) [[likely]]
        return any ? 1 : 0;
    const auto settled = std::erase_if(unopened_, [this](Line* line) { return settle(*line); });
    return any || settled != 0 || !callers_.empty() ? 1 : 0;
}

bool TcpNetwork::settle(Line& line) {
    if (const auto* const greeting = line.endpoint.greeting()) {
        open(line, *greeting);
        return true;
    }
    if (!line.calls && (line.channel.wanted() || Clock::now() >= line.ask_at)) {
        line.calls = true;
        line.ask_at = Clock::time_point::max();
        line.endpoint.call();
    }
    if (line.endpoint.contacting()) return false;
    // A call for a message fails with it. One that only asks for a sign of life does not: the peer may yet
    // call.
    line.calls = false;
    const bool lost = line.endpoint.status() == Status::peer_lost || line.channel.wanted();
    if (lost) line.channel.fail();
    return lost;
}

void TcpNetwork::open(Line& line, const fabric::tcp::Greeting& greeting) {
    Invitation theirs;
    std::memcpy(&theirs, greeting.data(), sizeof theirs);
    if (theirs.block == 0)
        line.fault = "it has no memory left for the rings between the two";
    else if (theirs.version != Invitation::kVersion || theirs.slots != options_.ring.slots)
        line.fault = fmt::format("it makes rings of {} slots, this rank of {}: do both run the same rb2?",
                                 theirs.slots, options_.ring.slots);
    if (line.fault.empty())
        line.channel.open_to({0, theirs.block});
    else
        line.channel.fail();
}

std::string TcpNetwork::describe(std::uint32_t rank) const {
    const Line& to = line(rank);
    if (!to.fault.empty()) return fmt::format("tcp, {}: {}", to.endpoint.address().text(), to.fault);
    if (!to.endpoint.cause().empty()) return fmt::format("tcp: {}", to.endpoint.cause());
    if (!to.endpoint.connected()) return "tcp, not connected";
    return fmt::format("tcp, {}", to.endpoint.address().text());
}

}  // namespace

std::unique_ptr<Network> make_tcp_network(const Options& options) {
    return std::make_unique<TcpNetwork>(options);
}

}  // namespace rb2::network
