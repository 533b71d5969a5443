#include "runtime/network/blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/status.hpp"

namespace rb2::network {
namespace {

TEST(Blocks, AreZeroAlignedAndApart) {
    const Blocks blocks(ring::Parameters::messaging(128), 3);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto block = blocks.block(i);
        EXPECT_EQ(block.size(), blocks.layout().bytes());
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % ring::kLinePairBytes, 0U);
        EXPECT_TRUE(std::ranges::all_of(block, [](std::byte byte) { return byte == std::byte{0}; }));
        std::ranges::fill(block, static_cast<std::byte>(i + 1));
    }
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(blocks.block(i).back(), static_cast<std::byte>(i + 1));
}

TEST(Blocks, TooManyAreRefusedWithTheReason) {
    try {
        const Blocks blocks(ring::Parameters::messaging(1U << 30), 1U << 20);
        FAIL();
    } catch (const StartupError& error) {
        EXPECT_NE(std::string(error.what()).find("1048576 network peers"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace rb2::network
