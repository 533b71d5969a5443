#pragma once
// Choosing GIDs by what they are. Tables differ by vendor and host, so an index means nothing to a peer, and
// a link-local GID (index 0 of most RoCE ports) reaches no other network.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rb2::fabric::verbs {

/// 16 bytes, in network order. IPv4 addresses are mapped: ::ffff:a.b.c.d.
struct Gid {
    std::array<std::uint8_t, 16> bytes{};

    // NOLINTNEXTLINE(modernize-use-nullptr): none is written here
    friend auto operator<=>(const Gid&, const Gid&) = default;
};

enum class GidType : std::uint8_t { infiniband, roce_v1, roce_v2 };

/// An entry of a port's table.
struct GidEntry {
    Gid gid;
    GidType type = GidType::infiniband;
    std::uint32_t index = 0;
};

[[nodiscard]] bool is_empty(const Gid& gid) noexcept;
[[nodiscard]] bool is_ipv4(const Gid& gid) noexcept;
[[nodiscard]] bool is_link_local(const Gid& gid) noexcept;
/// Leading bits that both have.
[[nodiscard]] int common_bits(const Gid& a, const Gid& b) noexcept;

[[nodiscard]] const char* name_of(GidType type) noexcept;
/// As an address: "10.9.0.1" or "fe80::1".
[[nodiscard]] std::string to_string(const Gid& gid);

/// The entries of a table that a peer may be offered, best first: RoCEv2 before InfiniBand before RoCEv1,
/// routable before link-local, IPv4 before IPv6, low index before high; at most `most`.
[[nodiscard]] std::vector<GidEntry> offer(std::span<const GidEntry> table, std::size_t most);

/// One GID of each side.
struct GidPair {
    std::size_t own = 0;   ///< place in the list given
    std::size_t peer = 0;  ///< likewise
};

/// The two that reach each other best: same type and family, routable, most leading bits in common, which is
/// the same subnet where there is one. Nothing when no two fit. Both sides find the same two, each with the
/// lists the other way round.
[[nodiscard]] std::optional<GidPair> choose_pair(std::span<const GidEntry> own,
                                                 std::span<const GidEntry> peer);

}  // namespace rb2::fabric::verbs
