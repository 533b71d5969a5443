// Buffers that are used again and again earn their registration.
#include "runtime/network/reuse.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace rb2::network {
namespace {

class ReuseTest : public testing::Test {
  protected:
    /// Uses of the buffer that are copied before it has earned `worth`.
    int copies(std::span<const std::byte> buffer, std::uint64_t worth) {
        int count = 0;
        while (!reuse_.earned(buffer, worth)) {
            reuse_.copied(buffer);
            ++count;
        }
        return count;
    }

    std::vector<std::byte> memory_ = std::vector<std::byte>(1U << 20);
    Reuse reuse_;
};

TEST_F(ReuseTest, AsMuchIsCopiedAsRegisteringIsWorth) {
    EXPECT_EQ(copies(memory_, 1U << 20), 0) << "at once, as large as it is";
    EXPECT_EQ(copies(std::span(memory_).first(100'000), 1'000'000), 9);
    EXPECT_TRUE(reuse_.earned(std::span(memory_).first(100'000), 1'000'000)) << "and from then on";
}

TEST_F(ReuseTest, EachBufferEarnsItsOwn) {
    EXPECT_EQ(copies(std::span(memory_).first(100'000), 300'000), 2);
    EXPECT_EQ(copies(std::span(memory_).subspan(100'000, 100'000), 300'000), 2);
    EXPECT_EQ(copies(std::span(memory_).first(100'001), 300'000), 2) << "of the same place, but another one";
}

TEST_F(ReuseTest, WhatHadToBeRegisteredAnewStartsAgain) {
    EXPECT_EQ(copies(memory_, 3U << 20), 2);
    reuse_.registered(memory_);
    EXPECT_EQ(copies(memory_, 3U << 20), 0) << "for the first time";
    reuse_.registered(memory_);
    EXPECT_EQ(copies(memory_, 3U << 20), 2);
    reuse_.registered(std::span(memory_).first(5));
    EXPECT_EQ(copies(memory_, 3U << 20), 0) << "another buffer";
}

TEST_F(ReuseTest, ManyBuffersUsedOnceEarnNothing) {
    for (int lap = 0; lap < 20; ++lap) {
        for (std::size_t at = 0; at + 256 <= memory_.size(); at += 256) {
            const auto buffer = std::span(memory_).subspan(at, 256);
            EXPECT_FALSE(reuse_.earned(buffer, 16 * 256));
            reuse_.copied(buffer);
        }
    }
}

}  // namespace
}  // namespace rb2::network
