// The banks that a broadcast goes through where ranks share CPUs.
#include <gtest/gtest.h>

#include <memory>

#include "pt2pt/collective/shared_broadcast.hpp"

namespace {

using rb2::collective::SharedBanks;

TEST(SharedBanks, ABankIsFreeAgainOnceAllHaveReadIt) {
    const auto banks = std::make_unique<SharedBanks>();
    EXPECT_EQ(banks->claim(2), 0U);
    EXPECT_EQ(banks->claim(1), 1U);
    EXPECT_EQ(banks->claim(1), std::nullopt);
    banks->release(0);
    EXPECT_EQ(banks->claim(1), std::nullopt) << "one of two has read it";
    banks->release(0);
    EXPECT_EQ(banks->claim(3), 0U);
    banks->release(1);
    EXPECT_EQ(banks->claim(1), 1U);
}

TEST(SharedBanks, TheirMemoryIsApart) {
    const auto banks = std::make_unique<SharedBanks>();
    ASSERT_EQ(banks->bytes(0).size(), SharedBanks::kBankBytes);
    EXPECT_GE(banks->bytes(1).data(), banks->bytes(0).data() + SharedBanks::kBankBytes);
}

}  // namespace
