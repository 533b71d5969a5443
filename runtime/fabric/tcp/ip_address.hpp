#pragma once
// Internet addresses of both families, and ranges of them.

#include <sys/socket.h>

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rb2::fabric::tcp {

enum class Family : std::uint8_t { none = 0, v4 = 4, v6 = 6 };

/// An address without a port. An IPv4 address mapped into IPv6 is taken for the IPv4 address it is.
struct IpAddress {
    Family family = Family::none;
    std::array<std::uint8_t, 16> bytes{};  ///< network order; the first 4 count for v4, the rest are 0

    // NOLINTNEXTLINE(modernize-use-nullptr): none is written here
    friend auto operator<=>(const IpAddress&, const IpAddress&) = default;

    /// Numeric only, "10.0.0.1" or "fe80::1"; nullopt for anything else.
    [[nodiscard]] static std::optional<IpAddress> parse(std::string_view text);
    [[nodiscard]] std::string text() const;

    [[nodiscard]] unsigned bits() const noexcept { return family == Family::v4 ? 32 : 128; }
    [[nodiscard]] bool loopback() const noexcept;
    [[nodiscard]] bool link_local() const noexcept;  ///< 169.254/16, fe80::/10
    [[nodiscard]] bool unspecified() const noexcept;
};

/// Leading bits in which both agree; 0 if they are of different families.
[[nodiscard]] unsigned common_prefix(const IpAddress& a, const IpAddress& b) noexcept;

/// A range "10.0.0.0/8" or a single address.
struct Cidr {
    IpAddress network;
    unsigned prefix = 0;

    [[nodiscard]] static std::optional<Cidr> parse(std::string_view text);
    [[nodiscard]] bool contains(const IpAddress& address) const noexcept {
        return address.family == network.family && common_prefix(address, network) >= prefix;
    }
};

/// An address and a port, as the socket calls want them.
struct SocketAddress {
    IpAddress ip;
    std::uint16_t port = 0;

    friend bool operator==(const SocketAddress&, const SocketAddress&) = default;

    /// Fills `storage`; returns how many bytes of it count.
    socklen_t to_native(sockaddr_storage& storage) const noexcept;
    [[nodiscard]] static SocketAddress from_native(const sockaddr_storage& storage) noexcept;
    [[nodiscard]] std::string text() const;  ///< "10.0.0.1:80", "[::1]:80"
};

}  // namespace rb2::fabric::tcp
