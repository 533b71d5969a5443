#pragma once
// How large the incoming rings of a rank are: a pure function of who its peers are and how much memory there
// is.

#include <array>
#include <cstdint>
#include <string>
#include <variant>

#include "runtime/topology/placement.hpp"

namespace rb2::topology {

/// What one rank knows when it sizes its own incoming rings.
struct RingPlanInput {
    /// Number of peers at each Locality (index = the enum's value). Only shared_cache … same_host count: a
    /// remote peer has no ring in the shared segment, and a rank has no ring to itself.
    std::array<std::uint32_t, kLocalityCount> peers{};
    std::uint32_t local_ranks = 1;              ///< ranks on this node, the caller included
    std::uint64_t node_budget_bytes = 0;        ///< for all segments of the node together
    std::uint32_t slot_bytes = 64;              ///< whole cache lines, a power of two
    std::uint32_t ring_header_bytes = 512;      ///< pointers and padding per ring
    std::uint32_t segment_header_bytes = 4096;  ///< control block per segment
    std::uint32_t forced_slots = 0;  ///< non-zero: the user's own choice, rounded up to a power of two
};

/// The answer. All rings of one rank are equal.
struct RingPlan {
    std::uint32_t slots = 0;  ///< slots per incoming ring, a power of two
    std::uint32_t slot_bytes = 0;
    std::uint32_t chunk_bytes =
        0;  ///< piece of a large message copied per publish; whole slots, at most a quarter ring
    std::uint32_t credit_slots =
        0;  ///< lazy push: free slots are reported back once this many have piled up (γ·N)
    std::uint32_t eager_bytes = 0;  ///< largest message sent without asking, at most a quarter ring
    std::uint64_t rank_bytes = 0;   ///< segment of one rank: header and all incoming rings
    std::uint64_t node_bytes = 0;   ///< local_ranks segments of that size

    [[nodiscard]] std::uint64_t ring_bytes() const noexcept { return std::uint64_t{slots} * slot_bytes; }
};

/// Even the smallest rings do not fit.
struct BudgetTooSmall {
    std::uint64_t needed_bytes = 0;  ///< for the node, with rings of kMinSlots slots (or the forced number)
    std::uint64_t budget_bytes = 0;
    std::uint32_t local_ranks = 0;

    [[nodiscard]] std::string message() const;  ///< names need, have and what to try
};

inline constexpr std::uint32_t kMinSlots = 64;

/// Pure: same input, same answer; no system call, no exception. How: ring_plan.cc.
[[nodiscard]] std::variant<RingPlan, BudgetTooSmall> plan_rings(const RingPlanInput& input) noexcept;

/// For rings made at first contact: sized so that even if every peer is met they take no more than
/// `mesh_bytes` of each rank, nor the node's budget, but not below kMinSlots. Always an answer: most peers
/// are never met.
[[nodiscard]] RingPlan plan_on_demand(const RingPlanInput& input, std::uint64_t mesh_bytes) noexcept;

/// Bytes of shared memory that all segments of this node together may take: a fixed part of the smaller of
/// RAM and the free space of the shared-memory file system.
[[nodiscard]] std::uint64_t node_memory_budget(std::uint64_t ram_bytes,
                                               std::uint64_t shm_free_bytes) noexcept;

/// node_memory_budget() of this machine and /dev/shm.
[[nodiscard]] std::uint64_t this_node_memory_budget();

}  // namespace rb2::topology
