#include "runtime/network/verbs_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "runtime/fabric/verbs/device.hpp"
#include "runtime/fabric/verbs/endpoint.hpp"
#include "runtime/memory/critical_size/critical_size.hpp"
#include "runtime/memory/registration/cache.hpp"
#include "runtime/network/blocks.hpp"
#include "runtime/network/card_bytes.hpp"
#include "runtime/network/channel_over.hpp"
#include "runtime/network/direct_choice.hpp"

namespace rb2::network {
namespace {

namespace registration = memory::registration;
using fabric::verbs::Device;
using fabric::verbs::Endpoint;

/// A round trip of a small message between two hosts, on cards and, nearly, on soft-RoCE
/// (docs/benchmarks.md).
constexpr std::chrono::microseconds kAnswer{100};
/// A peer that is many messages ahead writes without an immediate, which nothing here tells of (README).
constexpr std::chrono::milliseconds kLongestSleep{10};
/// Peers from which nothing is heard are asked whether they are still there.
constexpr std::chrono::seconds kProbeEvery{1};
constexpr std::uint32_t kRoundsPerLook = 256;  ///< of progress, before the clock is looked at

/// Card: for each peer (rank ascending) what it needs to connect, one for each queue pair; the memory named
/// there is its ring block.
struct PeerCard {
    std::uint64_t rank;
    fabric::verbs::Card card;
};

/// What the cache registers with.
class DeviceRegistrar final : public registration::Registrar {
  public:
    explicit DeviceRegistrar(Device& device) noexcept : device_(device) {}

    Status add(std::span<const std::byte> memory, registration::Access access,
               registration::Registration& out) noexcept override {
        using fabric::verbs::Access;
        // Only sources may lie in memory that this process may not write.
        auto* data = const_cast<std::byte*>(memory.data());
        const bool source = access == registration::Access::local_read;
        fabric::verbs::Registration made;
        const Status status =
            device_.try_register({data, memory.size()}, source ? Access::source : Access::all, made);
        if (status == Status::ok) out = {made.local_key, made.remote_key, made.region};
        return status;
    }

    void remove(const registration::Registration& gone) noexcept override {
        device_.deregister({.region = static_cast<ibv_mr*>(gone.handle),
                            .local_key = gone.local_key,
                            .remote_key = gone.remote_key,
                            .bytes = {}});
    }

  private:
    Device& device_;
};

/// Where nobody has measured this host and device yet, it is done now.
std::uint64_t direct_from(Device& device, const Choices& choices, bool kept) {
    namespace size = memory::critical_size;
    size::Result measured;
    if (choices.direct_bytes == 0) {
        DeviceRegistrar registrar(device);
        const std::string identity = size::device_identity(device.name(), device.attributes().fw_ver);
        measured = size::critical_size(registrar, identity);
    }
    return choose_direct(choices.direct_bytes, kept, measured).from;
}

/// One for all peers: what is registered is so for the whole device.
class CachedRegistrar final : public Registrar {
  public:
    CachedRegistrar(Device& device, const registration::Options& options)
        : registrar_(device), cache_(registrar_, options) {}

    [[nodiscard]] bool keeps() const noexcept { return cache_.keeps(); }

    std::unique_ptr<Pin> pin(std::span<const std::byte> memory, Access access) noexcept override {
        constexpr auto peer_writes = registration::Access::local_write | registration::Access::remote_write;
        registration::Lease lease;
        const auto wanted = access == Access::own_reads ? registration::Access::local_read : peer_writes;
        if (cache_.acquire(memory, wanted, lease) != Status::ok) return nullptr;
        auto* pin = new (std::nothrow) Leased(std::move(lease), memory);
        return std::unique_ptr<Pin>(pin);
    }

  private:
    class Leased final : public Pin {
      public:
        Leased(registration::Lease lease, std::span<const std::byte> memory) noexcept
            : lease_(std::move(lease)), address_(reinterpret_cast<std::uintptr_t>(memory.data())) {}
        [[nodiscard]] fabric::Key key() const noexcept override { return lease_.local_key(); }
        [[nodiscard]] fabric::Remote remote() const noexcept override {
            return {address_, lease_.remote_key()};
        }

      private:
        registration::Lease lease_;
        std::uint64_t address_;
    };

    DeviceRegistrar registrar_;
    registration::Cache cache_;
};

/// All blocks that may be in flight, and no immediates.
constexpr fabric::verbs::EndpointOptions kStripe{.requests = 2 * kMostInFlight, .receives = 4};

struct Line {
    Line(fabric::verbs::CompletionQueue& queue, int queue_pairs, std::span<std::byte> own_block)
        : endpoint(queue), block(own_block) {
        while (static_cast<int>(stripes.size()) + 1 < queue_pairs)
            stripes.push_back(std::make_unique<Endpoint>(queue, kStripe));
    }

    [[nodiscard]] bool settle() {
        return std::all_of(stripes.begin(), stripes.end(), [](auto& stripe) { return stripe->settle(); }) &&
               endpoint.settle();
    }
    /// Of the first queue pair that has one.
    [[nodiscard]] std::string failure() const {
        std::string text = endpoint.failure();
        for (const auto& stripe : stripes)
            if (text.empty()) text = stripe->failure();
        return text;
    }

