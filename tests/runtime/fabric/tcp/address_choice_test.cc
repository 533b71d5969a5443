// Which addresses are told and called, on hosts as users have them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/fabric/tcp/address_choice.hpp"
#include "runtime/fabric/tcp/interfaces.hpp"
#include "runtime/status.hpp"

namespace rb2::fabric::tcp::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

IpAddress ip(std::string_view text) { return IpAddress::parse(text).value(); }

Interface nic(std::string name, std::string_view address, bool running = true) {
    const Cidr range = Cidr::parse(address).value();
    return {std::move(name), range.network, range.prefix, true, running};
}

CardAddress told(std::string_view address, bool primary = false) {
    const Cidr range = Cidr::parse(address).value();
    const Interface one{"", range.network, range.prefix};
    const SocketAddress bound{range.network, 4000};
    return card_addresses({&one, 1}, {&bound, 1}, primary ? range.network : IpAddress{})[0];
}

/// The kernel's choice: the interface whose subnet is the narrowest that fits, else `gateway`'s.
RouteLookup routes(std::vector<Interface> own, std::string gateway = "") {
    return [own = std::move(own),
            gateway = std::move(gateway)](const IpAddress& to) -> std::optional<IpAddress> {
        const Interface* best = nullptr;
        for (const Interface& one : own) {
            if (one.address == to) return to;  // as the kernel does for its own
            if (one.address.family == to.family && common_prefix(one.address, to) >= one.prefix &&
                (best == nullptr || one.prefix > best->prefix))
                best = &one;
        }
        if (best != nullptr) return best->address;
        for (const Interface& one : own)
            if (one.name == gateway && one.address.family == to.family) return one.address;
        return std::nullopt;
    };
}

std::vector<std::string> called(const Route& route) {
    std::vector<std::string> result;
    for (const Target& target : route.targets) result.push_back(target.to.ip.text());
    return result;
}

std::vector<std::string> names(const std::vector<Interface>& interfaces) {
    std::vector<std::string> result;
    for (const Interface& one : interfaces) result.push_back(one.name);
    return result;
}

const Interface kLo = nic("lo", "127.0.0.1/8");
const Interface kLo6 = nic("lo", "::1/128");

TEST(Listening, EverythingThatIsUpButLoopbackAndLinkLocal) {
    const std::vector own{kLo,
                          kLo6,
                          nic("eth0", "10.0.0.1/24"),
                          nic("eth0", "fe80::1/64"),
                          nic("eth0", "2001:db8::1/64"),
                          nic("ib0", "192.168.5.1/16")};
    EXPECT_THAT(names(choose_listening(own, {}, ip("192.168.5.1"))), ElementsAre("ib0", "eth0", "eth0"));
}

TEST(Listening, ANameStandsForTheAddressesThatOthersCanUse) {
    const std::vector own{kLo, nic("eth0", "fe80::1/64"), nic("eth0", "10.0.0.1/24"),
                          nic("eth1", "169.254.7.7/16")};
    const auto chosen = choose_listening(own, Filter("eth0,eth1", ""), {});
    ASSERT_THAT(names(chosen), ElementsAre("eth0", "eth1"));
    EXPECT_EQ(chosen[0].address, ip("10.0.0.1"));
}

TEST(Listening, ABridgeWithoutAnybodyOnItHasNoCarrier) {
    const std::vector own{kLo, nic("docker0", "172.17.0.1/16", false),
                          nic("virbr0", "192.168.122.1/24", false), nic("eth0", "10.0.0.1/24")};
    EXPECT_THAT(names(choose_listening(own, {}, {})), ElementsAre("eth0"));
}

TEST(Listening, TheOnlyInterfaceOfAContainerMayBeCalledLikeABridge) {
    const std::vector own{kLo, nic("docker0", "172.17.0.5/16")};
    EXPECT_THAT(names(choose_listening(own, {}, {})), ElementsAre("docker0"));
}

