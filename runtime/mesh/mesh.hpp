#pragma once
// The mesh of a job: which fabric serves each pair of ranks; for those that share memory where the rings lie;
// for the others the networks.
//
// What serves ranks of the launcher's own node is settled at start, for them their cards are here. A rank of
// another node is met at first contact: who calls it fetches its card and settles it then, who is called is
// told by the network that brought the call. Both come to the same, for both look at the same two cards.
//
// While rings for every pair of a node's ranks fit the mesh budget, all are made at start. Then each rank has
// a segment of its own, and all neighbours map it:
//   control block | memory for collectives | block for neighbour 0 | block for neighbour 1 | ...
// with one ring::BlockLayout block for every other rank that shares memory with it, in rank order.
//
// Beyond the budget rings are made at first contact, in the node's one sparse segment (node_segment.hpp): the
// rank that wants to send reach()es the other, which finds it among its callers. Neither waits for the other,
// and both may do so at the same time.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/bootstrap/session.hpp"
#include "runtime/memory/segment.hpp"
#include "runtime/mesh/card_table.hpp"
#include "runtime/mesh/control_block.hpp"
#include "runtime/mesh/node_segment.hpp"
#include "runtime/network/fabrics.hpp"
#include "runtime/ring/layout.hpp"
#include "runtime/topology/ring_plan.hpp"

namespace rb2::mesh {

struct MeshOptions {
    std::uint32_t ring_slots = 0;  ///< slots per ring; 0: from topology and memory (topology::plan_rings)
    std::uint64_t mesh_bytes = 0;  ///< shared memory of one rank, up to which all rings are made at start
    /// Memory for collectives in each segment, whole pages (collective_memory()), and the most ranks of a job
    /// that has it.
    std::uint64_t collective_bytes = 0;
    std::uint32_t collective_ranks = 0;
    bool huge_pages = false;
    network::FabricSet fabrics = network::FabricSet::all();  ///< those that may be used
    network::Choices networks;
};

/// What the parts of build() took.
struct StartTimes {
    std::chrono::microseconds cards{};  ///< a fence included, as in `rings`
    std::chrono::microseconds rings{};
    std::chrono::microseconds networks{};
};

/// Owns the segments of this rank's view of the job. Move-only.
class Mesh {
  public:
    /// Collective. Exchanges cards, chooses fabrics, creates the own segment (smaller rings when the file
    /// system is nearly full), attaches all neighbours and makes the networks. Throws StartupError, also
    /// when two ranks of the node, or this one and rank 0, have no fabric in common. `session` outlives the
    /// mesh.
    [[nodiscard]] static Mesh build(bootstrap::Session& session, const MeshOptions& options);

    /// Of the job.
    [[nodiscard]] std::uint32_t ranks() const noexcept { return static_cast<std::uint32_t>(fabrics_.size()); }
    /// Of the launcher's node, in rank order.
    [[nodiscard]] std::span<const bootstrap::Card> local_cards() const noexcept { return cards_->local(); }
    /// Of a rank of the launcher's node.
    [[nodiscard]] const bootstrap::Card& card(std::uint32_t rank) const noexcept {
        return *cards_->find(rank);
    }
    /// Of all ranks, in rank order; fetches those that are not here, so no rank may leave the job meanwhile.
    [[nodiscard]] std::vector<bootstrap::Card> all_cards();
    /// For people.
    [[nodiscard]] const char* host_name(std::uint32_t rank) const { return cards_->host_name(rank); }
    /// As far as this rank knows: it need not know the card of a rank of another node that has called.
    [[nodiscard]] bool same_network_stack(std::uint32_t rank) const noexcept;
    [[nodiscard]] const topology::RingPlan& plan() const noexcept { return plan_; }
    [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }

    [[nodiscard]] ControlBlock& own_control() const noexcept { return control(rank_); }
    /// Of this rank or a neighbour.
    [[nodiscard]] ControlBlock& control(std::uint32_t rank) const noexcept;

    /// Whether the rank is this one or a neighbour.
    [[nodiscard]] bool shares_memory(std::uint32_t rank) const noexcept {
        return fabrics_[rank] == network::Fabric::shm;
    }
    /// The network that reaches the rank; null for a neighbour, and for a rank of another node that was not
    /// met.
    [[nodiscard]] network::Network* network(std::uint32_t rank) const noexcept;
    /// The network that reaches a rank other than neighbours; settles that if it is not, which may wait for
    /// the rank's card. Throws StartupError when the two have no fabric in common or the card does not fit.
    network::Network& meet(std::uint32_t rank);
    /// The rank has called over one of networks(): that serves the two.
    void called_over(std::uint32_t rank, const network::Network& network) noexcept;
    /// Those of this rank.
    [[nodiscard]] const std::map<network::Fabric, std::unique_ptr<network::Network>>& networks()
        const noexcept {
        return networks_;
    }
    /// Whether any two ranks of the job need a network; all ranks know.
    [[nodiscard]] bool networked() const noexcept { return networked_; }
    /// Of every ring over a network.
    [[nodiscard]] std::uint64_t network_ring_bytes() const noexcept {
        return network_ring_slots() * ring::kLineBytes;
    }
    /// Ranks that share memory with this one, itself included, ascending.
    [[nodiscard]] const std::vector<std::uint32_t>& neighbours() const noexcept { return neighbours_; }

