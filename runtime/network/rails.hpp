#pragma once
// Several devices, or ports, of a rank at once: rails. The first has the rings; over the others go blocks of
// large messages only. What peers are told of them, and which two go together. Pure.

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "runtime/fabric/tcp/address_choice.hpp"
#include "runtime/fabric/verbs/card.hpp"

namespace rb2::network {

/// A rail but the first, as peers are told of it: one GID, whereas the first may offer several.
struct RailAddress {
    fabric::verbs::Gid gid{};
    fabric::verbs::GidType type = fabric::verbs::GidType::infiniband;
    std::uint8_t subnet_bits = 0;  ///< so many leading bits are the same for all of its subnet
    std::uint8_t mtu = 0;          ///< these four as in verbs::Address
    std::uint8_t ethernet = 0;
    std::uint16_t lid = 0;
    std::uint16_t most_reads = 0;

    /// As an endpoint wants it.
    [[nodiscard]] fabric::verbs::Address full() const noexcept;
};
static_assert(std::is_trivially_copyable_v<RailAddress> && offsetof(RailAddress, lid) == 20 &&
              sizeof(RailAddress) == 24);

/// Of the first GID of `address`; `interfaces` are those of this host, where the subnet stands.
[[nodiscard]] RailAddress rail_address(const fabric::verbs::Address& address,
                                       std::span<const fabric::tcp::Interface> interfaces) noexcept;

/// One rail of each side, by its place in the list given.
struct RailPair {
    std::size_t own = 0;
    std::size_t peer = 0;

    friend bool operator==(const RailPair&, const RailPair&) = default;
};

/// Which rails are joined, each at most once: only two in one subnet, for of others nobody knows whether they
/// reach each other; both nearest their ranks first. Both sides find the same pairs, each with the lists the
/// other way round.
[[nodiscard]] std::vector<RailPair> pair_rails(std::span<const RailAddress> own,
                                               std::span<const RailAddress> peer);

}  // namespace rb2::network