TEST(Listening, AHostWithoutNetworkListensToItself) {
    EXPECT_THAT(names(choose_listening(std::vector{kLo}, {}, {})), ElementsAre("lo"));
}

TEST(Listening, FiltersByNameAndRange) {
    const std::vector own{kLo, nic("eth0", "10.0.0.1/24"), nic("eth1", "10.1.0.1/24"),
                          nic("eth2", "10.1.1.1/24")};
    EXPECT_THAT(names(choose_listening(own, Filter("eth1", ""), {})), ElementsAre("eth1"));
    EXPECT_THAT(names(choose_listening(own, Filter("10.1.0.0/16", ""), {})), ElementsAre("eth1", "eth2"));
    EXPECT_THAT(names(choose_listening(own, Filter(" 10.1.0.0/16 ,eth0", "eth2"), {})),
                ElementsAre("eth0", "eth1"));
    EXPECT_THAT(names(choose_listening(own, Filter("", "10.0.0.0/8,"), {})), ElementsAre("lo"));
    EXPECT_THAT(names(choose_listening(own, Filter("lo", ""), {})), ElementsAre("lo"));
}

TEST(Listening, NothingLeftIsAnErrorThatSaysWhatThereIs) {
    const std::vector own{kLo, nic("eth0", "10.0.0.1/24")};
    try {
        static_cast<void>(choose_listening(own, Filter("eth7", ""), {}));
        FAIL();
    } catch (const StartupError& error) {
        EXPECT_THAT(error.what(), HasSubstr("eth0 10.0.0.1 excluded"));
        EXPECT_THAT(error.what(), HasSubstr("RB2_TCP_INCLUDE"));
    }
}

TEST(Listening, WordsThatAreNeitherNameNorRangeAreRefused) {
    for (const char* word : {"10.0.0.0/33", "eth0/24", "fe80::1::2", "10.0.0/8"})
        EXPECT_THROW(Filter(word, ""), StartupError) << word;
}

TEST(Listening, NoMoreThanACardHolds) {
    std::vector<Interface> own;
    for (int i = 1; i < 20; ++i)
        own.push_back(nic("eth" + std::to_string(i), "10." + std::to_string(i) + ".0.1/16"));
    const auto chosen = choose_listening(own, {}, ip("10.15.0.1"));
    ASSERT_EQ(chosen.size(), kMostCardAddresses);
    EXPECT_EQ(chosen.front().name, "eth15");
}

// Field reports 31: the same bridge address on all hosts.
TEST(Calling, AddressesThatExistHereAsWellAreSkipped) {
    const std::vector own{kLo, nic("docker0", "172.17.0.1/16"), nic("eth0", "10.0.0.1/24")};
    const std::vector peer{told("172.17.0.1/16"), told("192.168.122.1/24"), told("10.0.0.2/24", true)};
    const Route route = choose_route(own, {}, peer, false, routes(own));
    EXPECT_THAT(called(route), ElementsAre("10.0.0.2"));
    EXPECT_EQ(route.targets[0].from, ip("10.0.0.1"));
    EXPECT_THAT(route.left_out, HasSubstr("172.17.0.1:4000 exists on this host as well"));
    EXPECT_THAT(route.left_out, HasSubstr("192.168.122.1:4000 has no route"));
}

// Only the peer has the bridge: its address leads to the default gateway and nowhere.
TEST(Calling, ASharedSubnetGoesBeforeAnythingBehindAGateway) {
    const std::vector own{kLo, nic("eth0", "10.0.0.1/24")};
    const std::vector peer{told("172.17.0.1/16"), told("10.0.0.2/24")};
    EXPECT_THAT(called(choose_route(own, {}, peer, false, routes(own, "eth0"))),
                ElementsAre("10.0.0.2", "172.17.0.1"));
}