    Endpoint endpoint;
    std::vector<std::unique_ptr<Endpoint>> stripes;  ///< further queue pairs, for large writes only
    std::span<std::byte> block;
    std::optional<ChannelOver<ring::mix::Rb2Immediate, Endpoint>> channel;
};

class VerbsNetwork final : public Network {
  public:
    explicit VerbsNetwork(const Options& options)
        : options_(options),
          blocks_(options.ring, options.peers.size()),
          device_(options.choices.verbs),
          queue_(device_),
          region_(device_.register_memory(blocks_.all())),
          registrar_(device_, options.choices.registration),
          direct_from_(direct_from(device_, options.choices, registrar_.keeps())) {
        for (std::size_t i = 0; i < options_.peers.size(); ++i)
            lines_.emplace(
                options_.peers[i],
                std::make_unique<Line>(queue_, options_.choices.verbs.queue_pairs, blocks_.block(i)));
    }

    std::string_view name() const noexcept override { return "verbs"; }
    /// A queue pair needs the number of the peer's, so both must take part.
    bool on_demand() const noexcept override { return false; }
    std::vector<std::byte> card() const override;
    void connect(std::span<const Peer> peers) override;
    Channel& channel(std::uint32_t rank) noexcept override { return *line(rank).channel; }

    int poll() noexcept override {
        if (++rounds_ % kRoundsPerLook == 0) [[unlikely]]
            probe_if_due();
        return queue_.dispatch() != 0 ? 1 : 0;
    }
    int descriptor() const noexcept override { return queue_.descriptor(); }
    bool arm() noexcept override { return queue_.arm(); }
    std::chrono::microseconds longest_sleep() const noexcept override { return kLongestSleep; }
    std::chrono::nanoseconds spin() const noexcept override { return kAnswer; }
    bool quiet() noexcept override {
        return std::all_of(lines_.begin(), lines_.end(),
                           [](const auto& entry) { return entry.second->settle(); });
    }
    std::string describe(std::uint32_t rank) const override;
    void expect_end(std::uint32_t rank) noexcept override { line(rank).channel->expect_end(); }

  private:
    void meet(const Peer& peer);
    [[nodiscard]] std::vector<fabric::verbs::Card> cards_for_me(std::span<const std::byte> bytes) const;
    void probe_if_due() noexcept;
    [[nodiscard]] Line& line(std::uint32_t rank) const noexcept { return *lines_.find(rank)->second; }

    Options options_;
    Blocks blocks_;
    Device device_;
    fabric::verbs::CompletionQueue queue_;
    fabric::verbs::Region region_;
    CachedRegistrar registrar_;
    std::uint64_t direct_from_;
    std::map<std::uint32_t, std::unique_ptr<Line>> lines_;
    std::uint32_t rounds_ = 0;
    std::chrono::steady_clock::time_point next_probe_{};
};

/// Who only waits for a message would not notice that the peer, or its host, is gone.
void VerbsNetwork::probe_if_due() noexcept {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_probe_) return;
    next_probe_ = now + kProbeEvery;
    for (const auto& [rank, line] : lines_) line->endpoint.probe();
}

std::vector<std::byte> VerbsNetwork::card() const {
    std::vector<std::byte> bytes;
    for (const auto& [rank, line] : lines_) {
        const auto offset = static_cast<std::uint64_t>(line->block.data() - blocks_.all().data());
        append(bytes, PeerCard{rank, line->endpoint.card(region_.remote() + offset)});
        for (const auto& stripe : line->stripes) append(bytes, PeerCard{rank, stripe->card()});
    }
    return bytes;
}

void VerbsNetwork::connect(std::span<const Peer> peers) {
    for (const Peer& peer : peers) {
        try {
            meet(peer);
        } catch (const StartupError& error) {
            throw StartupError(
                fmt::format("rank {} cannot reach rank {} on {} by verbs: {}; RB2_FABRICS=shm,tcp "
                            "does without RDMA",
                            options_.rank, peer.rank, peer.host, error.what()));
        }
    }
}

/// What the peer published for this rank, a card for each of its queue pairs.
std::vector<fabric::verbs::Card> VerbsNetwork::cards_for_me(std::span<const std::byte> bytes) const {
    std::vector<fabric::verbs::Card> cards;
    while (!bytes.empty()) {
        const auto entry = take<PeerCard>(bytes);
        if (entry.rank == options_.rank) cards.push_back(entry.card);
    }
    return cards;
}

void VerbsNetwork::meet(const Peer& peer) {
    const auto cards = cards_for_me(peer.card);
    if (cards.empty()) throw StartupError("verbs: it published nothing for this rank");
    Line& to = line(peer.rank);
    to.endpoint.connect(cards.front());
    // Where the peer has fewer queue pairs, the rest is of no use.
    std::vector<Endpoint*> stripes;
    for (std::size_t i = 1; i < cards.size() && i <= to.stripes.size(); ++i) {
        to.stripes[i - 1]->connect(cards[i]);
        stripes.push_back(to.stripes[i - 1].get());
    }
    const ring::BlockPair blocks{
        .own = to.block.data(), .own_layout = blocks_.layout(), .own_key = region_.key(), .peer = {}};
    to.channel.emplace(to.endpoint, registrar_, blocks, options_.ring, options_.ring,
                       DirectParameters{.from = direct_from_}, std::move(stripes));
    to.channel->open_to(cards.front().memory);
}

std::string VerbsNetwork::describe(std::uint32_t rank) const {
    const Line& to = line(rank);
    const std::string failure = to.failure();
    return fmt::format("verbs: {}", failure.empty() ? to.endpoint.describe() : failure);
}

}  // namespace

bool verbs_available() noexcept {
    int count = 0;
    ibv_device** list = ::ibv_get_device_list(&count);
    if (list == nullptr) return false;
    ::ibv_free_device_list(list);
    return count > 0;
}

std::unique_ptr<Network> make_verbs_network(const Options& options) {
    return std::make_unique<VerbsNetwork>(options);
}

}  // namespace rb2::network
