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
    // Ranks that share a CPU would push each other's rings out.
    if (!bootstrap::crowded(local_cards())) fetch_rings();
}

/// Both ends fetch every line of a ring, so that its first lap is like the later ones (docs/experiments.md).
void Mesh::fetch_rings() const {
    for (const std::uint32_t rank : neighbours_) {
        if (rank == rank_) continue;
        memory::touch(block(rank, rank_));
        memory::touch(block(rank_, rank));
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
    const std::span<std::byte> own = block(rank, rank_);
    segment.prefault(static_cast<std::size_t>(own.data() - segment.data()), own.size());
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
