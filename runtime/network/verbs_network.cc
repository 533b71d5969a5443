#include "runtime/network/verbs_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "runtime/network/card_bytes.hpp"
#include "runtime/network/direct_choice.hpp"
#include "runtime/network/verbs_contacts.hpp"
#include "runtime/network/verbs_registrar.hpp"

namespace rb2::network {
namespace {

/// A round trip of a small message between two hosts, on cards and, nearly, on soft-RoCE
/// (docs/experiments.md).
constexpr std::chrono::microseconds kAnswer{100};
/// A peer that is many messages ahead writes without an immediate, which nothing here tells of (README).
constexpr std::chrono::milliseconds kLongestSleep{10};
/// Peers from which nothing is heard are asked whether they are still there.
constexpr std::chrono::seconds kProbeEvery{1};
constexpr std::uint32_t kRoundsPerLook = 256;  ///< of progress, before the clock is looked at

/// Card of a rank that connects all peers at start: this, its further rails, and for each peer (rank
/// ascending) a PeerCard and its queue pairs.
struct RankCard {
    fabric::verbs::Address address;
    std::uint32_t further;  ///< rails
    std::uint32_t pairs;    ///< of each peer
};
struct PeerCard {
    std::uint64_t rank;
    fabric::Remote memory;  ///< the ring block for it
};
static_assert(sizeof(RankCard) == 88 && sizeof(PeerCard) == 24);

DirectParameters direct_parameters(VerbsRails& rails, const Options& options, bool kept) {
    DirectParameters direct;
    const Choices& choices = options.choices;
    const std::uint64_t ring_bytes = options.ring.slots * ring::kLineBytes;
    direct.from = direct_from(rails.device(0), choices, kept);
    direct.reused_from = reused_from(choices.direct_bytes, eager_window(choices.eager_bytes, ring_bytes));
    direct.depth *= static_cast<std::uint32_t>(rails.count());
    return direct;
}

/// A head costs a WRITE and its acknowledgement: it is told after three eighths of a lap, not a quarter. Half
/// a lap would leave no room for records of a quarter of the ring, which is what callers are promised.
Options telling_heads_seldom(Options options) {
    options.ring.gamma = options.ring.slots * 3 / 8;
    return options;
}

class VerbsNetwork final : public Network {
  public:
    explicit VerbsNetwork(const Options& options)
        : options_(telling_heads_seldom(options)),
          rails_(options.choices.verbs),
          registrar_(rails_, options.choices.registration),
          direct_(direct_parameters(rails_, options, registrar_.keeps())) {
        rails_.drive();
        if (options_.on_demand) {
            contacts_.emplace(options_, rails_.queue(0), lines_, [this] { return make_line(); });
            return;
        }
        for (const std::uint32_t rank : options_.peers) lines_.emplace(rank, make_line());
    }
    VerbsNetwork(const VerbsNetwork&) = delete;
    VerbsNetwork& operator=(const VerbsNetwork&) = delete;
    ~VerbsNetwork() override { tell_of_failures(); }

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
            look_after_lines_if_due();
        const bool any = rails_.dispatch();
        const bool met = contacts_ && contacts_->poll();
        return any || met ? 1 : 0;
    }
    int descriptor() const noexcept override { return rails_.descriptor(); }
    bool arm() noexcept override { return rails_.arm(); }
    std::chrono::microseconds longest_sleep() const noexcept override { return kLongestSleep; }
    std::chrono::nanoseconds spin() const noexcept override { return kAnswer; }
    bool quiet() noexcept override {
        return std::all_of(lines_.begin(), lines_.end(),
                           [](const auto& entry) { return entry.second->settle(); });
    }
    std::string describe(std::uint32_t rank) const override;
    void expect_end(std::uint32_t rank) noexcept override { line(rank).channel.expect_end(); }

  private:
    [[nodiscard]] std::unique_ptr<VerbsLine> make_line() {
        return std::make_unique<VerbsLine>(rails_, registrar_, options_.ring, pairs_per_rail(), direct_);
    }
    [[nodiscard]] std::size_t pairs_per_rail() const noexcept {
        return std::min<std::size_t>(options_.choices.verbs.queue_pairs,
                                     LineCard::kMostPairs / rails_.count());
    }
    void meet(const Peer& peer);
    [[nodiscard]] LineCard card_for_me(std::span<const std::byte> bytes) const;
    void look_after_lines_if_due() noexcept;
    void tell_of_failures() noexcept;
    [[nodiscard]] VerbsLine& line(std::uint32_t rank) const noexcept { return *lines_.find(rank)->second; }

    Options options_;
    VerbsRails rails_;
    VerbsRegistrar registrar_;
    DirectParameters direct_;
    VerbsContacts::Lines lines_;             // on demand: of those met
    std::optional<VerbsContacts> contacts_;  // on demand only
    std::uint32_t rounds_ = 0;
    std::chrono::steady_clock::time_point next_look_{};
};

/// Who only waits for a message would not notice that the peer, or its host, is gone.
void VerbsNetwork::look_after_lines_if_due() noexcept {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_look_) return;
    next_look_ = now + kProbeEvery;
    for (const auto& [rank, line] : lines_) {
        // One that has not connected yet would seem dead.
        if (line->channel.open()) line->probe();
    }
    tell_of_failures();
}

/// The job goes on, only slower: somebody may want to know.
void VerbsNetwork::tell_of_failures() noexcept {
    for (const auto& [rank, line] : lines_)
        if (const std::string why = line->new_failure(); !why.empty())
            fmt::print(stderr,
                       "rb2: rank {} writes to rank {} over one connection less, its long messages take the "
                       "others: {}\n",
                       options_.rank, rank, why);
}

std::vector<std::byte> VerbsNetwork::card() const {
    std::vector<std::byte> bytes;
    if (contacts_) append(bytes, contacts_->mailbox());
    if (contacts_ || lines_.empty()) return bytes;
    const LineCard any = lines_.begin()->second->card();
    append(bytes, RankCard{any.address, static_cast<std::uint32_t>(any.further.size()),
                           static_cast<std::uint32_t>(any.pairs.size())});
    for (const RailAddress& rail : any.further) append(bytes, rail);
    for (const auto& [rank, line] : lines_) {
        const LineCard card = line->card();
        append(bytes, PeerCard{rank, card.memory});
        for (const LineCard::Pair& pair : card.pairs) append(bytes, pair);
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

/// What the peer published for this rank. Throws StartupError where there is nothing.
LineCard VerbsNetwork::card_for_me(std::span<const std::byte> bytes) const {
    const auto rank_card = take<RankCard>(bytes);
    LineCard card{.address = rank_card.address};
    for (std::uint32_t i = 0; i < rank_card.further; ++i) card.further.push_back(take<RailAddress>(bytes));
    card.pairs.resize(rank_card.pairs);
    while (!bytes.empty()) {
        const auto peer = take<PeerCard>(bytes);
        card.memory = peer.memory;
        for (LineCard::Pair& pair : card.pairs) pair = take<LineCard::Pair>(bytes);
        if (peer.rank == options_.rank) return card;
    }
    throw StartupError("verbs: it published nothing for this rank");
}

void VerbsNetwork::meet(const Peer& peer) {
    line(peer.rank).connect(card_for_me(peer.card));
    line(peer.rank).open();
}

std::string VerbsNetwork::describe(std::uint32_t rank) const {
    const VerbsLine& to = line(rank);
    if (!to.fault.empty()) return fmt::format("verbs, {}: {}", to.describe(), to.fault);
    const std::string failure = to.failure();
    return fmt::format("verbs: {}", failure.empty() ? to.describe() : failure);
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
