#pragma once
// The card: all that a rank tells the others about itself at start-up. One fixed-size, versioned block per
// rank.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "runtime/bootstrap/host_identity.hpp"
#include "runtime/topology/placement.hpp"

namespace rb2::bootstrap {

using Secret = std::array<std::byte, 32>;

/// Wire format (native byte order: ranks of one job run on one architecture, which `magic` also checks).
struct Card {
    static constexpr std::uint64_t kMagic = 0x3164'7261'6332'6272;  // "rb2card1" read as little-endian
    static constexpr std::uint32_t kVersion = 5;

    std::uint64_t magic = kMagic;
    std::uint32_t version = kVersion;
    std::uint32_t card_bytes = 0;  ///< sizeof(Card) in the sender's build
    std::uint32_t rank = 0;
    std::int32_t pid = 0;
    std::uint32_t uid = 0;
    std::uint32_t ring_slots = 0;   ///< slots of each ring that the user asks for; 0: plan them
    std::uint32_t mesh_kib = 0;     ///< rings that a rank makes at start, beyond that at first contact
    topology::Placement placement;  ///< CPUs this rank may use
    std::uint64_t node_budget_bytes =
        0;  ///< shared memory that the node's ranks may take, as this one sees it
    HostIdentity host;
    std::array<char, 92> segment_name{};  ///< zero-terminated, no slash; empty: this rank has no segment
    std::uint32_t node = 0;               ///< lowest rank of the launcher's node
    std::uint32_t fabrics = 1;            ///< network::FabricSet bits: what this rank can be reached by
    std::uint16_t first_cpu = 0;          ///< lowest CPU this rank may use
    std::uint16_t cpu_quota = 0;  ///< CPUs' worth of time the rank's cgroup grants, rounded up; 0: no limit
    Secret secret{};              ///< random; rank 0's is the job's: who knows it has seen the job's cards
};
static_assert(std::is_standard_layout_v<Card> && std::is_trivially_copyable_v<Card>);
static_assert(offsetof(Card, version) == 8 && offsetof(Card, card_bytes) == 12 && offsetof(Card, rank) == 16);
static_assert(offsetof(Card, placement) == 36 && offsetof(Card, node_budget_bytes) == 56 &&
              offsetof(Card, host) == 64);
static_assert(offsetof(Card, segment_name) == 200 && offsetof(Card, node) == 292 &&
              offsetof(Card, fabrics) == 296 && sizeof(Card) == 336);

/// A card with everything filled in that the process itself knows: identity, pid, uid, host, placement. Rings
/// and segment are the caller's. Throws StartupError.
[[nodiscard]] Card make_card(std::uint32_t rank);

/// Copies `name` into the card. Throws StartupError when it does not fit.
void set_segment_name(Card& card, std::string_view name);
[[nodiscard]] std::string segment_name(const Card& card);
[[nodiscard]] std::string host_name(const Card& card);

/// What is wrong with a card received for `expected_rank`, in words (naming both versions, sizes or ranks and
/// what to try); nullopt when it is good.
[[nodiscard]] std::optional<std::string> check(const Card& card, std::uint32_t expected_rank);

/// Whether two ranks may use memory in common: they are on one node of the launcher, and see the same memory
/// there. Ranks of different nodes do not, even if one machine plays both: they must agree without each
/// other's cards.
[[nodiscard]] bool shares_memory(const Card& a, const Card& b) noexcept;

/// Distance between two ranks: self for the same rank, remote when they share no memory, else by placement.
[[nodiscard]] topology::Locality locality(const Card& a, const Card& b) noexcept;

/// Whether the ranks of a job on one host must share CPUs: a look at the cards alone, so that all ranks come
/// to the same answer, which topology::crowded() cannot promise. Ranks that may use equally many CPUs from
/// the same one on count as ranks of the same CPUs. False for a job of several hosts.
[[nodiscard]] bool crowded(std::span<const Card> cards);

}  // namespace rb2::bootstrap
