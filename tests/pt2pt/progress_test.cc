// What one round of progress takes from the rings, and whom it wakes.
#include "pt2pt/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

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

/// A stream from rank 0 to rank 1: receives of `bytes` posted, messages sent and waited for.
struct Stream {
    explicit Stream(int posted, std::size_t bytes = 8, int source = 0)
        : data(pattern(bytes)), got(static_cast<std::size_t>(posted), std::vector<std::byte>(bytes)) {
        for (auto& buffer : got) receives.push_back(job[1].ireceive(buffer, source, kContext, 7));
        job.transport(1).let_others_run = [] {};
    }
    void send(int messages) {
        for (int i = 0; i < messages; ++i) EXPECT_EQ(job[0].send(data, 1, kContext, 7), Status::ok);
    }
    /// Whenever rank 1 would wait, `messages` come.
    void send_while_waiting(int messages) {
        job.transport(1).let_others_run = [this, messages] { send(messages); };
    }
    void wait(std::size_t index) { job[1].wait(*receives[index]); }
    [[nodiscard]] long complete() const {
        return std::ranges::count_if(receives, [](const Request* receive) { return receive->complete(); });
    }
    /// Takes all; how often a batch was waited for.
    int finish() {
        for (Request* receive : receives) {
            job[1].wait(*receive);
            job[1].release(receive);
        }
        for (const auto& buffer : got) EXPECT_EQ(buffer, data);
        return job.transport(1).batches;
    }

    InProcessJob job{2};
    std::vector<std::byte> data;
    std::vector<std::vector<std::byte>> got;
    std::vector<Request*> receives;
};

TEST(Progress, TheRestOfAStreamsBatchIsWaitedFor) {
    Stream stream(20);
    stream.send(4);
    stream.send_while_waiting(16);
    EXPECT_EQ(stream.finish(), 1);
}

TEST(Progress, AStreamIsTakenBatchByBatch) {
    Stream stream(64);
    stream.send(64);
    stream.wait(0);
    EXPECT_EQ(stream.complete(), 32) << "as many as are worth it at once";
    EXPECT_EQ(stream.finish(), 0) << "all were there";
}

TEST(Progress, ABatchThatDoesNotComeIsNotWaitedForAgainSoon) {
    Stream stream(20);
    stream.send(4);
    stream.wait(0);
    EXPECT_EQ(stream.complete(), 4) << "what is there is taken all the same";
    EXPECT_EQ(stream.job.transport(1).batches, 1);
    stream.send_while_waiting(1);
    EXPECT_EQ(stream.finish(), 1);
}

TEST(Progress, AStreamThatIsUsedUpIsLetAhead) {
    Stream stream(40);
    stream.send(1);
    stream.job[1].progress();
    EXPECT_EQ(stream.complete(), 1);
    stream.send_while_waiting(39);
    EXPECT_EQ(stream.finish(), 1) << "what came a moment ago tells that more will";
}

TEST(Progress, NothingElseIsTakenInBatches) {
    const auto batches = [](Stream& stream, int sent, int later) {
        stream.send(sent);
        stream.send_while_waiting(later);
        return stream.finish();
    };
    Stream silent(20);
    EXPECT_EQ(batches(silent, 0, 20), 0) << "nothing has come yet";
    Stream any(20, 8, kAnySource);
    EXPECT_EQ(batches(any, 4, 16), 0) << "another rank's message may come";
    Stream few(8);
    EXPECT_EQ(batches(few, 4, 4), 0) << "few are awaited";
}

TEST(Progress, LongMessagesGetAHeadStartInstead) {
    for (const std::size_t bytes : {std::size_t{8000}, std::size_t{100000}}) {
        Stream stream(12, bytes);
        std::vector<Request*> sends;
        for (int i = 0; i < 12; ++i) sends.push_back(stream.job[0].isend(stream.data, 1, kContext, 7));
        stream.job.transport(1).let_others_run = [&] { stream.job[0].progress(); };
        EXPECT_EQ(stream.finish(), 0);
        EXPECT_GT(stream.job.transport(1).head_starts, 0) << bytes;
        for (Request* send : sends) {
            stream.job[0].wait(*send);
            stream.job[0].release(send);
        }
    }
}

}  // namespace
}  // namespace rb2::pt2pt
