// Sizing of the incoming rings.
//
// 1. All rings into one rank together should stay in the cache its core can keep to itself, or the receiver
// reads every
//    slot from memory: ring = kIncomingBytes / (local peers + 1), rounded down to a power of two. That gives
//    64 KiB for 32 ranks, 16 KiB for 128.
// 2. Not above kLargestRing: a sender that is a whole ring ahead gains nothing from more, and the rings of
//    both directions with the messages themselves fill the second-level cache. So 512 KiB for 2 to 4 ranks.
// 3. Halved until the node's budget holds all segments, but not below kMinSlots slots.
// 3a. Made at first contact: halved until all of a rank fit the mesh budget too, with the same floor.
// 4. The farther the farthest peer, the dearer each exchange of pointers: larger chunks, rarer credits.
#include "runtime/topology/ring_plan.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <numeric>

#include "runtime/topology/cgroup.hpp"
#include "runtime/topology/text_file.hpp"

namespace rb2::topology {
namespace {

// Every number that measurement may change is in this block.
constexpr std::uint64_t kIncomingBytes = 2U << 20;
constexpr std::uint64_t kLargestRing = 512U << 10;
constexpr std::uint64_t kBudgetFraction =
    4;  ///< segments may take 1/4 of the smaller of RAM and shared memory
constexpr std::uint32_t kLargestForcedSlots = 1U << 24;
constexpr std::uint32_t kSmallestForcedSlots = 4;  ///< chunk and eager limit are a quarter ring: one slot

struct Tuning {
    std::uint32_t chunk_bytes;
    std::uint32_t eager_bytes;
    std::uint32_t credit_divisor;  ///< lazy push: γ = 1 / credit_divisor
};
/// By the distance of the farthest peer; self and remote have no ring and take the neighbour's line.
constexpr std::array<Tuning, kLocalityCount> kTuning = {{
    /* self         */ {8U << 10, 128U << 10, 4},
    /* shared_cache */ {8U << 10, 128U << 10, 4},
    /* same_numa    */ {8U << 10, 128U << 10, 4},
    /* same_socket  */ {16U << 10, 128U << 10, 2},
    /* same_host    */ {16U << 10, 128U << 10, 2},
    /* remote       */ {16U << 10, 128U << 10, 2},
}};

constexpr std::size_t kFirstWithRing = static_cast<std::size_t>(Locality::shared_cache);
constexpr std::size_t kLastWithRing = static_cast<std::size_t>(Locality::same_host);

std::uint64_t ring_count(const RingPlanInput& input) noexcept {
    const auto first = input.peers.begin() + kFirstWithRing;
    return std::accumulate(first, input.peers.begin() + kLastWithRing + 1, std::uint64_t{0});
}

const Tuning& tuning_of(const RingPlanInput& input) noexcept {
    std::size_t farthest = kFirstWithRing;
    for (std::size_t place = kFirstWithRing; place <= kLastWithRing; ++place)
        if (input.peers.at(place) > 0) farthest = place;
    return kTuning.at(farthest);
}

/// a·b + c, or the largest number when that does not fit: no budget is that large.
std::uint64_t saturating(std::uint64_t a, std::uint64_t b, std::uint64_t c) noexcept {
    std::uint64_t result = 0;
    const bool overflow = __builtin_mul_overflow(a, b, &result) || __builtin_add_overflow(result, c, &result);
    return overflow ? std::numeric_limits<std::uint64_t>::max() : result;
}

std::uint64_t rank_bytes(const RingPlanInput& input, std::uint64_t slots) noexcept {
    const std::uint64_t one_ring = saturating(slots, input.slot_bytes, input.ring_header_bytes);
    return saturating(ring_count(input), one_ring, input.segment_header_bytes);
}

std::uint64_t node_bytes(const RingPlanInput& input, std::uint64_t slots) noexcept {
    return saturating(std::max(input.local_ranks, 1U), rank_bytes(input, slots), 0);
}

/// Steps 1 and 2, before any budget.
std::uint32_t wished_slots(const RingPlanInput& input) noexcept {
    if (input.forced_slots != 0)
        return std::bit_ceil(std::clamp(input.forced_slots, kSmallestForcedSlots, kLargestForcedSlots));
    const std::uint64_t ring_bytes = std::min(kLargestRing, kIncomingBytes / (ring_count(input) + 1));
    const std::uint64_t slots = ring_bytes / std::max(input.slot_bytes, 1U);
    return std::max(kMinSlots, static_cast<std::uint32_t>(std::bit_floor(slots)));
}

RingPlan make_plan(const RingPlanInput& input, std::uint32_t slots) noexcept {
    const Tuning& tuning = tuning_of(input);
    const std::uint32_t quarter_ring = slots / 4 * input.slot_bytes;
    return {.slots = slots,
            .slot_bytes = input.slot_bytes,
            .chunk_bytes = std::min(tuning.chunk_bytes, quarter_ring),
            .credit_slots = slots / tuning.credit_divisor,
            .eager_bytes = std::min(tuning.eager_bytes, quarter_ring),
            .rank_bytes = rank_bytes(input, slots),
            .node_bytes = node_bytes(input, slots)};
}

std::uint64_t number_in(const std::filesystem::path& file, std::uint64_t otherwise) {
    const std::string text = read_text(file).value_or("");
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && stop == text.data() + text.size() ? value : otherwise;
}

/// RAM that this process's cgroups let it use.
std::uint64_t usable_ram_bytes() {
    struct sysinfo info {};
    ::sysinfo(&info);
    std::uint64_t ram = std::uint64_t{info.totalram} * info.mem_unit;
    const std::string groups = read_text("/proc/self/cgroup").value_or("");
    for (const auto& directory : cgroup_directories(groups, "/sys/fs/cgroup", "memory"))
        for (const char* file : {"memory.max", "memory.limit_in_bytes"})
            ram = std::min(ram, number_in(directory / file, ram));
    return ram;
}

}  // namespace

std::string BudgetTooSmall::message() const {
    return fmt::format(
        "the rings of {} ranks on this node need at least {} bytes of shared memory, {} bytes may be used; "
        "start fewer ranks per node or enlarge /dev/shm (containers: --shm-size)",
        local_ranks, needed_bytes, budget_bytes);
}

std::variant<RingPlan, BudgetTooSmall> plan_rings(const RingPlanInput& input) noexcept {
    const bool forced = input.forced_slots != 0;
    std::uint32_t slots = wished_slots(input);
    while (!forced && slots > kMinSlots && node_bytes(input, slots) > input.node_budget_bytes) slots /= 2;
    if (node_bytes(input, slots) > input.node_budget_bytes)
        return BudgetTooSmall{node_bytes(input, slots), input.node_budget_bytes, input.local_ranks};
    return make_plan(input, slots);
}

RingPlan plan_on_demand(const RingPlanInput& input, std::uint64_t mesh_bytes) noexcept {
    const auto too_large = [&](std::uint32_t slots) {
        return rank_bytes(input, slots) > mesh_bytes || node_bytes(input, slots) > input.node_budget_bytes;
    };
    std::uint32_t slots = wished_slots(input);
    while (input.forced_slots == 0 && slots > kMinSlots && too_large(slots)) slots /= 2;
    return make_plan(input, slots);
}

std::uint64_t node_memory_budget(std::uint64_t ram_bytes, std::uint64_t shm_free_bytes) noexcept {
    return std::min(ram_bytes, shm_free_bytes) / kBudgetFraction;
}

std::uint64_t this_node_memory_budget() {
    struct statvfs shm {};
    const bool known = ::statvfs("/dev/shm", &shm) == 0;
    const std::uint64_t ram = usable_ram_bytes();
    return node_memory_budget(ram, known ? std::uint64_t{shm.f_bavail} * shm.f_frsize : ram);
}

}  // namespace rb2::topology