TEST(Calling, BehindAGatewayThePeersOwnWayToTheWorldGoesFirst) {
    const std::vector own{kLo, nic("eth0", "172.16.0.1/24")};
    const std::vector peer{told("172.17.0.1/16"), told("10.0.0.2/24", true)};
    EXPECT_THAT(called(choose_route(own, {}, peer, false, routes(own, "eth0"))),
                ElementsAre("10.0.0.2", "172.17.0.1"));
}

// Nothing but likeness to go by: the nearer number.
TEST(Calling, BehindAGatewayTheNearerAddressGoesFirst) {
    const std::vector own{kLo, nic("eth0", "10.0.1.5/24")};
    const std::vector peer{told("172.17.0.1/16"), told("10.0.0.2/24")};
    EXPECT_THAT(called(choose_route(own, {}, peer, false, routes(own, "eth0"))),
                ElementsAre("10.0.0.2", "172.17.0.1"));
}

// A bridge here whose subnet holds the peer's address there: they only seem to be neighbours.
TEST(Calling, SubnetsOfDifferentSizeAreTrustedLess) {
    const std::vector own{kLo, nic("br0", "10.0.0.1/8"), nic("eth0", "192.168.1.1/24")};
    const std::vector peer{told("10.4.0.7/24"), told("192.168.1.2/24")};
    EXPECT_THAT(called(choose_route(own, {}, peer, false, routes(own))),
                ElementsAre("192.168.1.2", "10.4.0.7"));
}

TEST(Calling, BothWaysAreTriedWhereBothAreNeighbours) {
    const std::vector own{kLo, nic("eth0", "10.0.0.1/24"), nic("eth1", "10.0.1.1/24")};
    const std::vector peer{told("10.0.0.2/24"), told("10.0.1.2/24", true)};
    EXPECT_THAT(called(choose_route(own, {}, peer, false, routes(own))), ElementsAre("10.0.1.2", "10.0.0.2"));
}

TEST(Calling, ExcludedInterfacesAreNotCalledThrough) {
    const std::vector own{kLo, nic("eth0", "10.0.0.1/24"), nic("eth1", "10.0.1.1/24")};
    const std::vector peer{told("10.0.0.2/24"), told("10.0.1.2/24")};
    const Route route = choose_route(own, Filter("eth1", ""), peer, false, routes(own));
    EXPECT_THAT(called(route), ElementsAre("10.0.1.2"));
    EXPECT_THAT(route.left_out, HasSubstr("10.0.0.2:4000 leads through an interface that is excluded"));
    EXPECT_THAT(called(choose_route(own, Filter("", "10.0.1.0/24"), peer, false, routes(own))),
                ElementsAre("10.0.0.2"));
}

TEST(Calling, LoopbackOfAnotherHostIsNobody) {
    const std::vector own{kLo, nic("eth0", "10.0.0.1/24")};
    const std::vector peer{told("127.0.0.1/8"), told("127.0.1.1/8")};
    const Route route = choose_route(own, {}, peer, false, routes(own));
    EXPECT_THAT(called(route), IsEmpty());
    EXPECT_THAT(route.left_out, HasSubstr("loopback"));
}

TEST(Calling, OnTheSameStackItsOwnAddressesAreThePeers) {
    const std::vector own{kLo, nic("eth0", "10.0.0.1/24")};
    EXPECT_THAT(called(choose_route(own, {}, std::vector{told("10.0.0.1/24")}, true, routes(own))),
                ElementsAre("10.0.0.1"));
    EXPECT_THAT(
        called(choose_route(std::vector{kLo}, {}, std::vector{told("127.0.0.1/8")}, true, routes({kLo}))),
        ElementsAre("127.0.0.1"));
}

// Field reports 32: v6 only, v4 only, both, mixed ends.
TEST(Calling, IPv6OnlyHostsCallEachOther) {
    const std::vector own{kLo6, nic("eth0", "2001:db8::1/64")};
    const std::vector peer{told("10.0.0.2/24"), told("2001:db8::2/64")};
    const Route route = choose_route(own, {}, peer, false, routes(own));
    EXPECT_THAT(called(route), ElementsAre("2001:db8::2"));
    EXPECT_THAT(route.left_out, HasSubstr("10.0.0.2:4000 has no route"));
}

