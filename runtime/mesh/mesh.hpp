#pragma once
// The full mesh of one host: own segment, peers' segments, and where the rings lie in them.
//
// Segment of rank r:  control block | block for local peer 0 | block for local peer 1 | ...
// with one ring::BlockLayout block for every other local rank, in rank order.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/bootstrap/session.hpp"
#include "runtime/memory/segment.hpp"
#include "runtime/mesh/control_block.hpp"
#include "runtime/ring/layout.hpp"
#include "runtime/topology/ring_plan.hpp"

namespace rb2::mesh {

struct MeshOptions {
    std::uint32_t ring_slots = 0;  ///< slots per ring; 0: from topology and memory (topology::plan_rings)
    bool huge_pages = false;
};

/// Owns the segments of this rank's view of the job. Move-only.
class Mesh {
  public:
    /// Collective. Exchanges cards, creates the own segment (smaller rings when the file system is nearly
    /// full), attaches all peers. Throws StartupError, also when two ranks of the job share no memory.
    [[nodiscard]] static Mesh build(bootstrap::Session& session, const MeshOptions& options);

    [[nodiscard]] const std::vector<bootstrap::Card>& cards() const noexcept { return cards_; }
    [[nodiscard]] const topology::RingPlan& plan() const noexcept { return plan_; }
    [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }

    [[nodiscard]] ControlBlock& own_control() const noexcept { return control_of(own_); }
    [[nodiscard]] ControlBlock& control(std::uint32_t rank) const noexcept {
        return control_of(segments_[rank]);
    }

    /// The whole segment of this rank, and of a peer as mapped here.
    [[nodiscard]] std::span<std::byte> own_window() const noexcept { return own_.span(); }
    [[nodiscard]] std::span<std::byte> window(std::uint32_t rank) const noexcept {
        return segments_[rank].span();
    }

    /// Offset of the block that `owner` keeps for `peer`, in owner's segment, and its layout.
    [[nodiscard]] std::size_t block_offset(std::uint32_t owner, std::uint32_t peer) const noexcept;
    [[nodiscard]] ring::BlockLayout layout(std::uint32_t owner) const noexcept;

    /// Whether this rank must share its CPUs with others of the job (topology::crowded).
    [[nodiscard]] bool crowded() const;

    /// True once every peer has mapped the own segment; until then it must not go away.
    [[nodiscard]] bool all_attached() const noexcept;

  private:
    Mesh() = default;
    void plan_own_rings(const bootstrap::Session& session, const MeshOptions& options);
    void create_own(const bootstrap::Session& session, const MeshOptions& options);
    void attach(std::uint32_t rank);
    static ControlBlock& control_of(const memory::Segment& segment) noexcept {
        return *reinterpret_cast<ControlBlock*>(segment.data());
    }

    std::uint32_t rank_ = 0;
    std::vector<bootstrap::Card> cards_;
    topology::RingPlan plan_;
    memory::Segment own_;
    std::vector<memory::Segment> segments_;  // by rank; the own entry is empty
};

}  // namespace rb2::mesh
