#pragma once
// Where a rank may run, reduced to five numbers that fit in its card, and the distance between two such
// places.
//
// Two ranks compare their placements instead of loading a topology each: discovering the whole machine costs
// every rank milliseconds (README.md has the measurement), the five numbers cost four small reads from /sys.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "runtime/topology/cpu_set.hpp"

namespace rb2::topology {

/// Distance between two ranks, nearest first. The order is relied upon: a larger value is farther away.
enum class Locality : std::uint8_t {
    self,
    shared_cache /* L2 or L3 */,
    same_numa,
    same_socket,
    same_host,
    remote
};
inline constexpr std::size_t kLocalityCount = 6;

[[nodiscard]] std::string_view to_string(Locality locality) noexcept;

/// The smallest shared resource of each kind that holds every CPU the rank may use, named by the lowest CPU
/// number in it (NUMA node: by its own number). kSpans: the rank may move between several of them, or
/// unknown. Standard layout and fixed width: travels inside a Card.
struct Placement {
    static constexpr std::uint32_t kSpans = 0xffffffffU;

    std::uint32_t l2 = kSpans;
    std::uint32_t l3 = kSpans;
    std::uint32_t numa_node = kSpans;
    std::uint32_t package = kSpans;
    std::uint32_t cpu_count = 0;  ///< CPUs in the rank's affinity mask

    friend bool operator==(const Placement&, const Placement&) = default;
};
static_assert(sizeof(Placement) == 20);

/// Distance between two different ranks that share memory: shared_cache, same_numa, same_socket or same_host.
[[nodiscard]] Locality locality(const Placement& a, const Placement& b) noexcept;

/// Placement of `cpus` read from `sys` (the directory /sys/devices/system, or a copy of it in a test).
/// Files that are missing leave kSpans: a wrong guess would only cost speed, so this never fails.
[[nodiscard]] Placement placement_of(const CpuSet& cpus,
                                     const std::filesystem::path& sys = "/sys/devices/system");

/// Placement of the calling thread's affinity mask.
[[nodiscard]] Placement this_placement();

}  // namespace rb2::topology
