#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "osu-style-bench/engine/page_buffer.hpp"
#include "osu-style-bench/engine/pattern.hpp"
#include "osu-style-bench/engine/statistics.hpp"

namespace rb2::bench {
namespace {

TEST(Statistics, MedianIsTheMiddleOrTheMeanOfTheTwoMiddleOnes) {
    EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
    EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
    EXPECT_DOUBLE_EQ(median({7}), 7);
    EXPECT_THROW(median({}), std::invalid_argument);
}

TEST(Statistics, PercentileIsTheNearestRank) {
    std::vector<double> values;
    for (int i = 1000; i >= 1; --i) {
        values.push_back(i);
    }
    EXPECT_DOUBLE_EQ(percentile(values, 0), 1);
    EXPECT_DOUBLE_EQ(percentile(values, 0.5), 500);
    EXPECT_DOUBLE_EQ(percentile(values, 0.99), 990);
    EXPECT_DOUBLE_EQ(percentile(values, 0.999), 999);
    EXPECT_DOUBLE_EQ(percentile(values, 1), 1000);
    EXPECT_THROW(percentile({}, 0.5), std::invalid_argument);
    EXPECT_THROW(percentile({1}, 1.1), std::invalid_argument);
}

TEST(Pattern, IsRecognisedAtEveryLength) {
    for (const std::size_t length : {0, 1, 7, 8, 9, 63, 64, 65, 1000}) {
        std::vector<std::byte> data(length);
        fill_pattern(data, pattern_seed(3, 9));
        EXPECT_FALSE(find_mismatch(data, pattern_seed(3, 9)).has_value()) << length;
    }
}

TEST(Pattern, ASingleWrongByteIsFoundWhereverItIs) {
    for (std::size_t wrong = 0; wrong < 29; ++wrong) {
        std::vector<std::byte> data(29);
        fill_pattern(data, 1);
        const std::byte good = data[wrong];
        data[wrong] ^= std::byte{0x10};
        const auto mismatch = find_mismatch(data, 1);
        ASSERT_TRUE(mismatch.has_value()) << wrong;
        EXPECT_EQ(mismatch->offset, wrong);
        EXPECT_EQ(mismatch->expected, good);
        EXPECT_EQ(mismatch->found, data[wrong]);
    }
}

TEST(Pattern, DiffersBySenderBySequenceAndByPosition) {
    std::vector<std::byte> data(4096);
    fill_pattern(data, pattern_seed(0, 0));
    EXPECT_TRUE(find_mismatch(data, pattern_seed(1, 0)).has_value());
    EXPECT_TRUE(find_mismatch(data, pattern_seed(0, 1)).has_value());
    EXPECT_TRUE(find_mismatch(std::span(data).subspan(64), pattern_seed(0, 0)).has_value());
}

TEST(PageBuffer, StartsOnAPageAndIsCutInPieces) {
    const PageBuffer buffer(3 * 1000);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.first(0).data()) % PageBuffer::kPageBytes, 0U);
    EXPECT_EQ(buffer.piece(2, 1000).data(), buffer.first(1).data() + 2000);
    EXPECT_EQ(buffer.piece(2, 1000).size(), 1000U);
}

TEST(PageBuffer, OfNoBytesStillHasAnAddress) { EXPECT_NE(PageBuffer(0).first(0).data(), nullptr); }

}  // namespace
}  // namespace rb2::bench
