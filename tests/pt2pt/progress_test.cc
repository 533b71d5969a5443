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

/// How often a rank that has posted `posted` receives gives the sender a head start, where `sent` messages
/// are there at once and the others as soon as it waits for them.
int head_starts(int posted, int source, int sent) {
    InProcessJob job(2);
    const auto data = pattern(8);
    std::vector<std::vector<std::byte>> got(static_cast<std::size_t>(posted), std::vector<std::byte>(8));
    std::vector<Request*> receives;
    for (auto& buffer : got) receives.push_back(job[1].ireceive(buffer, source, kContext, 7));
    int to_send = posted;
    const auto send_until = [&](int left) {
        for (; to_send > left; --to_send) EXPECT_EQ(job[0].send(data, 1, kContext, 7), Status::ok);
    };
    send_until(posted - sent);
    job.transport(1).let_others_run = [&] { send_until(0); };
    for (Request* receive : receives) {
        job[1].wait(*receive);
        job[1].release(receive);
    }
    return job.transport(1).head_starts;
}

TEST(Progress, AStreamThatIsUsedUpGetsAHeadStart) { EXPECT_EQ(head_starts(20, 0, 4), 1); }
TEST(Progress, NothingElseGetsAHeadStart) {
    EXPECT_EQ(head_starts(20, 0, 0), 0) << "nothing has come yet";
    EXPECT_EQ(head_starts(20, kAnySource, 4), 0) << "another rank's message may come";
    EXPECT_EQ(head_starts(8, 0, 4), 0) << "few are awaited";
}

}  // namespace
}  // namespace rb2::pt2pt
