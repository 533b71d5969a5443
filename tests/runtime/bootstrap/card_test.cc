#include "runtime/bootstrap/card.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <initializer_list>
#include <utility>
#include <vector>

#include "runtime/status.hpp"
#include "tests/runtime/child_process.hpp"

namespace rb2::bootstrap {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using topology::Locality;

TEST(Card, KnowsItsProcess) {
    const Card card = make_card(5);
    EXPECT_EQ(check(card, 5), std::nullopt);
    EXPECT_EQ(card.pid, ::getpid());
    EXPECT_EQ(card.uid, ::geteuid());
    EXPECT_GT(card.placement.cpu_count, 0U);
    char name[64] = {};
    ::gethostname(name, sizeof name - 1);
    EXPECT_EQ(host_name(card), name);
}

TEST(Card, SecretsDiffer) {
    EXPECT_NE(make_card(0).secret, make_card(0).secret);
    EXPECT_NE(make_card(0).secret, Secret{});
}

TEST(Card, SegmentNameMustFit) {
    Card card = make_card(0);
    set_segment_name(card, std::string(91, 'x'));
    EXPECT_EQ(segment_name(card), std::string(91, 'x'));
    set_segment_name(card, "short");
    EXPECT_EQ(segment_name(card), "short");
    EXPECT_THROW(set_segment_name(card, std::string(92, 'x')), StartupError);
}

TEST(CardCheck, NamesBothVersionsAndSizes) {
    Card card = make_card(2);
    card.version = 9;
    card.card_bytes = 1234;
    EXPECT_THAT(check(card, 2).value_or(""),
                AllOf(HasSubstr("rank 2"), HasSubstr("version 9 of 1234 bytes"),
                      HasSubstr("version " + std::to_string(Card::kVersion) + " of " +
                                std::to_string(sizeof(Card)) + " bytes")));
}

TEST(CardCheck, RefusesOtherThingsAndOtherRanks) {
    Card card = make_card(2);
    EXPECT_THAT(check(card, 3).value_or(""), AllOf(HasSubstr("rank 3"), HasSubstr("rank 2's")));
    card.magic = 0xdead;
    EXPECT_THAT(check(card, 2).value_or(""), AllOf(HasSubstr("rank 2"), HasSubstr("dead")));
}

TEST(CardLocality, SelfRemoteAndPlacement) {
    const Card a = make_card(0);
    Card b = make_card(1);
    EXPECT_EQ(locality(a, a), Locality::self);
    EXPECT_EQ(locality(a, b), topology::locality(a.placement, b.placement));
    b.host.shm_device ^= 1U;
    EXPECT_EQ(locality(a, b), Locality::remote);
}

/// Cards of ranks that may use `count` CPUs from `first` on, on one host.
std::vector<Card> cards_of(std::initializer_list<std::pair<std::uint16_t, std::uint32_t>> first_and_count) {
    std::vector<Card> cards;
    for (const auto& [first, count] : first_and_count) {
        cards.emplace_back().first_cpu = first;
        cards.back().placement.cpu_count = count;
    }
    return cards;
}

TEST(CardCrowded, MoreRanksThanCpusThatTheyMayUse) {
    EXPECT_FALSE(crowded({}));
    EXPECT_FALSE(crowded(cards_of({{0, 2}, {0, 2}})));
    EXPECT_TRUE(crowded(cards_of({{0, 2}, {0, 2}, {0, 2}})));
    EXPECT_FALSE(crowded(cards_of({{0, 1}, {1, 1}, {2, 1}, {3, 1}})));  // bound, one CPU each
    EXPECT_TRUE(crowded(cards_of({{0, 1}, {1, 1}, {1, 1}})));           // bound, two to the same one
}

TEST(CardCrowded, QuotaOfTheFirstRankCounts) {
    std::vector<Card> cards = cards_of({{0, 8}, {0, 8}, {0, 8}});
    cards[0].cpu_quota = 3;
    EXPECT_FALSE(crowded(cards));
    cards[0].cpu_quota = 2;
    EXPECT_TRUE(crowded(cards));
}

TEST(CardCrowded, NotOnSeveralHosts) {
    std::vector<Card> cards = cards_of({{0, 1}, {0, 1}});
    cards[1].host.boot_id.back() ^= 1U;
    EXPECT_FALSE(crowded(cards));
}

TEST(HostIdentity, OneMachineSharesMemoryWhateverItsName) {
    const HostIdentity here = this_host();
    HostIdentity there = here;
    EXPECT_TRUE(same_shared_memory(here, there));
    there.host_name = {"elsewhere"};
    there.mount_namespace ^= 1U;
    EXPECT_TRUE(same_shared_memory(here, there));
    EXPECT_TRUE(same_process_space(here, there));
    there.boot_id.back() ^= 1U;
    EXPECT_FALSE(same_shared_memory(here, there));
    there = here;
    there.pid_namespace ^= 1U;
    EXPECT_FALSE(same_process_space(here, there));
}

/// Two containers on one machine: same kernel, each its own /dev/shm.
TEST(HostIdentity, AnotherShmMountIsAnotherMemory) {
    const HostIdentity here = this_host();
    constexpr int refused = 77;
    const int status = test::in_child([&] {
        if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
            return refused;
        if (!same_shared_memory(here, this_host())) return 1;  // a new namespace alone changes nothing
        if (::mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=1m") != 0) return refused;
        return same_shared_memory(here, this_host()) ? 2 : 0;
    });
    if (status == refused) GTEST_SKIP() << "the kernel allows this user no mount namespace";
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace rb2::bootstrap
