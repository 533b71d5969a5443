#include "runtime/mesh/mesh.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <optional>
#include <variant>

#include "runtime/topology/cpu_set.hpp"
#include "runtime/topology/placement.hpp"
#include "runtime/topology/usable_cpus.hpp"

namespace rb2::mesh {
namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kSlotBytes = ring::kLineBytes;

std::size_t segment_bytes(std::uint64_t slots, std::uint32_t peers) {
    return ControlBlock::kBytes + peers * ring::BlockLayout{slots}.bytes();
}

std::optional<network::Fabric> fabric_between(const bootstrap::Card& a, const bootstrap::Card& b) {
    return network::choose(network::FabricSet(a.fabrics), network::FabricSet(b.fabrics),
                           bootstrap::same_shared_memory(a.host, b.host));
}

[[noreturn]] void throw_no_fabric(const bootstrap::Card& own, const bootstrap::Card& peer) {
    const bool shared = bootstrap::same_shared_memory(own.host, peer.host);
    throw StartupError(fmt::format(
        "rank {} on {} (fabrics: {}) and rank {} on {} (fabrics: {}) have no fabric in common{}; look at "
        "RB2_FABRICS on both hosts",
        own.rank, bootstrap::host_name(own), network::names(network::FabricSet(own.fabrics)), peer.rank,
        bootstrap::host_name(peer), network::names(network::FabricSet(peer.fabrics)),
        shared ? "" : " (shm needs one host and one /dev/shm)"));
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

/// What a rank publishes for its networks: each one's number and card, one behind the other.
bootstrap::Bytes packed(const std::map<network::Fabric, std::unique_ptr<network::Network>>& networks) {
    bootstrap::Bytes bytes;
    const auto append = [&bytes](std::span<const std::byte> more) {
        bytes.insert(bytes.end(), more.begin(), more.end());
    };
    for (const auto& [fabric, network] : networks) {
        const bootstrap::Bytes card = network->card();
        const std::array<std::uint32_t, 2> head{static_cast<std::uint32_t>(fabric),
                                                static_cast<std::uint32_t>(card.size())};
        append(std::as_bytes(std::span(head)));
        append(card);
    }
    return bytes;
}

/// The part of `bytes` that is about `fabric`; empty when there is none.
std::span<const std::byte> unpacked(std::span<const std::byte> bytes, network::Fabric fabric) {
    std::array<std::uint32_t, 2> head{};
    while (bytes.size() >= sizeof head) {
        std::memcpy(head.data(), bytes.data(), sizeof head);
        bytes = bytes.subspan(sizeof head);
        if (head[1] > bytes.size()) break;
        if (head[0] == static_cast<std::uint32_t>(fabric)) return bytes.first(head[1]);
        bytes = bytes.subspan(head[1]);
    }
    return {};
}

}  // namespace

Mesh Mesh::build(bootstrap::Session& session, const MeshOptions& options) {
    Mesh mesh;
    mesh.rank_ = session.rank();
    bootstrap::Card card = bootstrap::make_card(mesh.rank_);
    bootstrap::set_segment_name(card, memory::segment_name(getuid(), session.job_nonce(), mesh.rank_));
    card.fabrics = usable_fabrics(mesh.rank_, options.fabrics).bits();
    mesh.cards_ = session.exchange(card);
    mesh.choose_fabrics();
    mesh.plan_own_rings(options);
    mesh.create_own(options);
    mesh.segments_.resize(session.size());
    session.fence();  // every segment exists
    for (const std::uint32_t rank : mesh.neighbours_) {
        if (rank != mesh.rank_) mesh.attach(rank);
    }
    mesh.connect_networks(session, options);
    return mesh;
}

void Mesh::choose_fabrics() {
    for (const bootstrap::Card& card : cards_) {
        if (card.rank == rank_) {
            fabrics_.push_back(network::Fabric::shm);
            neighbours_.push_back(rank_);
            continue;
        }
        const auto fabric = fabric_between(cards_[rank_], card);
        if (!fabric) throw_no_fabric(cards_[rank_], card);
        fabrics_.push_back(*fabric);
        if (*fabric == network::Fabric::shm) neighbours_.push_back(card.rank);
    }
}

/// Collective over the job if any two ranks need a network: all can tell that from the cards.
void Mesh::connect_networks(bootstrap::Session& session, const MeshOptions& options) {
    const bool shared = std::all_of(cards_.begin(), cards_.end(), [this](const bootstrap::Card& card) {
        return card.rank == 0 || fabric_between(cards_[0], card) == network::Fabric::shm;
    });
    if (shared) return;
    std::map<network::Fabric, std::vector<std::uint32_t>> reached;
    for (const bootstrap::Card& card : cards_) {
        if (network::Fabric fabric = fabrics_[card.rank];
            card.rank != rank_ && fabric != network::Fabric::shm)
            reached[fabric].push_back(card.rank);
    }
    for (const auto& [fabric, peers] : reached) {
        const auto slots = network::network_ring_slots(peers.size());
        networks_[fabric] = network::make_network(fabric, {.rank = rank_,
                                                           .peers = peers,
                                                           .ring = ring::Parameters::messaging(slots),
                                                           .secret = cards_[0].secret,
                                                           .choices = options.networks});
    }
    const auto published = session.exchange("rb2.networks", packed(networks_));
    for (const auto& [fabric, network] : networks_) {
        std::vector<network::Peer> peers;
        for (const std::uint32_t rank : reached[fabric])
            peers.push_back({rank, bootstrap::host_name(cards_[rank]),
                             bootstrap::same_network_stack(cards_[rank_].host, cards_[rank].host),
                             unpacked(published[rank], fabric)});
        network->connect(peers);
    }
    session.fence();  // everybody is ready for the first message
}

network::Network* Mesh::network(std::uint32_t rank) const noexcept {
    const auto found = rank == rank_ ? networks_.end() : networks_.find(fabrics_[rank]);
    return found == networks_.end() ? nullptr : found->second.get();
}

void Mesh::plan_own_rings(const MeshOptions& options) {
    topology::RingPlanInput input;
    for (const std::uint32_t rank : neighbours_) {
        if (rank != rank_)
            ++input.peers[static_cast<std::size_t>(bootstrap::locality(cards_[rank_], cards_[rank]))];
    }
    input.local_ranks = static_cast<std::uint32_t>(neighbours_.size());
    input.node_budget_bytes = topology::this_node_memory_budget();
    input.slot_bytes = kSlotBytes;
    input.ring_header_bytes = ring::BlockLayout::kSlots;
    input.segment_header_bytes = ControlBlock::kBytes;
    input.forced_slots = options.ring_slots;
    const auto planned = topology::plan_rings(input);
    if (const auto* problem = std::get_if<topology::BudgetTooSmall>(&planned))
        throw StartupError(problem->message());
    plan_ = std::get<topology::RingPlan>(planned);
}

/// The budget is shared by ranks that start at the same time, so it can still run out: then smaller rings do.
void Mesh::create_own(const MeshOptions& options) {
    const std::string name = bootstrap::segment_name(cards_[rank_]);
    const auto peers = static_cast<std::uint32_t>(neighbours_.size() - 1);
    const int node = cards_[rank_].placement.numa_node == topology::Placement::kSpans
                         ? -1
                         : static_cast<int>(cards_[rank_].placement.numa_node);
    for (;;) {
        try {
            own_ =
                memory::Segment::create(name, segment_bytes(plan_.slots, peers), {node, options.huge_pages});
            break;
        } catch (const memory::NoSpace&) {
            if (plan_.slots / 2 < topology::kMinSlots || options.ring_slots != 0) throw;
            plan_.slots /= 2;
        }
    }
    auto* control = new (own_.data()) ControlBlock{};
    control->magic = ControlBlock::kMagic;
    control->version = kVersion;
    control->rank = rank_;
    control->ring_slots = plan_.slots;
    control->slot_bytes = plan_.slot_bytes;
    control->segment_bytes = own_.bytes();
    control->phase.store(Phase::running, std::memory_order_release);
    if (peers == 0) memory::Segment::unlink_by_name(name);  // nobody else will
}

void Mesh::attach(std::uint32_t rank) {
    const std::string name = bootstrap::segment_name(cards_[rank]);
    segments_[rank] = memory::Segment::attach(name);
    ControlBlock& control = this->control(rank);
    const auto peers = static_cast<std::uint32_t>(neighbours_.size() - 1);
    const bool sound = segments_[rank].bytes() >= ControlBlock::kBytes &&
                       control.magic == ControlBlock::kMagic && control.version == kVersion &&
                       control.rank == rank && control.slot_bytes == kSlotBytes &&
                       segments_[rank].bytes() == segment_bytes(control.ring_slots, peers);
    if (!sound) {
        throw StartupError(
            fmt::format("segment /dev/shm/{} of rank {} on {} is not what this version makes; do all "
                        "ranks run the same rb2?",
                        name, rank, bootstrap::host_name(cards_[rank])));
    }
    // The last to come takes the name away: from here nothing is left behind however the job ends.
    if (control.attached.fetch_add(1, std::memory_order_acq_rel) + 1 == peers)
        memory::Segment::unlink_by_name(name);
}

std::size_t Mesh::block_offset(std::uint32_t owner, std::uint32_t peer) const noexcept {
    // Both are among the neighbours, and every neighbour has the same ones.
    const auto place = std::lower_bound(neighbours_.begin(), neighbours_.end(), peer) - neighbours_.begin();
    const std::size_t index = static_cast<std::size_t>(place) - (peer < owner ? 0 : 1);
    return ControlBlock::kBytes + index * layout(owner).bytes();
}

ring::BlockLayout Mesh::layout(std::uint32_t owner) const noexcept {
    return {owner == rank_ ? own_control().ring_slots : control(owner).ring_slots};
}

bool Mesh::crowded() const {
    std::vector<topology::CpuSet> masks;
    std::size_t own = 0;
    for (const bootstrap::Card& card : cards_) {
        if (card.host.boot_id != cards_[rank_].host.boot_id) continue;
        if (card.rank == rank_) own = masks.size();
        // A process id means something only in its own pid namespace, and a short-lived rank may have ended
        // while this one was still starting: both count as confined to our CPUs.
        std::optional<topology::CpuSet> mask;
        if (bootstrap::same_process_space(card.host, cards_[rank_].host))
            mask = topology::CpuSet::of_process(card.pid);
        masks.push_back(mask ? *std::move(mask) : topology::CpuSet::of_this_thread());
    }
    return topology::crowded(masks, own, topology::this_quota());
}

bool Mesh::all_attached() const noexcept {
    return own_control().attached.load(std::memory_order_acquire) + 1 >= neighbours_.size();
}

}  // namespace rb2::mesh