TEST(Calling, MixedEndsMeetInTheFamilyBothHave) {
    const std::vector dual{kLo, nic("eth0", "10.0.0.1/24"), nic("eth0", "2001:db8::1/64")};
    EXPECT_THAT(called(choose_route(dual, {}, std::vector{told("2001:db8::2/64")}, false, routes(dual))),
                ElementsAre("2001:db8::2"));
    EXPECT_THAT(called(choose_route(dual, {}, std::vector{told("10.0.0.2/24")}, false, routes(dual))),
                ElementsAre("10.0.0.2"));
    const std::vector v4{kLo, nic("eth0", "10.0.0.1/24")};
    EXPECT_THAT(called(choose_route(v4, {}, std::vector{told("2001:db8::2/64")}, false, routes(v4))),
                IsEmpty());
}

// Bits in common say nothing across families: 2 of the IPv6 addresses differ, 3 of the others.
TEST(Calling, OfBothFamiliesIPv4GoesFirst) {
    const std::vector own{kLo, nic("eth0", "10.0.0.11/24"), nic("eth0", "fd77::11/64")};
    const std::vector peer{told("fd77::12/64"), told("10.0.0.12/24")};
    EXPECT_THAT(called(choose_route(own, {}, peer, false, routes(own))),
                ElementsAre("10.0.0.12", "fd77::12"));
}

TEST(Calling, NoAddressAtAllSaysSo) {
    EXPECT_EQ(choose_route(std::vector{kLo}, {}, CardAddresses{}, false, routes({})).left_out,
              "it has told no address");
}

TEST(Addresses, ParseAndPrint) {
    EXPECT_EQ(ip("::ffff:10.0.0.1"), ip("10.0.0.1"));
    EXPECT_EQ((SocketAddress{ip("2001:db8::1"), 80}.text()), "[2001:db8::1]:80");
    EXPECT_EQ((SocketAddress{ip("10.0.0.1"), 80}.text()), "10.0.0.1:80");
    for (const char* wrong : {"", "10.0.0", "eth0", "10.0.0.1/24", "::g"})
        EXPECT_FALSE(IpAddress::parse(wrong)) << wrong;
    for (const char* wrong : {"10.0.0.0/", "10.0.0.0/x", "10.0.0.0/33", "::/129", "10.0.0.0/-1"})
        EXPECT_FALSE(Cidr::parse(wrong)) << wrong;
    EXPECT_TRUE(Cidr::parse("10.1.2.3/8")->contains(ip("10.200.0.1")));
    EXPECT_FALSE(Cidr::parse("10.1.2.3/8")->contains(ip("11.0.0.1")));
    EXPECT_FALSE(Cidr::parse("0.0.0.0/0")->contains(ip("::1")));
    EXPECT_TRUE(Cidr::parse("::/0")->contains(ip("::1")));
    EXPECT_TRUE(ip("fe80::1").link_local() && ip("169.254.1.1").link_local() && !ip("fec0::1").link_local());
    EXPECT_TRUE(ip("127.8.8.8").loopback() && ip("::1").loopback() && !ip("::2").loopback());
}

TEST(Addresses, TheKernelKnowsThisHost) {
    const auto own = own_interfaces();
    const auto lo = std::ranges::find(own, ip("127.0.0.1"), &Interface::address);
    if (lo == own.end()) GTEST_SKIP() << "no IPv4 loopback here";
    EXPECT_EQ(lo->prefix, 8U);
    EXPECT_EQ(source_towards(ip("127.0.0.1")), ip("127.0.0.1"));
}

}  // namespace
}  // namespace rb2::fabric::tcp::test
