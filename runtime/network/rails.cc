#include "runtime/network/rails.hpp"

#include <algorithm>
#include <tuple>

namespace rb2::network {
namespace {

using fabric::verbs::Gid;

constexpr std::uint8_t kGidBits = 128;
constexpr std::uint8_t kMappedBits = 96;            // before a mapped IPv4 address
constexpr std::uint8_t kInfinibandSubnetBits = 64;  // the first half of its GIDs

fabric::tcp::IpAddress ip_of(const Gid& gid) noexcept {
    const bool v4 = fabric::verbs::is_ipv4(gid);
    fabric::tcp::IpAddress address{v4 ? fabric::tcp::Family::v4 : fabric::tcp::Family::v6, {}};
    std::ranges::copy(std::span(gid.bytes).subspan(v4 ? kMappedBits / 8 : 0), address.bytes.begin());
    return address;
}

/// Where nobody knows, a GID is alone in its subnet.
std::uint8_t subnet_bits(const Gid& gid, std::span<const fabric::tcp::Interface> interfaces) noexcept {
    const auto address = ip_of(gid);
    const auto found = std::ranges::find(interfaces, address, &fabric::tcp::Interface::address);
    if (found == interfaces.end()) return kGidBits;
    return static_cast<std::uint8_t>(found->prefix + kGidBits - address.bits());
}

bool reach(const RailAddress& a, const RailAddress& b) noexcept {
    // Link-local addresses are in the same subnet everywhere, and reach nothing outside of their own.
    const bool nowhere = a.ethernet != 0 && fabric::verbs::is_link_local(a.gid);
    return !nowhere && a.ethernet == b.ethernet && a.type == b.type && a.subnet_bits == b.subnet_bits &&
           fabric::verbs::common_bits(a.gid, b.gid) >= a.subnet_bits;
}

}  // namespace

fabric::verbs::Address RailAddress::full() const noexcept {
    fabric::verbs::Address address;
    address.gids.front() = gid;
    address.gid_types.front() = type;
    address.gid_count = 1;
    address.lid = lid;
    address.mtu = mtu;
    address.ethernet = ethernet;
    address.most_reads = most_reads;
    return address;
}

RailAddress rail_address(const fabric::verbs::Address& address,
                         std::span<const fabric::tcp::Interface> interfaces) noexcept {
    const Gid& gid = address.gids.front();
    return {.gid = gid,
            .type = address.gid_types.front(),
            .subnet_bits = address.ethernet != 0 ? subnet_bits(gid, interfaces) : kInfinibandSubnetBits,
            .mtu = address.mtu,
            .ethernet = address.ethernet,
            .lid = address.lid,
            .most_reads = static_cast<std::uint16_t>(address.most_reads)};
}

std::vector<RailPair> pair_rails(std::span<const RailAddress> own, std::span<const RailAddress> peer) {
    std::vector<RailPair> candidates;
    for (std::size_t i = 0; i < own.size(); ++i)
        for (std::size_t j = 0; j < peer.size(); ++j)
            if (reach(own[i], peer[j])) candidates.push_back({i, j});
    // An order that is the same with the sides exchanged.
    std::ranges::sort(candidates, {}, [&](const RailPair& pair) {
        const Gid& a = own[pair.own].gid;
        const Gid& b = peer[pair.peer].gid;
        return std::tuple(pair.own + pair.peer, std::min(a, b), std::max(a, b));
    });
    std::vector<RailPair> pairs;
    for (const RailPair& next : candidates) {
        const auto taken = [&](const RailPair& pair) {
            return pair.own == next.own || pair.peer == next.peer;
        };
        if (std::ranges::none_of(pairs, taken)) pairs.push_back(next);
    }
    return pairs;
}

}  // namespace rb2::network
