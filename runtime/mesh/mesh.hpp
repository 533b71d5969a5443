#pragma once
// The full mesh of a job: which fabric serves each pair of ranks; for those that share memory the own
// segment, the peers' segments, and where the rings lie in them; for the others the networks, connected.
//
// Segment of rank r:  control block | block for neighbour 0 | block for neighbour 1 | ...
// with one ring::BlockLayout block for every other rank that shares memory with it, in rank order.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/bootstrap/session.hpp"
#include "runtime/memory/segment.hpp"
#include "runtime/mesh/control_block.hpp"
#include "runtime/network/fabrics.hpp"
#include "runtime/ring/layout.hpp"
#include "runtime/topology/ring_plan.hpp"

namespace rb2::mesh {

struct MeshOptions {
    std::uint32_t ring_slots = 0;  ///< slots per ring; 0: from topology and memory (topology::plan_rings)
    bool huge_pages = false;
    network::FabricSet fabrics = network::FabricSet::all();  ///< those that may be used
    network::Choices networks;
};

/// Owns the segments of this rank's view of the job. Move-only.
class Mesh {
  public:
    /// Collective. Exchanges cards, chooses fabrics, creates the own segment (smaller rings when the file
    /// system is nearly full), attaches all neighbours and connects the networks. Throws StartupError, also
    /// when two ranks have no fabric in common.
    [[nodiscard]] static Mesh build(bootstrap::Session& session, const MeshOptions& options);

    [[nodiscard]] const std::vector<bootstrap::Card>& cards() const noexcept { return cards_; }
    [[nodiscard]] const topology::RingPlan& plan() const noexcept { return plan_; }
    [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }

    [[nodiscard]] ControlBlock& own_control() const noexcept { return control_of(own_); }
    [[nodiscard]] ControlBlock& control(std::uint32_t rank) const noexcept {
        return control_of(segments_[rank]);
    }

    /// What serves the pair of this rank and `rank`, which is another one.
    [[nodiscard]] network::Fabric fabric(std::uint32_t rank) const noexcept { return fabrics_[rank]; }
    /// The network that reaches the rank; null for a neighbour.
    [[nodiscard]] network::Network* network(std::uint32_t rank) const noexcept;
    /// Ranks that share memory with this one, itself included, ascending.
    [[nodiscard]] const std::vector<std::uint32_t>& neighbours() const noexcept { return neighbours_; }

    /// The whole segment of this rank, and of a neighbour as mapped here.
    [[nodiscard]] std::span<std::byte> own_window() const noexcept { return own_.span(); }
    [[nodiscard]] std::span<std::byte> window(std::uint32_t rank) const noexcept {
        return segments_[rank].span();
    }

    /// Offset of the block that `owner` keeps for `peer`, in owner's segment, and its layout.
    [[nodiscard]] std::size_t block_offset(std::uint32_t owner, std::uint32_t peer) const noexcept;
    [[nodiscard]] ring::BlockLayout layout(std::uint32_t owner) const noexcept;

    /// Whether this rank must share its CPUs with others of the job (topology::crowded).
    [[nodiscard]] bool crowded() const;

    /// True once every neighbour has mapped the own segment; until then it must not go away.
    [[nodiscard]] bool all_attached() const noexcept;

  private:
    Mesh() = default;
    void choose_fabrics();
    void plan_own_rings(const MeshOptions& options);
    void create_own(const MeshOptions& options);
    void connect_networks(bootstrap::Session& session, const MeshOptions& options);
    void attach(std::uint32_t rank);
    static ControlBlock& control_of(const memory::Segment& segment) noexcept {
        return *reinterpret_cast<ControlBlock*>(segment.data());
    }

    std::uint32_t rank_ = 0;
    std::vector<bootstrap::Card> cards_;
    topology::RingPlan plan_;
    std::vector<network::Fabric> fabrics_;  // by rank; of the own one meaningless
    std::vector<std::uint32_t> neighbours_;
    memory::Segment own_;
    std::vector<memory::Segment> segments_;  // by rank; empty but for the other neighbours
    std::map<network::Fabric, std::unique_ptr<network::Network>> networks_;
};

}  // namespace rb2::mesh
