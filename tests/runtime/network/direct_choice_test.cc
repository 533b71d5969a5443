// Another measurement, another choice.
#include "runtime/network/direct_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rb2::network {
namespace {

using memory::critical_size::Crossing;
using ::testing::HasSubstr;

memory::critical_size::Result measured(Crossing resident) {
    memory::critical_size::Result result;
    result.crossings.of[0] = resident;
    result.source = "a file";
    return result;
}

TEST(DirectChoice, FollowsTheMeasurement) {
    EXPECT_EQ(choose_direct(0, true, measured({100'000, 200'000})).from, 100'000U);
    EXPECT_EQ(choose_direct(0, true, measured({30'000, 200'000})).from, 30'000U);
    EXPECT_THAT(choose_direct(0, true, measured({1, 2})).why, HasSubstr("a file"));
}

TEST(DirectChoice, WithoutACacheDeregisteringCountsToo) {
    EXPECT_EQ(choose_direct(0, false, measured({100'000, 200'000})).from, 200'000U);
    EXPECT_EQ(choose_direct(0, false, measured({100'000, Crossing::kNever})).from, Crossing::kNever);
}

TEST(DirectChoice, AWishIsGranted) {
    EXPECT_EQ(choose_direct(5, true, measured({100'000, 200'000})).from, 5U);
    EXPECT_EQ(choose_direct_of_tcp(5).from, 5U);
    EXPECT_THAT(choose_direct_of_tcp(5).why, HasSubstr("RB2_DIRECT_BYTES"));
    EXPECT_EQ(choose_direct_of_tcp(0).from, 2097152U);
}

TEST(DirectChoice, BuffersUsedAgainAreRegisteredFromWhereTheReceiverIsAskedAnyway) {
    EXPECT_EQ(eager_window(0, 256U << 10), 64U << 10);
    EXPECT_EQ(eager_window(5000, 256U << 10), 5000U);
    EXPECT_EQ(reused_from(0, eager_window(5000, 256U << 10)), 5001U) << "RB2_EAGER_BYTES counts here, too";
    EXPECT_EQ(reused_from(4096, 5000), ~std::uint64_t{0}) << "one limit for all buffers";
}

}  // namespace
}  // namespace rb2::network
