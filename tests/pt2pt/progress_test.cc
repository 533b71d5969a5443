// What one round of progress takes from the rings, and whom it wakes.
#include "pt2pt/engine.hpp"

#include <gtest/gtest.h>

#include "tests/pt2pt/in_process.hpp"

namespace rb2::pt2pt {
namespace {

using testing::InProcessJob;
using testing::kContext;
using testing::pattern;

TEST(Progress, ReceivingWakesTheSenderOnlyWhenCreditsGoBack) {
    InProcessJob job(2, 256);
    const auto data = pattern(8);
    std::vector<std::byte> got(8);
    const auto exchange = [&] {
        EXPECT_EQ(job[0].send(data, 1, kContext, 1), Status::ok);
        EXPECT_EQ(job[1].receive(got, 0, kContext, 1), Status::ok);
    };
    exchange();
    EXPECT_EQ(job.transport(1).notified[0], 0) << "one record is far from a quarter of the ring";
    for (int i = 1; i < 256; ++i) exchange();
    EXPECT_EQ(job.transport(1).notified[0], 4) << "lazy push: four times a lap";
}

TEST(Progress, AReceiveLeavesLaterMessagesInTheRing) {
    InProcessJob job(2);
    for (unsigned i = 0; i < 5; ++i) ASSERT_EQ(job[0].send(pattern(8, i), 1, kContext, 7), Status::ok);
    std::vector<std::byte> got(8);
    for (unsigned i = 0; i < 5; ++i) {
        ASSERT_EQ(job[1].receive(got, 0, kContext, 7), Status::ok);
        EXPECT_EQ(got, pattern(8, i));
        EXPECT_EQ(job[1].matcher().unexpected_count(), 0U) << "message " << i;
    }
    EXPECT_EQ(job[1].matcher().statistics().longest_unexpected, 0U);
}

TEST(Progress, ARoundServesAllPostedReceivesBeforeItEnds) {
    InProcessJob job(2);
    std::vector<std::vector<std::byte>> got(3, std::vector<std::byte>(8));
    std::vector<Request*> receives;
    for (auto& buffer : got) receives.push_back(job[1].ireceive(buffer, 0, kContext, 7));
    for (unsigned i = 0; i < 4; ++i) ASSERT_EQ(job[0].send(pattern(8, i), 1, kContext, 7), Status::ok);
    job[1].wait(*receives[0]);
    for (unsigned i = 0; i < 3; ++i) {
        EXPECT_TRUE(receives[i]->complete());
        EXPECT_EQ(got[i], pattern(8, i));
        job[1].release(receives[i]);
    }
    EXPECT_EQ(job[1].matcher().unexpected_count(), 0U);
}

TEST(Progress, ABusyPeerDoesNotKeepAnotherFromBeingHeard) {
    InProcessJob job(3);
    for (unsigned i = 0; i < 8; ++i) ASSERT_EQ(job[0].send(pattern(8, i), 2, kContext, 7), Status::ok);
    ASSERT_EQ(job[1].send(pattern(8), 2, kContext, 7), Status::ok);
    std::vector<std::byte> got(8);
    int rounds = 0;
    for (MessageInfo info; info.source != 1; ++rounds)
        ASSERT_EQ(job[2].receive(got, kAnySource, kContext, 7, &info), Status::ok);
    EXPECT_LE(rounds, 2);
    for (int left = 9 - rounds; left > 0; --left)
        ASSERT_EQ(job[2].receive(got, kAnySource, kContext, 7), Status::ok);
}

}  // namespace
}  // namespace rb2::pt2pt
