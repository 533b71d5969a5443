#include "runtime/mesh/mesh.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <optional>
#include <utility>
#include <variant>

#include "runtime/mesh/attach_of.hpp"
#include "runtime/mesh/fabric_report.hpp"
#include "runtime/topology/cpu_set.hpp"
#include "runtime/topology/placement.hpp"
#include "runtime/topology/usable_cpus.hpp"

namespace rb2::mesh {
namespace {

constexpr std::uint32_t kSlotBytes = ring::kLineBytes;
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint32_t>::max();

class Stopwatch {
  public:
    std::chrono::microseconds lap() {
        const auto before = std::exchange(since_, std::chrono::steady_clock::now());
        return std::chrono::duration_cast<std::chrono::microseconds>(since_ - before);
    }

  private:
    std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

[[noreturn]] void throw_no_fabric(const bootstrap::Card& own, const bootstrap::Card& peer) {
    const bool shared = bootstrap::shares_memory(own, peer);
    throw StartupError(fmt::format(
        "rank {} on {} (fabrics: {}) and rank {} on {} (fabrics: {}) have no fabric in common{}; look at "
        "RB2_FABRICS on both hosts",
        own.rank, bootstrap::host_name(own), network::names(network::FabricSet(own.fabrics)), peer.rank,
        bootstrap::host_name(peer), network::names(network::FabricSet(peer.fabrics)),
        shared ? "" : " (shm needs one node of the launcher and one /dev/shm)"));
}

network::FabricSet usable_fabrics(std::uint32_t rank, network::FabricSet wanted) {
    const network::FabricSet usable = network::usable(wanted);
    if (usable.bits() == 0) {
        throw StartupError(
            fmt::format("rank {}: of the fabrics in RB2_FABRICS ({}) none can be used here: verbs needs "
                        "an RDMA device (is one listed in /sys/class/infiniband?) and an rb2 built "
                        "with libibverbs; add tcp",
                        rank, network::names(wanted)));
    }
    return usable;
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

Mesh Mesh::build(bootstrap::Session& session, const MeshOptions& options) {
    Mesh mesh;
    mesh.rank_ = session.rank();
    bootstrap::Card card = bootstrap::make_card(mesh.rank_);
    bootstrap::set_segment_name(card, memory::segment_name(getuid(), session.job_nonce(), mesh.rank_));
    card.node = session.local_ranks().front();
    card.fabrics = usable_fabrics(mesh.rank_, options.fabrics).bits();
    card.ring_slots = options.ring_slots;
    card.mesh_kib = static_cast<std::uint32_t>(std::min(options.mesh_bytes >> 10, kNoLimit));
    card.node_budget_bytes = topology::this_node_memory_budget();
    Stopwatch watch;
    mesh.cards_ = std::make_unique<CardTable>(session);
    mesh.cards_->exchange(card);
    mesh.fabrics_.resize(session.size());
    mesh.choose_fabrics();
    mesh.times_.cards = watch.lap();
    mesh.plan_rings() ? mesh.share_node(session) : mesh.make_all_rings(session, options);
    mesh.cards_->settled();
    mesh.times_.rings = watch.lap();
    mesh.make_networks(session, options);
    mesh.publish(session);
    mesh.times_.networks = watch.lap();
    return mesh;
}

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

/// All neighbours come to the same answer: they ask the same cards.
bool Mesh::plan_rings() {
    topology::RingPlanInput input;
    for (const std::uint32_t rank : neighbours_) {
        if (rank != rank_)
            ++input.peers[static_cast<std::size_t>(bootstrap::locality(card(rank_), card(rank)))];
    }
    input.local_ranks = static_cast<std::uint32_t>(neighbours_.size());
    input.node_budget_bytes = leader().node_budget_bytes;
    input.slot_bytes = kSlotBytes;
    input.ring_header_bytes = ring::BlockLayout::kSlots;
    input.segment_header_bytes = ControlBlock::kBytes;
    input.forced_slots = leader().ring_slots;
    const std::uint64_t mesh_bytes = std::uint64_t{leader().mesh_kib} << 10;
    const auto all = topology::plan_rings(input);
    const auto* const plan = std::get_if<topology::RingPlan>(&all);
    if (plan == nullptr && input.forced_slots != 0)
        throw StartupError(std::get<topology::BudgetTooSmall>(all).message());
    const bool on_demand = plan == nullptr || (plan->rank_bytes > mesh_bytes && input.local_ranks > 1);
    plan_ = on_demand ? topology::plan_on_demand(input, mesh_bytes) : *plan;
    return on_demand;
}

/// The leader makes the segment, the others attach it.
void Mesh::share_node(bootstrap::Session& session) {
    const std::string name = bootstrap::segment_name(leader());
    const auto places = static_cast<std::uint32_t>(neighbours_.size());
    const bool leads = leader().rank == rank_;
    if (leads) node_ = NodeSegment::create(name, {places, plan_.slots});
    session.fence();  // it exists
    if (!leads) {
        node_ = attach_of(leader(), [&] { return NodeSegment::attach(name, places); });
        if (node_.control(0).attached.fetch_add(1, std::memory_order_acq_rel) + 2 == places)
            memory::Segment::unlink_by_name(name);
    }
    plan_.slots = node_.shape().slots;
    node_.settle(place(rank_), numa_node());
    own_control().phase.store(Phase::running, std::memory_order_release);
}

void Mesh::make_all_rings(bootstrap::Session& session, const MeshOptions& options) {
    const bool few = ranks() <= options.collective_ranks;
    if (few && !needs_networks() && job_crowded()) collective_bytes_ = options.collective_bytes;
    create_own(options);
    segments_.resize(neighbours_.size());
    session.fence();  // every segment exists
    for (const std::uint32_t rank : neighbours_) {
        if (rank != rank_) attach(rank);
    }
}

std::size_t Mesh::segment_bytes(std::uint64_t slots) const noexcept {
    return ControlBlock::kBytes + collective_bytes_ +
           (neighbours_.size() - 1) * ring::BlockLayout{slots}.bytes();
}

/// The budget is shared by ranks that start at the same time, so it can still run out: then smaller rings do.
void Mesh::create_own(const MeshOptions& options) {
    const std::string name = bootstrap::segment_name(card(rank_));
    const auto peers = static_cast<std::uint32_t>(neighbours_.size() - 1);
    for (;;) {
        try {
            own_ =
                memory::Segment::create(name, segment_bytes(plan_.slots), {numa_node(), options.huge_pages});
            break;
        } catch (const memory::NoSpace&) {
            if (plan_.slots / 2 < topology::kMinSlots || options.ring_slots != 0) throw;
            plan_.slots /= 2;
        }
    }
    auto* control = new (own_.data()) ControlBlock{};
    control->magic = ControlBlock::kMagic;
    control->version = ControlBlock::kVersion;
    control->rank = rank_;
    control->ring_slots = plan_.slots;
    control->slot_bytes = plan_.slot_bytes;
    control->segment_bytes = own_.bytes();
    control->phase.store(Phase::running, std::memory_order_release);
    if (peers == 0) memory::Segment::unlink_by_name(name);  // nobody else will
}

void Mesh::attach(std::uint32_t rank) {
    const std::string name = bootstrap::segment_name(card(rank));
    memory::Segment& segment = segments_[place(rank)];
    segment = attach_of(card(rank), [&] { return memory::Segment::attach(name); });
    ControlBlock& control = control_of(segment);
    const auto peers = static_cast<std::uint32_t>(neighbours_.size() - 1);
    const bool sound = segment.bytes() >= ControlBlock::kBytes && control.magic == ControlBlock::kMagic &&
                       control.version == ControlBlock::kVersion && control.rank == rank &&
                       control.slot_bytes == kSlotBytes &&
                       segment.bytes() == segment_bytes(control.ring_slots);
    if (!sound) {
        throw StartupError(
            fmt::format("segment /dev/shm/{} of rank {} on {} is not what this version makes; do all "
                        "ranks run the same rb2?",
                        name, rank, bootstrap::host_name(card(rank))));
    }
    // The last to come takes the name away: from here nothing is left behind however the job ends.
    if (control.attached.fetch_add(1, std::memory_order_acq_rel) + 1 == peers)
        memory::Segment::unlink_by_name(name);
}

ControlBlock& Mesh::control(std::uint32_t rank) const noexcept {
    if (on_demand()) return node_.control(place(rank));
    return control_of(rank == rank_ ? own_ : segments_[place(rank)]);
}

std::uint32_t Mesh::place(std::uint32_t rank) const noexcept {
    const auto found = std::lower_bound(neighbours_.begin(), neighbours_.end(), rank);
    return static_cast<std::uint32_t>(found - neighbours_.begin());
}

int Mesh::numa_node() const noexcept {
    const auto node = card(rank_).placement.numa_node;
    return node == topology::Placement::kSpans ? -1 : static_cast<int>(node);
}

std::span<std::byte> Mesh::block(std::uint32_t owner, std::uint32_t peer) const noexcept {
    if (on_demand()) return node_.block(place(owner), place(peer));
    // Every neighbour has the same ones, and no block for itself.
    const std::size_t index = place(peer) - (peer < owner ? 0 : 1);
    const std::size_t bytes = layout(owner).bytes();
    const memory::Segment& segment = owner == rank_ ? own_ : segments_[place(owner)];
    return segment.span().subspan(ControlBlock::kBytes + collective_bytes_ + index * bytes, bytes);
}

std::span<std::byte> Mesh::collective_memory(std::uint32_t rank) const noexcept {
    if (collective_bytes_ == 0) return {};
    return (rank == rank_ ? own_ : segments_[place(rank)])
        .span()
        .subspan(ControlBlock::kBytes, collective_bytes_);
}

ring::BlockLayout Mesh::layout(std::uint32_t owner) const noexcept { return {control(owner).ring_slots}; }

bool Mesh::reach(std::uint32_t rank) noexcept {
    if (!node_.reserve(place(rank_), place(rank))) return false;
    control(rank).callers.add(place(rank_));
    return true;
}

/// Once crowded, further ranks change nothing: on a node with many ranks few masks have to be read.
bool Mesh::crowded() const {
    const auto quota = topology::this_quota();
    std::vector<topology::CpuSet> masks{topology::CpuSet::of_this_thread()};
    for (const bootstrap::Card& other : local_cards()) {
        if (other.rank == rank_ || other.host.boot_id != card(rank_).host.boot_id) continue;
        // A process id means something only in its own pid namespace, and a short-lived rank may have ended
        // while this one was still starting: both count as confined to our CPUs.
        std::optional<topology::CpuSet> mask;
        if (bootstrap::same_process_space(other.host, card(rank_).host))
            mask = topology::CpuSet::of_process(other.pid);
        masks.push_back(mask ? *std::move(mask) : masks.front());
        if (std::has_single_bit(masks.size()) && topology::crowded(masks, 0, quota)) return true;
    }
    return topology::crowded(masks, 0, quota);
}

bool Mesh::job_crowded() const { return !several_nodes() && bootstrap::crowded(local_cards()); }

std::chrono::nanoseconds Mesh::network_spin() const noexcept {
    std::chrono::nanoseconds longest{};
    for (const auto& [fabric, network] : networks_) longest = std::max(longest, network->spin());
    return longest;
}

bool Mesh::all_attached() const noexcept {
    if (on_demand() && leader().rank != rank_) return true;
    return own_control().attached.load(std::memory_order_acquire) + 1 >= neighbours_.size();
}

bool Mesh::all_finalizing() const noexcept {
    return std::ranges::all_of(neighbours_, [this](std::uint32_t rank) {
        return control(rank).phase.load(std::memory_order_relaxed) == Phase::finalizing;
    });
}

}  // namespace rb2::mesh
