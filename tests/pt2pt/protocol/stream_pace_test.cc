// The batches of a stream, and when the receiver gives up waiting for them.
#include "pt2pt/protocol/stream_pace.hpp"

#include <gtest/gtest.h>

namespace rb2::pt2pt {
namespace {

constexpr std::uint64_t kLap = 1024;

TEST(StreamPace, ABatchIsOfSoManyRecordsOrSlots) {
    EXPECT_EQ(StreamPace::batch(1, 64, kLap).records, 32U);
    EXPECT_EQ(StreamPace::batch(5, 64, kLap).records, 19U);
    EXPECT_EQ(StreamPace::batch(17, 64, kLap).records, 15U) << "of 1 KiB: more slots";
    EXPECT_EQ(StreamPace::batch(65, 64, kLap).records, 4U);
    EXPECT_EQ(StreamPace::batch(65, 64, 2 * 65).records, 2U);
    EXPECT_LT(StreamPace::batch(129, 64, kLap).records, 2U) << "copying takes longer than the lines' ways";
}

TEST(StreamPace, ABatchIsNoMoreThanIsAwaitedAndIsWithinReach) {
    EXPECT_EQ(StreamPace::batch(1, 9, kLap).records, 9U);
    EXPECT_EQ(StreamPace::batch(5, 64, 12).records, 2U);
    EXPECT_EQ(StreamPace::batch(5, 64, 4).records, 0U);
}

TEST(StreamPace, ABatchKnowsWhereItsLastRecordBegins) {
    const StreamPace::Batch batch = StreamPace::batch(5, 10, kLap);
    EXPECT_EQ(batch.slots, 50U);
    EXPECT_EQ(batch.last, 45U);
}

TEST(StreamPace, PatienceGrowsWithTheBatch) {
    EXPECT_LT(StreamPace::batch(1, 16, kLap).patience, StreamPace::batch(1, 32, kLap).patience);
    EXPECT_LT(StreamPace::batch(1, 16, kLap).patience, StreamPace::batch(2, 16, kLap).patience);
}

/// Times that due() says no after one more batch has not come.
int rest_after_break(StreamPace& pace) {
    pace.broken();
    int rest = 0;
    while (!pace.due()) ++rest;
    return rest;
}

TEST(StreamPace, RestsLongerEachTimeInARow) {
    StreamPace pace;
    EXPECT_TRUE(pace.due());
    const int first = rest_after_break(pace);
    EXPECT_GT(first, 0);
    EXPECT_EQ(rest_after_break(pace), 2 * first);
    for (int i = 0; i < 20; ++i) rest_after_break(pace);
    EXPECT_EQ(rest_after_break(pace), 16 * first) << "a stream that begins is found again";
}

TEST(StreamPace, ABatchThatCameMakesTheNextRestShortAgain) {
    StreamPace pace;
    const int first = rest_after_break(pace);
    rest_after_break(pace);
    pace.kept();
    EXPECT_EQ(rest_after_break(pace), first);
}

}  // namespace
}  // namespace rb2::pt2pt
