#include "runtime/fabric/tcp/ip_address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

namespace rb2::fabric::tcp {
namespace {

constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

IpAddress v4_address(const void* four) noexcept {
    IpAddress result{.family = Family::v4};
    std::memcpy(result.bytes.data(), four, 4);
    return result;
}

IpAddress v6_address(const void* sixteen) noexcept {
    if (std::memcmp(sixteen, kMapped.data(), kMapped.size()) == 0)
        return v4_address(static_cast<const std::uint8_t*>(sixteen) + kMapped.size());
    IpAddress result{.family = Family::v6};
    std::memcpy(result.bytes.data(), sixteen, result.bytes.size());
    return result;
}

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
    const std::string terminated(text);
    std::array<std::uint8_t, 16> bytes{};
    if (::inet_pton(AF_INET, terminated.c_str(), bytes.data()) == 1) return v4_address(bytes.data());
    if (::inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1) return v6_address(bytes.data());
    return std::nullopt;
}

std::string IpAddress::text() const {
    if (family == Family::none) return "no address";
    std::array<char, INET6_ADDRSTRLEN> buffer{};
    ::inet_ntop(family == Family::v4 ? AF_INET : AF_INET6, bytes.data(), buffer.data(), buffer.size());
    return buffer.data();
}

bool IpAddress::loopback() const noexcept {
    if (family == Family::v4) return bytes[0] == 127;
    return family == Family::v6 && bytes.back() == 1 &&
           std::all_of(bytes.begin(), bytes.end() - 1, [](std::uint8_t byte) { return byte == 0; });
}

bool IpAddress::link_local() const noexcept {
    if (family == Family::v4) return bytes[0] == 169 && bytes[1] == 254;
    return family == Family::v6 && bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}

bool IpAddress::unspecified() const noexcept {
    return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

unsigned common_prefix(const IpAddress& a, const IpAddress& b) noexcept {
    if (a.family != b.family || a.family == Family::none) return 0;
    unsigned bits = 0;
    for (std::size_t at = 0; bits < a.bits(); ++at, bits += 8) {
        const auto differing = static_cast<std::uint8_t>(a.bytes[at] ^ b.bytes[at]);
        if (differing != 0) return bits + static_cast<unsigned>(std::countl_zero(differing));
    }
    return bits;
}

std::optional<Cidr> Cidr::parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::optional<IpAddress> address = IpAddress::parse(text.substr(0, slash));
    if (!address) return std::nullopt;
    if (slash == std::string_view::npos) return Cidr{*address, address->bits()};
    const std::string_view digits = text.substr(slash + 1);
    Cidr result{*address, 0};
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), result.prefix);
    if (error != std::errc{} || end != digits.end() || result.prefix > address->bits()) return std::nullopt;
    return result;
}

socklen_t SocketAddress::to_native(sockaddr_storage& storage) const noexcept {
    storage = {};
    if (ip.family == Family::v4) {
        auto& native = reinterpret_cast<sockaddr_in&>(storage);
        native.sin_family = AF_INET;
        native.sin_port = htons(port);
        std::memcpy(&native.sin_addr, ip.bytes.data(), sizeof native.sin_addr);
        return sizeof native;
    }
    auto& native = reinterpret_cast<sockaddr_in6&>(storage);
    native.sin6_family = AF_INET6;
    native.sin6_port = htons(port);
    std::memcpy(&native.sin6_addr, ip.bytes.data(), sizeof native.sin6_addr);
    return sizeof native;
}

SocketAddress SocketAddress::from_native(const sockaddr_storage& storage) noexcept {
    if (storage.ss_family == AF_INET) {
        const auto& native = reinterpret_cast<const sockaddr_in&>(storage);
        return {v4_address(&native.sin_addr), ntohs(native.sin_port)};
    }
    if (storage.ss_family == AF_INET6) {
        const auto& native = reinterpret_cast<const sockaddr_in6&>(storage);
        return {v6_address(&native.sin6_addr), ntohs(native.sin6_port)};
    }
    return {};
}

std::string SocketAddress::text() const {
    const char* const form = ip.family == Family::v6 ? "[{}]:{}" : "{}:{}";
    return fmt::format(fmt::runtime(form), ip.text(), port);
}

}  // namespace rb2::fabric::tcp