    /// Memory and layout of the block that `owner` keeps for `peer`; one of them is this rank, the other a
    /// neighbour. Where rings are made on demand, only after reach() or among the callers.
    [[nodiscard]] std::span<std::byte> block(std::uint32_t owner, std::uint32_t peer) const noexcept;
    [[nodiscard]] ring::BlockLayout layout(std::uint32_t owner) const noexcept;
    /// Memory of a neighbour, or of this rank, for collectives; zeroed at first. Empty for all ranks unless
    /// they are few, share their CPUs (bootstrap::crowded()) and memory, and rings are made at start.
    [[nodiscard]] std::span<std::byte> collective_memory(std::uint32_t rank) const noexcept;

    /// Whether rings between neighbours are made at first contact.
    [[nodiscard]] bool on_demand() const noexcept { return static_cast<bool>(node_); }
    /// Makes the rings with a neighbour and calls it. False: no shared memory left. Does not ring its
    /// doorbell.
    [[nodiscard]] bool reach(std::uint32_t rank) noexcept;
    /// Neighbours that have made rings with this one, since the last call: each to `meet(rank)`. One that
    /// this rank has reached itself may be among them.
    template <class Meet>
    void take_callers(Meet&& meet) {
        own_control().callers.take(static_cast<std::uint32_t>(neighbours_.size()),
                                   [&](std::uint32_t place) { meet(neighbours_[place]); });
    }

    [[nodiscard]] const StartTimes& start_times() const noexcept { return times_; }
    /// Shared memory that rings and control blocks take at this moment: of the own segment, or of the node's.
    [[nodiscard]] std::size_t shared_bytes() const noexcept {
        return node_ ? node_.taken_bytes() : own_.bytes();
    }

    /// Whether this rank must share its CPUs with others of the job on its node (topology::crowded).
    [[nodiscard]] bool crowded() const;
    /// Whether the ranks of the job do (bootstrap::crowded()), which all its ranks answer alike; no job of
    /// several nodes.
    [[nodiscard]] bool job_crowded() const;

    /// The longest network::Network::spin() of those in use.
    [[nodiscard]] std::chrono::nanoseconds network_spin() const noexcept;

    /// True once every neighbour has mapped the own segment; until then it must not go away.
    [[nodiscard]] bool all_attached() const noexcept;
    /// True once every neighbour is at its end (Phase::finalizing).
    [[nodiscard]] bool all_finalizing() const noexcept;

  private:
    Mesh() = default;
    [[nodiscard]] bool several_nodes() const noexcept { return local_cards().size() < ranks(); }
    void choose_fabrics();
    /// Whether the node's rings are to be made on demand.
    [[nodiscard]] bool plan_rings();
    void share_node(bootstrap::Session& session);
    void make_all_rings(bootstrap::Session& session, const MeshOptions& options);
    void create_own(const MeshOptions& options);
    [[nodiscard]] std::size_t segment_bytes(std::uint64_t slots) const noexcept;
    void make_networks(bootstrap::Session& session, const MeshOptions& options);
    [[nodiscard]] bool needs(network::Fabric fabric) const;
    void make_on_demand(bootstrap::Session& session, network::Fabric fabric, network::Options wanted);
    void publish(bootstrap::Session& session) const;
    [[nodiscard]] network::FabricSet far_fabrics() const noexcept;
    [[nodiscard]] bool verbs_on_demand() const noexcept;
    void connect_verbs(bootstrap::Session& session, std::span<const std::uint32_t> ranks);
    [[nodiscard]] bool needs_networks() const;
    [[nodiscard]] std::vector<std::uint32_t> peers_over(network::Fabric fabric) const;
    [[nodiscard]] std::uint64_t network_ring_slots() const noexcept {
        return network::network_ring_slots(ranks());
    }
    void attach(std::uint32_t rank);
    void fetch_rings() const;
    /// The first rank of the node; what it says of the node holds for all neighbours.
    [[nodiscard]] const bootstrap::Card& leader() const noexcept { return card(neighbours_.front()); }
    [[nodiscard]] std::uint32_t place(std::uint32_t rank) const noexcept;
    [[nodiscard]] int numa_node() const noexcept;
    static ControlBlock& control_of(const memory::Segment& segment) noexcept {
        return *reinterpret_cast<ControlBlock*>(segment.data());
    }

    std::uint32_t rank_ = 0;
    std::unique_ptr<CardTable> cards_;
    topology::RingPlan plan_;
    std::vector<std::optional<network::Fabric>> fabrics_;  // by rank; of the own one shm
    std::vector<std::uint32_t> neighbours_;
    std::size_t collective_bytes_ = 0;  // of each segment
    NodeSegment node_;                  // rings on demand; else these two:
    memory::Segment own_;
    std::vector<memory::Segment> segments_;  // by place; that of the own one empty
    std::map<network::Fabric, std::unique_ptr<network::Network>> networks_;
    bool networked_ = false;
    StartTimes times_;
};

}  // namespace rb2::mesh
