#pragma once
// First page of a rank's segment, written by its owner except where noted. A wire format between processes of
// one host: docs/wire.md.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/fabric/shm/halves_board.hpp"
#include "runtime/mesh/callers.hpp"
#include "runtime/wait/doorbell.hpp"

namespace rb2::mesh {

/// How far a rank has come; only grows.
enum class Phase : std::uint32_t { starting = 0, running = 1, finalizing = 2 };

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): fields of different writers keep to their lines
struct ControlBlock {
    static constexpr std::uint64_t kMagic = 0x3167'6573'2d32'6272;  // "rb2-seg1", little-endian
    static constexpr std::size_t kBytes = 4096;                     ///< blocks for the peers follow
    static constexpr std::uint32_t kVersion = 4;

    std::uint64_t magic;
    std::uint32_t version;
    std::uint32_t rank;
    std::uint32_t ring_slots;  ///< slots of each ring in this segment
    std::uint32_t slot_bytes;
    std::uint64_t segment_bytes;
    std::atomic<Phase> phase;
    alignas(128) std::atomic<std::uint32_t> attached;  ///< peers that have mapped this segment; they count up
    alignas(64) fabric::shm::HalvesBoard halves;       ///< the owner asks, peers take and finish
    wait::Doorbell doorbell;                           ///< peers ring it, the owner arms it
    Callers callers;                                   ///< used where rings are made at first contact
};
static_assert(offsetof(ControlBlock, ring_slots) == 16 && offsetof(ControlBlock, phase) == 32);
static_assert(offsetof(ControlBlock, attached) == 128 && offsetof(ControlBlock, halves) == 192);
static_assert(offsetof(ControlBlock, doorbell) == 256 && offsetof(ControlBlock, callers) == 384);
static_assert(sizeof(ControlBlock) <= ControlBlock::kBytes);

}  // namespace rb2::mesh
