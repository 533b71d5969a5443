// Which rails of two ranks go together, and what is said of them.

#include "runtime/network/rails.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace rb2::network {
namespace {

using fabric::verbs::GidType;

/// 10.subnet.0.host in a subnet of 24 bits.
RailAddress rail(std::uint8_t subnet, std::uint8_t host) {
    RailAddress address{.type = GidType::roce_v2, .subnet_bits = 120, .ethernet = 1};
    address.gid.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, subnet, host};
    return address;
}

std::vector<RailPair> sorted(std::vector<RailPair> pairs) {
    std::ranges::sort(pairs, {}, &RailPair::own);
    return pairs;
}

/// Both sides must find the same.
std::vector<RailPair> pairs_of(const std::vector<RailAddress>& a, const std::vector<RailAddress>& b) {
    const auto pairs = sorted(pair_rails(a, b));
    std::vector<RailPair> turned;
    for (const RailPair& pair : pair_rails(b, a)) turned.push_back({pair.peer, pair.own});
    EXPECT_EQ(sorted(turned), pairs);
    return pairs;
}

TEST(Rails, GoTogetherWhereTheyAreInOneSubnet) {
    EXPECT_EQ(pairs_of({rail(1, 1), rail(2, 1)}, {rail(2, 2), rail(1, 2)}),
              (std::vector<RailPair>{{0, 1}, {1, 0}}));
    EXPECT_EQ(pairs_of({rail(1, 1), rail(2, 1)}, {rail(2, 2), rail(3, 2)}), (std::vector<RailPair>{{1, 0}}));
    EXPECT_TRUE(pairs_of({rail(1, 1)}, {rail(2, 2)}).empty());
    EXPECT_TRUE(pairs_of({rail(1, 1)}, {}).empty());
}

TEST(Rails, InOneSubnetTheNearestGoTogether) {
    EXPECT_EQ(pairs_of({rail(1, 4), rail(1, 1), rail(1, 9)}, {rail(1, 2), rail(1, 7), rail(1, 3)}),
              (std::vector<RailPair>{{0, 0}, {1, 1}, {2, 2}}));
    EXPECT_EQ(pairs_of({rail(1, 4), rail(1, 1), rail(1, 9)}, {rail(1, 2)}), (std::vector<RailPair>{{0, 0}}));
    // Who can be joined with two takes the nearer.
    EXPECT_EQ(pairs_of({rail(2, 4), rail(1, 1), rail(2, 9)}, {rail(1, 2), rail(2, 7)}),
              (std::vector<RailPair>{{0, 1}, {1, 0}}));
}

TEST(Rails, OfOneHostAreJoinedWithThemselves) {
    EXPECT_EQ(pairs_of({rail(1, 1), rail(1, 2)}, {rail(1, 1), rail(1, 2)}),
              (std::vector<RailPair>{{0, 0}, {1, 1}}));
}

TEST(Rails, OfDifferentKindsOrUnknownSubnetsAreNotJoined) {
    RailAddress other = rail(1, 2);
    other.type = GidType::roce_v1;
    EXPECT_TRUE(pairs_of({rail(1, 1)}, {other}).empty());
    other = rail(1, 2);
    other.subnet_bits = 112;
    EXPECT_TRUE(pairs_of({rail(1, 1)}, {other}).empty()) << "they do not agree on what the subnet is";
    RailAddress alone = rail(1, 1);
    alone.subnet_bits = 128;
    other = rail(1, 2);
    other.subnet_bits = 128;
    EXPECT_TRUE(pairs_of({alone}, {other}).empty());
    RailAddress local{.type = GidType::roce_v2, .subnet_bits = 64, .ethernet = 1};
    local.gid.bytes = {0xfe, 0x80};
    EXPECT_TRUE(pairs_of({local}, {local}).empty()) << "every link has this subnet";
    RailAddress infiniband{.type = GidType::infiniband, .subnet_bits = 64, .lid = 5};
    infiniband.gid.bytes = {0xfe, 0x80};
    EXPECT_EQ(pairs_of({infiniband}, {infiniband}).size(), 1U);
    EXPECT_TRUE(pairs_of({infiniband}, {local}).empty());
}

TEST(Rails, ASubnetIsThatOfTheInterfaceWithTheAddress) {
    const std::vector<fabric::tcp::Interface> interfaces{
        {.name = "lo", .address = *fabric::tcp::IpAddress::parse("127.0.0.1"), .prefix = 8},
        {.name = "eth1", .address = *fabric::tcp::IpAddress::parse("10.0.1.1"), .prefix = 24},
        {.name = "eth1", .address = *fabric::tcp::IpAddress::parse("2001:db8::1"), .prefix = 64}};
    fabric::verbs::Address address{.gid_count = 1, .mtu = 5, .ethernet = 1, .most_reads = 16};
    address.gid_types.front() = GidType::roce_v2;
    address.gids.front() = rail(1, 1).gid;
    EXPECT_EQ(rail_address(address, interfaces).subnet_bits, 120);
    address.gids.front().bytes = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    EXPECT_EQ(rail_address(address, interfaces).subnet_bits, 64);
    address.gids.front() = rail(1, 9).gid;
    EXPECT_EQ(rail_address(address, interfaces).subnet_bits, 128) << "nobody knows";

    const auto full = rail_address(address, interfaces).full();
    EXPECT_EQ(full.gids, address.gids);
    EXPECT_EQ(full.gid_types.front(), GidType::roce_v2);
    EXPECT_EQ(full.gid_count, 1U);
    EXPECT_EQ(full.mtu, 5);
    EXPECT_EQ(full.ethernet, 1);
    EXPECT_EQ(full.most_reads, 16U);
}

}  // namespace
}  // namespace rb2::network
