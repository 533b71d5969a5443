#include "runtime/fabric/tcp/interfaces.hpp"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>

#include "runtime/fabric/tcp/sockets.hpp"
#include "runtime/status.hpp"

namespace rb2::fabric::tcp {
namespace {

struct FreeList {
    void operator()(ifaddrs* list) const noexcept { ::freeifaddrs(list); }
};

IpAddress address_of(const sockaddr* native) noexcept {
    if (native == nullptr) return {};
    sockaddr_storage storage{};
    const bool v4 = native->sa_family == AF_INET;
    if (!v4 && native->sa_family != AF_INET6) return {};
    std::memcpy(&storage, native, v4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    return SocketAddress::from_native(storage).ip;
}

unsigned prefix_of(const IpAddress& mask, unsigned bits) noexcept {
    unsigned prefix = 0;
    for (std::size_t at = 0; at < bits / 8; ++at) {
        const auto ones = static_cast<unsigned>(std::countl_one(mask.bytes[at]));
        prefix += ones;
        if (ones != 8) break;
    }
    return prefix;
}

}  // namespace

std::vector<Interface> own_interfaces() {
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0)
        throw StartupError(
            fmt::format("tcp fabric: the kernel tells no network addresses ({})", std::strerror(errno)));
    const std::unique_ptr<ifaddrs, FreeList> list(first);
    std::vector<Interface> result;
    for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
        const IpAddress address = address_of(one->ifa_addr);
        if (address.family == Family::none) continue;
        result.push_back({.name = one->ifa_name,
                          .address = address,
                          .prefix = prefix_of(address_of(one->ifa_netmask), address.bits()),
                          .up = (one->ifa_flags & IFF_UP) != 0,
                          .running = (one->ifa_flags & IFF_RUNNING) != 0});
    }
    return result;
}

std::optional<IpAddress> source_towards(const IpAddress& to) noexcept {
    const memory::Descriptor socket = open_socket(to.family, SOCK_DGRAM);
    sockaddr_storage native;
    socklen_t bytes = SocketAddress{to, 9}.to_native(native);  // any port: nothing is sent
    if (socket.get() < 0 || ::connect(socket.get(), reinterpret_cast<sockaddr*>(&native), bytes) != 0)
        return std::nullopt;
    bytes = sizeof native;
    if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&native), &bytes) != 0) return std::nullopt;
    return SocketAddress::from_native(native).ip;
}

IpAddress primary_address() noexcept {
    // Addresses that documentation may use and nobody has (RFC 5737, RFC 3849).
    constexpr IpAddress v4{Family::v4, {192, 0, 2, 1}};
    constexpr IpAddress v6{Family::v6, {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
    if (const auto source = source_towards(v4)) return *source;
    return source_towards(v6).value_or(IpAddress{});
}

}  // namespace rb2::fabric::tcp
