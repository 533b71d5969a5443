#pragma once
// Which fabrics there are, and which one serves a pair of ranks: a pure function of what both can use.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/network/network.hpp"

namespace rb2::network {

/// In order of preference. The numbers travel in cards, as bits of a FabricSet.
enum class Fabric : std::uint8_t { shm = 0, verbs = 1, tcp = 2 };

/// A set of fabrics, one bit each.
class FabricSet {
  public:
    constexpr FabricSet() = default;
    explicit constexpr FabricSet(std::uint32_t bits) noexcept : bits_(bits) {}
    [[nodiscard]] static constexpr FabricSet all() noexcept { return FabricSet(0b111); }

    [[nodiscard]] constexpr std::uint32_t bits() const noexcept { return bits_; }
    [[nodiscard]] constexpr bool has(Fabric fabric) const noexcept { return (bits_ & bit(fabric)) != 0; }
    [[nodiscard]] constexpr FabricSet with(Fabric fabric) const noexcept {
        return FabricSet(bits_ | bit(fabric));
    }
    [[nodiscard]] constexpr FabricSet both(FabricSet other) const noexcept {
        return FabricSet(bits_ & other.bits_);
    }

  private:
    static constexpr std::uint32_t bit(Fabric fabric) noexcept {
        return 1U << static_cast<std::uint32_t>(fabric);
    }
    std::uint32_t bits_ = 0;
};

[[nodiscard]] std::string_view name(Fabric fabric) noexcept;
/// "shm, tcp"; "none".
[[nodiscard]] std::string names(FabricSet fabrics);
/// "tcp,shm" to a set. Throws StartupError naming what it does not know.
[[nodiscard]] FabricSet parse_fabrics(std::string_view list);

/// Of `wanted`, those this build and this machine have.
[[nodiscard]] FabricSet usable(FabricSet wanted);

/// What serves two ranks; nullopt: nothing. `share_memory`: they see the same shared memory.
[[nodiscard]] std::optional<Fabric> choose(FabricSet a, FabricSet b, bool share_memory) noexcept;

/// Opens the device or the sockets. Throws StartupError with what to try.
[[nodiscard]] std::unique_ptr<Network> make_network(Fabric fabric, const Options& options);

/// Slots of 64 B of every ring of a rank with `peers` peers: the most that a fixed budget allows.
[[nodiscard]] std::uint64_t network_ring_slots(std::size_t peers) noexcept;

}  // namespace rb2::network
