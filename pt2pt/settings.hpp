#pragma once
// What a user may set from outside, one table: environment variable, unit, default. docs/tuning.md explains
// when.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "runtime/network/fabrics.hpp"

namespace rb2::mesh {
struct MeshOptions;
}

namespace rb2::pt2pt {

struct Settings {
    std::uint32_t ring_slots = 0;         ///< RB2_RING_SLOTS: slots of 64 B per ring; 0: from the topology
    std::uint64_t mesh_bytes = 2U << 20;  ///< RB2_MESH_BYTES: a rank's rings, made at start if not larger
    std::uint64_t chunk_bytes = 0;  ///< RB2_CHUNK_BYTES: piece of a pipelined message; 0: from the ring size
    std::uint64_t eager_bytes = 0;  ///< RB2_EAGER_BYTES: bytes sent before the receiver answers; 0: likewise
    std::optional<std::uint64_t>
        single_copy_bytes;  ///< RB2_SINGLE_COPY_BYTES: longer ones may be read by the receiver
    std::uint64_t unexpected_bytes = 16U << 20;  ///< RB2_UNEXPECTED_BYTES: kept per peer before back-pressure
    bool huge_pages = false;                     ///< RB2_HUGE_PAGES: 1 asks for huge pages for the rings
    bool short_slices = true;                    ///< RB2_SHORT_SLICES: 0 leaves the scheduler's as they are
    bool report_start = false;                   ///< RB2_REPORT_START: 1 prints a line per rank at the end
    bool report_fabrics = false;                 ///< RB2_REPORT_FABRICS: 1 has rank 0 print who uses what
    network::FabricSet fabrics = network::FabricSet::all();  ///< RB2_FABRICS: those that may be used
    network::Choices networks;  ///< RB2_TCP_..., RB2_VERBS_..., RB2_REGISTRATION_CACHE..., RB2_DIRECT_BYTES

    /// Reads the environment. Throws StartupError naming the variable, its value and the allowed range.
    static Settings from_environment();
    /// What the mesh is built with.
    [[nodiscard]] mesh::MeshOptions mesh_options() const;
};

/// For help texts and docs: name, unit, default, meaning.
struct SettingInfo {
    std::string_view variable;
    std::string_view unit;
    std::string_view fallback;
    std::string_view meaning;
};
[[nodiscard]] std::span<const SettingInfo> setting_table() noexcept;

}  // namespace rb2::pt2pt
