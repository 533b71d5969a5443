#include "runtime/network/fabrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rb2::network {
namespace {

using testing::HasSubstr;

constexpr FabricSet set(std::initializer_list<Fabric> fabrics) {
    FabricSet result;
    for (const Fabric fabric : fabrics) result = result.with(fabric);
    return result;
}

constexpr FabricSet kAll = FabricSet::all();
constexpr FabricSet kTcp = set({Fabric::tcp});
constexpr FabricSet kShm = set({Fabric::shm});

TEST(Choose, TakesTheFirstThatBothHave) {
    EXPECT_EQ(choose(kAll, kAll, true), Fabric::shm);
    EXPECT_EQ(choose(kAll, kAll, false), Fabric::verbs);
    EXPECT_EQ(choose(kAll, set({Fabric::shm, Fabric::tcp}), false), Fabric::tcp);
    EXPECT_EQ(choose(kAll, kTcp, true), Fabric::tcp);
    EXPECT_EQ(choose(kShm, kTcp, true), std::nullopt);
    EXPECT_EQ(choose(kShm, kShm, false), std::nullopt);
    EXPECT_EQ(choose(FabricSet(), kAll, true), std::nullopt);
}

TEST(Choose, IsTheSameSeenFromBothSides) {
    for (std::uint32_t a = 0; a < 8; ++a) {
        for (std::uint32_t b = 0; b < 8; ++b) {
            for (const bool shared : {false, true})
                EXPECT_EQ(choose(FabricSet(a), FabricSet(b), shared),
                          choose(FabricSet(b), FabricSet(a), shared));
        }
    }
}

TEST(ParseFabrics, ReadsAList) {
    EXPECT_EQ(parse_fabrics("tcp").bits(), kTcp.bits());
    EXPECT_EQ(parse_fabrics("tcp,shm,verbs").bits(), kAll.bits());
}

TEST(ParseFabrics, NamesWhatItDoesNotKnow) {
    for (const auto* const list : {"ib", "tcp,ib", "ib,tcp"}) {
        try {
            static_cast<void>(parse_fabrics(list));
            FAIL() << list;
        } catch (const StartupError& error) {
            EXPECT_THAT(error.what(), HasSubstr("unknown fabric 'ib'"));
            EXPECT_THAT(error.what(), HasSubstr("shm, verbs, tcp"));
        }
    }
    EXPECT_THROW(static_cast<void>(parse_fabrics("")), StartupError);
    EXPECT_THROW(static_cast<void>(parse_fabrics("tcp,")), StartupError);
}

TEST(Names, AreForPeople) {
    EXPECT_EQ(names(kAll), "shm, verbs, tcp");
    EXPECT_EQ(names(kTcp), "tcp");
    EXPECT_EQ(names(FabricSet()), "none");
}

TEST(RingSlots, FitTheBudgetAndNeverGoBelowTheLeast) {
    EXPECT_EQ(network_ring_slots(1), 4096U);
    std::uint64_t before = network_ring_slots(0);
    for (std::size_t peers = 1; peers < 100000; peers *= 2) {
        const std::uint64_t slots = network_ring_slots(peers);
        EXPECT_LE(slots, before);
        EXPECT_GE(slots, 64U);
        EXPECT_EQ(slots & (slots - 1), 0U);
        EXPECT_TRUE(slots == 64 || slots * 128 * peers <= 256U << 20);
        before = slots;
    }
}

}  // namespace
}  // namespace rb2::network
