// Which fabric serves whom: of the own node at start, of other nodes at first contact; and the networks.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/mesh/fabric_report.hpp"
#include "runtime/mesh/mesh.hpp"

namespace rb2::mesh {
namespace {

[[noreturn]] void throw_no_fabric(const bootstrap::Card& own, const bootstrap::Card& peer) {
    const bool shared = bootstrap::shares_memory(own, peer);
    throw StartupError(fmt::format(
        "rank {} on {} (fabrics: {}) and rank {} on {} (fabrics: {}) have no fabric in common{}; look at "
        "RB2_FABRICS on both hosts",
        own.rank, bootstrap::host_name(own), network::names(network::FabricSet(own.fabrics)), peer.rank,
        bootstrap::host_name(peer), network::names(network::FabricSet(peer.fabrics)),
        shared ? "" : " (shm needs one node of the launcher and one /dev/shm)"));
}

network::Peer peer_of(const bootstrap::Card& own, const bootstrap::Card& peer, bootstrap::Bytes published) {
    return {peer.rank, bootstrap::host_name(peer), bootstrap::same_network_stack(own.host, peer.host),
            std::move(published)};
}

/// What a rank publishes for a network.
const char* card_key(network::Fabric fabric) {
    return fabric == network::Fabric::tcp ? "rb2.tcp" : "rb2.verbs";
}

}  // namespace

/// With the ranks of this node. Of the others rank 0 alone is looked at: what cannot work is mostly known by
/// it, and is told at start then.
void Mesh::choose_fabrics() {
    const auto choose = [this](const bootstrap::Card& other) {
        if (other.rank == rank_) return network::Fabric::shm;
        const auto fabric = fabric_between(cards_->own(), other);
        if (!fabric) throw_no_fabric(cards_->own(), other);
        return *fabric;
    };
    static_cast<void>(choose(cards_->first()));
    for (const bootstrap::Card& other : local_cards()) {
        fabrics_[other.rank] = choose(other);
        if (shares_memory(other.rank)) neighbours_.push_back(other.rank);
    }
}

/// Whether any two ranks of the job need a network: all can tell that from the cards, or from there being
/// other nodes.
bool Mesh::needs_networks() const {
    const auto cards = local_cards();
    return several_nodes() || !std::all_of(cards.begin(), cards.end(), [&](const bootstrap::Card& other) {
               return &other == &cards.front() ||
                      fabric_between(cards.front(), other) == network::Fabric::shm;
           });
}

/// Ranks of this node.
std::vector<std::uint32_t> Mesh::peers_over(network::Fabric fabric) const {
    std::vector<std::uint32_t> peers;
    for (const bootstrap::Card& other : local_cards()) {
        if (other.rank != rank_ && fabrics_[other.rank] == fabric) peers.push_back(other.rank);
    }
    return peers;
}

/// Whether verbs meets its peers at first contact: all ranks know, from the same card.
bool Mesh::verbs_on_demand() const noexcept {
    const std::uint64_t pair = 2 * network_ring_bytes();  // a ring and the mirror of the peer's
    return several_nodes() || (ranks() - 1) * pair > std::uint64_t{cards_->first().mesh_kib} << 10;
}

void Mesh::make_networks(bootstrap::Session& session, const MeshOptions& options) {
    networked_ = needs_networks();
    if (!networked_) return;
    network::Options wanted{.rank = rank_,
                            .ranks = session.size(),
                            .on_demand = verbs_on_demand(),
                            .peers = peers_over(network::Fabric::verbs),
                            .ring = ring::Parameters::messaging(network_ring_slots()),
                            .secret = cards_->first().secret,
                            .find_peer = {},
                            .choices = options.networks};
    const auto cards = local_cards();
    const bool verbs = std::any_of(cards.begin(), cards.end(), [](const bootstrap::Card& any) {
        return network::FabricSet(any.fabrics).has(network::Fabric::verbs);
    });
    if (wanted.on_demand) {
        make_on_demand(session, network::Fabric::verbs, wanted);
    } else if (verbs) {
        if (!wanted.peers.empty())
            networks_[network::Fabric::verbs] = network::make_network(network::Fabric::verbs, wanted);
        connect_verbs(session, wanted.peers);
    }
    wanted.on_demand = true;
    make_on_demand(session, network::Fabric::tcp, wanted);
}

/// A rank of another node may want it, too, and nobody knows before it calls.
bool Mesh::needs(network::Fabric fabric) const {
    const network::FabricSet own(cards_->own().fabrics);
    return !peers_over(fabric).empty() || (several_nodes() && own.has(fabric));
}

/// A network whose peers are met at first contact, if there may be any.
void Mesh::make_on_demand(bootstrap::Session& session, network::Fabric fabric, network::Options wanted) {
    if (!needs(fabric)) return;
    wanted.peers.clear();
    wanted.spare = peers_over(fabric).empty() && !networks_.empty();
    wanted.find_peer = [&session, fabric, &cards = *cards_](std::uint32_t rank) {
        return peer_of(cards.own(), cards.meet(rank), session.fetch(card_key(fabric), rank));
    };
    try {
        networks_[fabric] = network::make_network(fabric, wanted);
    } catch (const StartupError&) {
        networks_.erase(fabric);
        if (!wanted.spare) throw;
    }
}

/// Collective, also for ranks without peers over verbs.
void Mesh::connect_verbs(bootstrap::Session& session, std::span<const std::uint32_t> ranks) {
    network::Network* const verbs = ranks.empty() ? nullptr : networks_[network::Fabric::verbs].get();
    const auto published = session.exchange(card_key(network::Fabric::verbs),
                                            verbs != nullptr ? verbs->card() : bootstrap::Bytes{});
    std::vector<network::Peer> peers;
    for (const std::uint32_t rank : ranks)
        peers.push_back(peer_of(cards_->own(), card(rank), published[rank]));
    if (verbs != nullptr) verbs->connect(peers);
    session.fence();  // everybody is ready for the first message
}

/// What those need who will call this rank. Behind the last fence, so that nobody carries it to those that
/// never ask for it.
void Mesh::publish(bootstrap::Session& session) const {
    std::vector<bootstrap::Publication> published;
    for (const auto& [fabric, network] : networks_)
        if (network->on_demand()) published.push_back({card_key(fabric), network->card()});
    if (several_nodes()) {
        bootstrap::Card card = cards_->own();
        card.fabrics = far_fabrics().bits();
        session.publish_far(card, std::move(published));
    } else if (!published.empty()) {
        session.publish(published);
    }
}

/// What serves this rank and one of another node: a spare network may have failed.
network::FabricSet Mesh::far_fabrics() const noexcept {
    constexpr auto shm = network::FabricSet().with(network::Fabric::shm);
    network::FabricSet made = network::FabricSet(cards_->own().fabrics).both(shm);
    for (const auto& [fabric, network] : networks_) made = made.with(fabric);
    return made;
}

network::Network* Mesh::network(std::uint32_t rank) const noexcept {
    if (!fabrics_[rank] || shares_memory(rank)) return nullptr;
    const auto found = networks_.find(*fabrics_[rank]);
    return found == networks_.end() ? nullptr : found->second.get();
}

network::Network& Mesh::meet(std::uint32_t rank) {
    if (!fabrics_[rank]) {
        bootstrap::Card own = cards_->own();
        own.fabrics = far_fabrics().bits();
        const bootstrap::Card& peer = cards_->meet(rank);
        fabrics_[rank] = fabric_between(own, peer);
        if (!fabrics_[rank]) throw_no_fabric(own, peer);
    }
    return *network(rank);
}

void Mesh::called_over(std::uint32_t rank, const network::Network& network) noexcept {
    for (const auto& [fabric, own] : networks_)
        if (own.get() == &network) fabrics_[rank] = fabric;
}

std::vector<bootstrap::Card> Mesh::all_cards() {
    std::vector<bootstrap::Card> cards;
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) cards.push_back(cards_->meet(rank));
    return cards;
}

bool Mesh::same_network_stack(std::uint32_t rank) const noexcept {
    const bootstrap::Card* const peer = cards_->find(rank);
    return peer != nullptr && bootstrap::same_network_stack(cards_->own().host, peer->host);
}

}  // namespace rb2::mesh
