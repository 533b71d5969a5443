#pragma once
// What a peer must know to connect: plain data, in the host's byte order, carried by the caller.

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/fabric/fabric.hpp"
#include "runtime/fabric/verbs/gid.hpp"

namespace rb2::fabric::verbs {

/// A rank's port: the same for all of its endpoints.
struct Address {
    static constexpr std::size_t kMostGids = 4;

    std::array<Gid, kMostGids> gids{};
    std::array<GidType, kMostGids> gid_types{};
    std::uint32_t gid_count = 0;
    std::uint16_t lid = 0;         ///< InfiniBand only
    std::uint8_t mtu = 0;          ///< as ibv_mtu counts: 1 for 256 bytes to 5 for 4096
    std::uint8_t ethernet = 0;     ///< 1: RoCE, peers are addressed by GID alone
    std::uint32_t most_reads = 0;  ///< READs and atomics that the port answers at a time, per queue pair
};
static_assert(std::is_trivially_copyable_v<Address> && sizeof(Address) == 80);

/// An endpoint.
struct Card {
    static constexpr std::uint32_t kMagic = 0x3162'7276;  // "vrb1" read as little-endian

    std::uint32_t magic = kMagic;
    std::uint32_t queue_pair = 0;    ///< its number
    std::uint32_t first_packet = 0;  ///< packet sequence number that it starts to send from
    std::uint32_t reserved = 0;
    Remote memory{};  ///< the caller's: where the peer may write
    Address address;
};
static_assert(std::is_trivially_copyable_v<Card> && offsetof(Card, memory) == 16 &&
              offsetof(Card, address) == 32 && sizeof(Card) == 112);
static_assert(offsetof(Address, gid_types) == 64 && offsetof(Address, gid_count) == 68 &&
              offsetof(Address, lid) == 72 && offsetof(Address, most_reads) == 76);

}  // namespace rb2::fabric::verbs
