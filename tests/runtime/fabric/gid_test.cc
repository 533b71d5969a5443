// Choosing GIDs from tables as they are found on various hosts.

#include "runtime/fabric/verbs/gid.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace rb2::fabric::verbs {
namespace {

Gid gid(const std::string& address) {
    Gid made;
    if (address.find(':') != std::string::npos) {
        EXPECT_EQ(inet_pton(AF_INET6, address.c_str(), made.bytes.data()), 1) << address;
    } else {
        made.bytes[10] = made.bytes[11] = 0xff;
        EXPECT_EQ(inet_pton(AF_INET, address.c_str(), made.bytes.data() + 12), 1) << address;
    }
    return made;
}

GidEntry v2(const std::string& address, std::uint32_t index = 0) {
    return {gid(address), GidType::roce_v2, index};
}
GidEntry v1(const std::string& address, std::uint32_t index = 0) {
    return {gid(address), GidType::roce_v1, index};
}

std::vector<std::uint32_t> indices(const std::vector<GidEntry>& entries) {
    std::vector<std::uint32_t> result;
    for (const GidEntry& entry : entries) result.push_back(entry.index);
    return result;
}

/// The addresses chosen, after a look from both sides.
std::pair<std::string, std::string> chosen(const std::vector<GidEntry>& own,
                                           const std::vector<GidEntry>& peer) {
    const auto here = choose_pair(own, peer);
    const auto there = choose_pair(peer, own);
    EXPECT_EQ(here.has_value(), there.has_value());
    if (!here || !there) return {"none", "none"};
    EXPECT_EQ(own[here->own].gid, own[there->peer].gid) << "both must choose the same";
    EXPECT_EQ(peer[here->peer].gid, peer[there->own].gid);
    return {to_string(own[here->own].gid), to_string(peer[here->peer].gid)};
}

TEST(Gid, IsWrittenAsAnAddress) {
    EXPECT_EQ(to_string(gid("10.9.0.1")), "10.9.0.1");
    EXPECT_EQ(to_string(gid("fe80::5054:ff:fe00:1")), "fe80::5054:ff:fe00:1");
}

TEST(Gid, KnowsItsFamilyAndReach) {
    EXPECT_TRUE(is_ipv4(gid("192.168.1.2")));
    EXPECT_FALSE(is_ipv4(gid("2001:db8::1")));
    EXPECT_TRUE(is_link_local(gid("fe80::1")));
    EXPECT_TRUE(is_link_local(gid("169.254.3.4")));
    EXPECT_FALSE(is_link_local(gid("fd00::1")));
    EXPECT_FALSE(is_link_local(gid("10.0.0.1")));
    EXPECT_TRUE(is_empty(Gid{}));
}

TEST(Gid, CountsCommonBits) {
    EXPECT_EQ(common_bits(gid("10.0.0.1"), gid("10.0.0.1")), 128);
    EXPECT_EQ(common_bits(gid("10.0.0.1"), gid("10.0.0.3")), 126);
    EXPECT_EQ(common_bits(gid("10.0.0.1"), gid("138.0.0.1")), 96);
}

TEST(Gid, ARoutableVersion2EntryIsOfferedFirstWhereverItStands) {
    // As of a ConnectX port: each address twice, once for each version, link-local first.
    const std::vector<GidEntry> connectx{v1("fe80::1", 0), v2("fe80::1", 1), v1("10.0.0.1", 2),
                                         v2("10.0.0.1", 3)};
    EXPECT_THAT(indices(offer(connectx, 4)), testing::ElementsAre(3, 1, 2, 0));
    // As of a port with IPv6 addresses, and holes.
    const std::vector<GidEntry> holes{
        v2("fe80::1", 0), {Gid{}, GidType::roce_v2, 1}, v2("2001:db8::7", 2), v2("10.1.2.3", 5)};
    EXPECT_THAT(indices(offer(holes, 4)), testing::ElementsAre(5, 2, 0));
    EXPECT_THAT(indices(offer(holes, 1)), testing::ElementsAre(5));
    EXPECT_TRUE(offer({}, 4).empty());
}

TEST(Gid, PeersMeetInTheSubnetTheyShare) {
    EXPECT_EQ(chosen({v2("10.1.0.1"), v2("192.168.7.1")}, {v2("172.16.0.2"), v2("192.168.7.2")}),
              std::pair(std::string("192.168.7.1"), std::string("192.168.7.2")));
}

TEST(Gid, FamiliesAndVersionsAreNotMixed) {
    EXPECT_EQ(chosen({v2("10.0.0.1"), v2("2001:db8::1")}, {v2("2001:db8::2")}),
              std::pair(std::string("2001:db8::1"), std::string("2001:db8::2")));
    EXPECT_EQ(chosen({v1("10.0.0.1")}, {v2("10.0.0.2")}).first, "none");
    EXPECT_EQ(chosen({v2("10.0.0.1")}, {v2("fe80::2")}).first, "none");
    EXPECT_EQ(chosen({v2("fe80::1"), v2("10.0.0.1")}, {v2("fe80::2"), v2("10.0.0.2")}).first, "10.0.0.1")
        << "link-local is the last resort";
}

TEST(Gid, IPv4GoesBeforeIPv6) {
    EXPECT_EQ(chosen({v2("2001:db8::1"), v2("10.0.0.1")}, {v2("2001:db8::1"), v2("10.7.0.2")}).first,
              "10.0.0.1");
}

TEST(Gid, RanksOfOneHostUseTheSameOne) {
    const std::vector<GidEntry> table{v2("10.0.0.1"), v2("10.0.1.1"), v2("fe80::1")};
    const auto pair = chosen(table, table);
    EXPECT_EQ(pair.first, pair.second);
}

TEST(Gid, WithoutACommonSubnetBothSidesStillAgree) {
    chosen({v2("10.0.0.1"), v2("11.0.0.1")}, {v2("10.128.0.1"), v2("11.128.0.1")});
    chosen({v2("1.0.0.1"), v2("2.0.0.1"), v2("2001:db8::1")},
           {v2("4.0.0.1"), v2("8.0.0.1"), v2("2001:db9::1")});
}

}  // namespace
}  // namespace rb2::fabric::verbs
