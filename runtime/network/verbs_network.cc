#include "runtime/network/verbs_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "runtime/network/card_bytes.hpp"
#include "runtime/network/verbs_contacts.hpp"
#include "runtime/network/verbs_registrar.hpp"

namespace rb2::network {
namespace {

/// A round trip of a small message between two hosts, on cards and, nearly, on soft-RoCE
/// (docs/benchmarks.md).
constexpr std::chrono::microseconds kAnswer{100};
/// A peer that is many messages ahead writes without an immediate, which nothing here tells of (README).
constexpr std::chrono::milliseconds kLongestSleep{10};
/// Peers from which nothing is heard are asked whether they are still there.
constexpr std::chrono::seconds kProbeEvery{1};
/// With few peers a round of progress may look for news at each of them. With many it looks once.
constexpr std::size_t kFewPeers = 8;
constexpr std::uint32_t kRoundsPerLook = 256;  ///< of progress, before the clock is looked at

/// Card of a rank that connects all peers at start: for each (rank ascending) what it needs to connect, one
/// for each queue pair; the memory named there is its ring block.
struct PeerCard {
    std::uint64_t rank;
    fabric::verbs::Card card;
};

/// Registered buffers pay where the receiver is asked before the message is sent in any case: from there on
/// a direct write takes no round trip more.
DirectParameters direct_parameters(fabric::verbs::Device& device, const Options& options, bool kept) {
    const std::uint64_t reused_from = options.ring.slots * ring::kLineBytes / 4 + 1;
    const bool wished = options.choices.direct_bytes != 0;
    return {.from = direct_from(device, options.choices, kept), .reused_from = wished ? kNever : reused_from};
}

class VerbsNetwork final : public Network {
  public:
    explicit VerbsNetwork(const Options& options)
        : options_(options),
          device_(options.choices.verbs),
          queue_(device_),
          registrar_(device_, options.choices.registration),
          direct_(direct_parameters(device_, options, registrar_.keeps())) {
        if (options_.on_demand) {
            contacts_.emplace(options_, queue_, lines_, [this] { return make_line(); });
            return;
        }
        for (const std::uint32_t rank : options_.peers) lines_.emplace(rank, make_line());
    }

    std::string_view name() const noexcept override { return "verbs"; }
    bool on_demand() const noexcept override { return contacts_.has_value(); }
    std::vector<std::byte> card() const override;
    void connect(std::span<const Peer> peers) override;
    void reach(std::uint32_t rank) override { contacts_->reach(rank); }
    bool called() const noexcept override { return contacts_ && contacts_->called(); }
    std::vector<std::uint32_t> take_callers() override { return contacts_->take_callers(); }
    Channel& channel(std::uint32_t rank) noexcept override { return line(rank).channel; }

    int poll() noexcept override {
        if (++rounds_ % kRoundsPerLook == 0) [[unlikely]]
            probe_if_due();
        const bool any = dispatch();
        const bool met = contacts_ && contacts_->poll();
        return any || met ? 1 : 0;
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
    void expect_end(std::uint32_t rank) noexcept override { line(rank).channel.expect_end(); }

  private:
    /// All that is there. Whether anything was.
    bool dispatch() noexcept {
        std::size_t taken = queue_.dispatch();
        const bool any = taken != 0;
        while (taken == fabric::verbs::CompletionQueue::kMostTaken) taken = queue_.dispatch();
        return any;
    }
    [[nodiscard]] std::unique_ptr<VerbsLine> make_line() {
        if (lines_.size() == kFewPeers) queue_.drive();
        return std::make_unique<VerbsLine>(queue_, registrar_, options_.ring,
                                           options_.choices.verbs.queue_pairs, direct_);
    }
    void meet(const Peer& peer);
    [[nodiscard]] std::vector<fabric::verbs::Card> cards_for_me(std::span<const std::byte> bytes) const;
    void probe_if_due() noexcept;
    [[nodiscard]] VerbsLine& line(std::uint32_t rank) const noexcept { return *lines_.find(rank)->second; }

    Options options_;
    fabric::verbs::Device device_;
    fabric::verbs::CompletionQueue queue_;
    VerbsRegistrar registrar_;
    DirectParameters direct_;
    VerbsContacts::Lines lines_;             // on demand: of those met
    std::optional<VerbsContacts> contacts_;  // on demand only
    std::uint32_t rounds_ = 0;
    std::chrono::steady_clock::time_point next_probe_{};
};

/// Who only waits for a message would not notice that the peer, or its host, is gone.
void VerbsNetwork::probe_if_due() noexcept {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_probe_) return;
    next_probe_ = now + kProbeEvery;
    for (const auto& [rank, line] : lines_) {
        // One that has not connected yet would seem dead.
        if (line->channel.open()) line->endpoint.probe();
    }
}

std::vector<std::byte> VerbsNetwork::card() const {
    std::vector<std::byte> bytes;
    if (contacts_) append(bytes, contacts_->mailbox());
    if (contacts_) return bytes;
    for (const auto& [rank, line] : lines_)
        for (const fabric::verbs::Card& card : line->cards()) append(bytes, PeerCard{rank, card});
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
    line(peer.rank).connect(cards);
    line(peer.rank).open();
}

std::string VerbsNetwork::describe(std::uint32_t rank) const {
    const VerbsLine& to = line(rank);
    if (!to.fault.empty()) return fmt::format("verbs, {}: {}", to.endpoint.describe(), to.fault);
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
