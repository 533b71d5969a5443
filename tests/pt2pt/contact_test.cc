// Ranks that have no channel to each other until one of them sends.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "pt2pt/engine.hpp"
#include "tests/pt2pt/in_process.hpp"

namespace rb2::pt2pt {
namespace {

using testing::InProcessJob;
using testing::kContext;
using testing::pattern;

constexpr bool kOnDemand = true;

struct Job : InProcessJob {
    explicit Job(int size, std::uint64_t slots = 256) : InProcessJob(size, slots, {}, kOnDemand) {}
    int channels(int rank) {
        int count = 0;
        for (const auto& channel : transport(rank).channels) count += channel != nullptr ? 1 : 0;
        return count;
    }
};

TEST(Contact, OnlyThePairThatSpeaksMakesAChannel) {
    Job job(4);
    const auto data = pattern(8);
    std::vector<std::byte> got(8);
    ASSERT_EQ(job[1].send(data, 3, kContext, 5), Status::ok);
    MessageInfo info;
    ASSERT_EQ(job[3].receive(got, kAnySource, kContext, 5, &info), Status::ok);
    EXPECT_EQ(got, data);
    EXPECT_EQ(info.source, 1);
    job.progress_all();
    EXPECT_EQ(job.channels(0), 0);
    EXPECT_EQ(job.channels(1), 1);
    EXPECT_EQ(job.channels(3), 1);
}

TEST(Contact, FromBothSidesAtOnce) {
    Job job(2);
    std::vector<std::byte> got(8);
    for (int rank : {0, 1})
        ASSERT_EQ(job[rank].send(pattern(8, 7U + rank), 1 - rank, kContext, 5), Status::ok);
    for (int rank : {0, 1}) {
        ASSERT_EQ(job[rank].receive(got, 1 - rank, kContext, 5), Status::ok);
        EXPECT_EQ(got, pattern(8, 8U - rank));
    }
}

TEST(Contact, ARoundOfProgressThatMeetsAPeerAlsoHearsIt) {
    Job job(3);
    ASSERT_EQ(job[2].send(pattern(8), 0, kContext, 5), Status::ok);
    EXPECT_EQ(job[0].progress(), 2) << "a contact and a record";
    EXPECT_EQ(job[0].matcher().unexpected_count(), 1U);
    EXPECT_EQ(job[0].progress(), 0);
}

TEST(Contact, LongMessagesMeetToo) {
    Job job(3);
    const auto data = pattern(300'000);
    std::vector<std::byte> got(data.size());
    Request* const receive = job[2].ireceive(got, 0, kContext, 5);
    ASSERT_EQ(job[0].send(data, 2, kContext, 5), Status::ok);
    job[2].wait(*receive);
    job[2].release(receive);
    EXPECT_EQ(got, data);
}

TEST(Contact, AReservationMeets) {
    Job job(3);
    Reservation place = job[0].reserve(8, 1, kContext, 5);
    ASSERT_EQ(place.payload.size(), 8U);
    std::fill(place.payload.begin(), place.payload.end(), std::byte{3});
    job[0].commit(place, 8);
    std::vector<std::byte> got(8);
    ASSERT_EQ(job[1].receive(got, 0, kContext, 5), Status::ok);
    EXPECT_EQ(got, std::vector<std::byte>(8, std::byte{3}));
}

TEST(Contact, AStrangerThatFinalizedIsHeardBeforeAWaitIsGivenUp) {
    Job job(2);
    ASSERT_EQ(job[1].send(pattern(8), 0, kContext, 5), Status::ok);
    job.transport(0).gone.insert(1);
    std::vector<std::byte> got(8);
    EXPECT_EQ(job[0].receive(got, kAnySource, kContext, 5), Status::ok);
    EXPECT_THROW((void)job[0].receive(got, kAnySource, kContext, 5), std::runtime_error);
}

}  // namespace
}  // namespace rb2::pt2pt
