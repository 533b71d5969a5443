#include "runtime/mesh/mesh.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <new>
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

/// A job whose ranks share no memory needs a network fabric, which this version does not have.
void check_one_host(const std::vector<bootstrap::Card>& cards, std::uint32_t rank) {
    for (const bootstrap::Card& card : cards) {
        if (bootstrap::same_shared_memory(card.host, cards[rank].host)) continue;
        throw StartupError(
            fmt::format("rank {} on {} and rank {} on {} share no memory, and shm is the only fabric of this "
                        "version; start all "
                        "ranks on one host and in one mount namespace (same /dev/shm)",
                        rank, bootstrap::host_name(cards[rank]), card.rank, bootstrap::host_name(card)));
    }
}

}  // namespace

Mesh Mesh::build(bootstrap::Session& session, const MeshOptions& options) {
    Mesh mesh;
    mesh.rank_ = session.rank();
    bootstrap::Card card = bootstrap::make_card(mesh.rank_);
    bootstrap::set_segment_name(card, memory::segment_name(getuid(), session.job_nonce(), mesh.rank_));
    mesh.cards_ = session.exchange(card);
    check_one_host(mesh.cards_, mesh.rank_);
    mesh.plan_own_rings(session, options);
    mesh.create_own(session, options);
    mesh.segments_.resize(session.size());
    session.fence();  // every segment exists
    for (std::uint32_t rank = 0; rank < session.size(); ++rank) {
        if (rank != mesh.rank_) mesh.attach(rank);
    }
    return mesh;
}

void Mesh::plan_own_rings(const bootstrap::Session& session, const MeshOptions& options) {
    topology::RingPlanInput input;
    for (const bootstrap::Card& card : cards_) {
        if (card.rank != rank_)
            ++input.peers[static_cast<std::size_t>(bootstrap::locality(cards_[rank_], card))];
    }
    input.local_ranks = session.size();
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
void Mesh::create_own(const bootstrap::Session& session, const MeshOptions& options) {
    const std::string name = bootstrap::segment_name(cards_[rank_]);
    const auto peers = session.size() - 1;
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
}

void Mesh::attach(std::uint32_t rank) {
    const std::string name = bootstrap::segment_name(cards_[rank]);
    segments_[rank] = memory::Segment::attach(name);
    ControlBlock& control = this->control(rank);
    const auto peers = static_cast<std::uint32_t>(cards_.size() - 1);
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
    const std::uint32_t index = peer < owner ? peer : peer - 1;
    return ControlBlock::kBytes + index * layout(owner).bytes();
}

ring::BlockLayout Mesh::layout(std::uint32_t owner) const noexcept {
    return {owner == rank_ ? own_control().ring_slots : control(owner).ring_slots};
}

bool Mesh::crowded() const {
    std::vector<topology::CpuSet> masks;
    for (const bootstrap::Card& card : cards_) {
        // A process id means something only in its own pid namespace; strangers count as confined to our
        // CPUs.
        const bool known = bootstrap::same_process_space(card.host, cards_[rank_].host);
        masks.push_back(topology::CpuSet::of_process(known ? card.pid : 0));
    }
    return topology::crowded(masks, rank_, topology::this_quota());
}

bool Mesh::all_attached() const noexcept {
    return own_control().attached.load(std::memory_order_acquire) + 1 >= cards_.size();
}

}  // namespace rb2::mesh
