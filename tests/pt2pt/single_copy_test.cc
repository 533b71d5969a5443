// Long messages offered for a single copy: read by the receiver, or pushed through the ring when that is
// refused.
#include <gtest/gtest.h>

#include "tests/pt2pt/in_process.hpp"

namespace rb2::pt2pt {
namespace {

using testing::InProcessJob;
using testing::kContext;
using testing::pattern;

class SingleCopyEngine : public ::testing::TestWithParam<bool> {
  protected:
    SingleCopyEngine() : job_(2) {
        job_.transport(0).offers = true;
        job_.transport(1).refuses_pull = refused();
    }
    static bool refused() { return GetParam(); }
    InProcessJob job_;
};

TEST_P(SingleCopyEngine, PostedReceiveGetsTheMessage) {
    const auto sent = pattern(300000);
    std::vector<std::byte> got(sent.size());
    Request* receive = job_[1].ireceive(got, 0, kContext, 1);
    EXPECT_EQ(job_[0].send(sent, 1, kContext, 1), Status::ok);
    job_[1].wait(*receive);
    EXPECT_EQ(got, sent);
    EXPECT_EQ(receive->info().bytes, sent.size());
    EXPECT_EQ(job_.transport(1).pulls, 1);
    job_[1].release(receive);
}

TEST_P(SingleCopyEngine, LateReceiveGetsTheMessageAndNothingWasKept) {
    const auto sent = pattern(300000);
    Request* send = job_[0].isend(sent, 1, kContext, 1);
    for (int i = 0; i < 20; ++i) job_.progress_all();
    EXPECT_FALSE(send->complete());
    EXPECT_LE(job_[1].unexpected_bytes(0), sizeof(Unexpected));
    std::vector<std::byte> got(sent.size());
    EXPECT_EQ(job_[1].receive(got, kAnySource, kContext, kAnyTag), Status::ok);
    job_[0].wait(*send);
    job_[0].release(send);
    EXPECT_EQ(got, sent);
}

TEST_P(SingleCopyEngine, TruncationStopsAtTheBuffer) {
    const auto sent = pattern(300000);
    std::vector<std::byte> got(100000, std::byte{0x5a});
    Request* receive = job_[1].ireceive(std::span(got).first(50000), 0, kContext, 1);
    EXPECT_EQ(job_[0].send(sent, 1, kContext, 1), Status::ok);
    job_[1].wait(*receive);
    EXPECT_EQ(receive->info().status, Status::truncated);
    EXPECT_EQ(receive->info().bytes, sent.size());
    EXPECT_TRUE(std::equal(got.begin(), got.begin() + 50000, sent.begin()));
    EXPECT_TRUE(
        std::all_of(got.begin() + 50000, got.end(), [](std::byte b) { return b == std::byte{0x5a}; }));
    job_[1].release(receive);
}

TEST_P(SingleCopyEngine, RefusalIsRememberedByTheSender) {
    const auto sent = pattern(300000);
    for (int round = 0; round < 10; ++round) {
        std::vector<std::byte> got(sent.size());
        Request* receive = job_[1].ireceive(got, 0, kContext, 1);
        EXPECT_EQ(job_[0].send(sent, 1, kContext, 1), Status::ok);
        job_[1].wait(*receive);
        EXPECT_EQ(got, sent);
        job_[1].release(receive);
    }
    if (refused()) {
        EXPECT_EQ(job_.transport(1).pulls, 1);
    } else {
        EXPECT_GE(job_.transport(1).pulls, 1);
        EXPECT_LT(job_.transport(1).pulls, 10) << "the ring is tried as well";
    }
}

TEST_P(SingleCopyEngine, SynchronousAndInPlaceReceives) {
    const auto sent = pattern(300000);
    Request* send = job_[0].isend(sent, 1, kContext, 1, SendMode::synchronous);
    std::vector<std::byte> got;
    const InPlaceHandler handler{[](void* out, const MessageInfo&, std::span<const std::byte> message) {
                                     static_cast<std::vector<std::byte>*>(out)->assign(message.begin(),
                                                                                       message.end());
                                 },
                                 &got};
    EXPECT_EQ(job_[1].receive_in_place(handler, 0, kContext, 1), Status::ok);
    job_[0].wait(*send);
    job_[0].release(send);
    EXPECT_EQ(got, sent);
}

TEST(SingleCopyHalves, AReceiverAsksForThemAndAWaitingSenderLooks) {
    InProcessJob job(2);
    job.transport(0).offers = true;
    const auto sent = pattern(300000);
    for (int round = 0; round < 10; ++round) {
        std::vector<std::byte> got(sent.size());
        Request* send = job[0].isend(sent, 1, kContext, 1);
        job[0].progress();
        EXPECT_EQ(job[1].receive(got, 0, kContext, 1), Status::ok);
        job[0].wait(*send);
        job[0].release(send);
        EXPECT_EQ(got, sent);
    }
    EXPECT_GT(job.transport(1).halves, 0);
    EXPECT_GT(job.transport(0).helps, 0);
    EXPECT_EQ(job.transport(1).helps, 0) << "nothing of it waits";
    const int helps = job.transport(0).helps;
    for (int i = 0; i < 10; ++i) job.progress_all();
    EXPECT_EQ(job.transport(0).helps, helps) << "no offer is open any more";
}

TEST(LongRecords, AStreamGoesWholeAndAnAnsweredMessageInPieces) {
    InProcessJob job(2, 4096);
    const auto sent = pattern(40000);
    std::vector<std::byte> got(sent.size());
    const auto records_of_one = [&] {
        const int before = job.transport(0).notified[1];
        EXPECT_EQ(job[0].send(sent, 1, kContext, 1), Status::ok);
        return job.transport(0).notified[1] - before;
    };
    EXPECT_EQ(records_of_one(), 4) << "a quarter each: one is copied out while the next is copied in";
    EXPECT_EQ(records_of_one(), 1) << "the receiver is busy with the first one";
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(job[1].receive(got, 0, kContext, 1), Status::ok);
        EXPECT_EQ(got, sent);
    }
    EXPECT_EQ(job[1].send(pattern(4), 0, kContext, 1), Status::ok);
    EXPECT_EQ(job[0].receive(std::span(got).first(4), 1, kContext, 1), Status::ok);
    EXPECT_EQ(records_of_one(), 4);
    EXPECT_EQ(job[1].receive(got, 0, kContext, 1), Status::ok);
    EXPECT_EQ(got, sent);
}

TEST(LongRecords, WhatMayBeOfferedGoesWholeOnlyWhereLongMessagesGoOneWay) {
    InProcessJob job(2, 16384, {.eager_window = 128U << 10, .single_copy_bytes = 64U << 10});
    job.transport(0).offers = true;
    const auto sent = pattern(100000);
    std::vector<std::byte> got(sent.size());
    const auto goes_whole = [&] {
        Request* receive = job[1].ireceive(got, 0, kContext, 1);
        Request* send = job[0].isend(sent, 1, kContext, 1);
        const bool whole = send->complete();
        job[1].wait(*receive);
        job[0].wait(*send);
        job[0].release(send);
        job[1].release(receive);
        EXPECT_EQ(got, sent);
        return whole;
    };
    for (std::uint32_t i = 0; i < Peer::kOneWay; ++i) ASSERT_FALSE(goes_whole()) << i;
    EXPECT_TRUE(goes_whole());
    Request* back = job[0].ireceive(got, 1, kContext, 2);
    EXPECT_EQ(job[1].send(pattern(20000), 0, kContext, 2), Status::ok);
    job[0].wait(*back);
    job[0].release(back);
    EXPECT_FALSE(goes_whole()) << "a message was sent back";
    EXPECT_FALSE(goes_whole());
}

INSTANTIATE_TEST_SUITE_P(Kernel, SingleCopyEngine, ::testing::Bool(),
                         [](const auto& refused) { return refused.param ? "Refuses" : "Allows"; });

}  // namespace
}  // namespace rb2::pt2pt
