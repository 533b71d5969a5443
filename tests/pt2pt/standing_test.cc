// What an engine shows in its page: counters, and where it stands when asked.
#include <gtest/gtest.h>

#include <stdexcept>

#include "pt2pt/engine.hpp"
#include "runtime/state/own_page.hpp"
#include "tests/pt2pt/in_process.hpp"

namespace rb2::pt2pt {
namespace {

using state::Stage;
using state::Standing;
using state::WaitKind;
using testing::InProcessJob;
using testing::kContext;
using testing::pattern;
using testing::TestEngine;

/// Two ranks, of which rank 0 has a page.
class Shown : public ::testing::Test {
  protected:
    Shown() { job[0].show_in(page); }

    /// Somebody asks, and rank 0 sees it in a wait that does not end.
    template <class Wait>
    const Standing& standing_in(Wait wait) {
        page.page().asked = 1;
        job.transport(0).patience = 200;  // rounds until the wait is given up
        EXPECT_THROW(wait(), std::runtime_error);
        EXPECT_EQ(page.page().standing.answer, 1U);
        return page.page().standing;
    }

    InProcessJob job{2};
    state::OwnPage page{"", 0, 2};
    std::vector<std::byte> room = std::vector<std::byte>(1 << 20);
};

TEST_F(Shown, EveryKindOfMessageIsCountedOnceOnEitherSide) {
    state::OwnPage other{"", 1, 2};
    job[1].show_in(other);
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;
    for (const std::size_t size : {0U, 8U, 3000U, 20'000U, 500'000U}) {
        for (const SendMode mode : {SendMode::standard, SendMode::synchronous}) {
            const auto data = pattern(size);
            Request* const receive = job[1].ireceive(room, 0, kContext, 1);
            ASSERT_EQ(job[0].send(data, 1, kContext, 1, mode), Status::ok);
            job[1].wait(*receive);
            job[1].release(receive);
            bytes += size;
            ++messages;
        }
    }
    EXPECT_EQ(page.traffic()[1].sent_messages, messages);
    EXPECT_EQ(page.traffic()[1].sent_bytes, bytes);
    EXPECT_EQ(page.traffic()[1].received_messages, 0U);
    EXPECT_EQ(other.traffic()[0].received_messages, messages);
    EXPECT_EQ(other.traffic()[0].received_bytes, bytes);
    // All synchronous ones, and the long one: they wait for an answer.
    EXPECT_EQ(page.page().totals.rendezvous_messages, 6U);
}

TEST_F(Shown, ASingleCopyIsNoRendezvousAnyMore) {
    job.transport(0).offers = true;
    const auto data = pattern(100'000);
    Request* const receive = job[1].ireceive(room, 0, kContext, 1);
    ASSERT_EQ(job[0].send(data, 1, kContext, 1), Status::ok);
    job[1].wait(*receive);
    job[1].release(receive);
    ASSERT_EQ(job.transport(1).pulls, 1);
    EXPECT_EQ(page.page().totals.single_copy_messages, 1U);
    EXPECT_EQ(page.page().totals.single_copy_bytes, 100'000U);
    EXPECT_EQ(page.page().totals.rendezvous_messages, 0U);
}

TEST_F(Shown, UnexpectedAndOwnMessagesAreCounted) {
    ASSERT_EQ(job[1].send(pattern(10), 0, kContext, 1), Status::ok);
    ASSERT_EQ(job[0].send(pattern(7), 0, kContext, 1), Status::ok);
    job[0].progress();
    EXPECT_EQ(page.traffic()[1].received_messages, 1U);
    EXPECT_EQ(page.traffic()[1].received_bytes, 10U);
    EXPECT_EQ(page.traffic()[0].sent_messages, 1U);
    EXPECT_EQ(page.traffic()[0].received_bytes, 7U);
}

TEST_F(Shown, WhatAFullRingRefusesIsNotCountedTwice) {
    const auto data = pattern(100);
    std::vector<Request*> requests;
    for (int i = 0; i < 2000; ++i) requests.push_back(job[0].isend(data, 1, kContext, i));
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(job[1].receive(room, 0, kContext, i), Status::ok);
    for (Request* const request : requests) {
        if (TestEngine::is_immediate(request)) continue;
        job[0].wait(*request);
        job[0].release(request);
    }
    EXPECT_EQ(page.traffic()[1].sent_messages, 2000U);
    EXPECT_EQ(page.traffic()[1].sent_bytes, 200'000U);
}

TEST(ShownWithASmallBudget, WhatStaysInTheRingIsNotCountedYet) {
    EngineConfig config;
    config.unexpected_budget = 1;
    InProcessJob job(2, 256, config);
    state::OwnPage page("", 0, 2);
    job[0].show_in(page);
    for (int i = 0; i < 2; ++i) ASSERT_EQ(job[1].send(pattern(10), 0, kContext, i), Status::ok);
    for (int i = 0; i < 5; ++i) job[0].progress();
    EXPECT_EQ(page.traffic()[1].received_messages, 1U);
    EXPECT_EQ(page.traffic()[1].received_bytes, 10U);
    std::vector<std::byte> room(10);
    for (int i = 0; i < 2; ++i) ASSERT_EQ(job[0].receive(room, 1, kContext, i), Status::ok);
    EXPECT_EQ(page.traffic()[1].received_messages, 2U);
    EXPECT_EQ(page.traffic()[1].received_bytes, 20U);
}

TEST_F(Shown, CountersFromBeforeThePageAreTaken) {
    ASSERT_EQ(job[1].send(pattern(10), 0, kContext, 1), Status::ok);
    state::OwnPage late{"", 1, 2};
    job[1].show_in(late);
    EXPECT_EQ(late.traffic()[0].sent_bytes, 10U);
}

TEST_F(Shown, AReceive) {
    const Standing& standing =
        standing_in([&] { static_cast<void>(job[0].receive(std::span(room).first(9), 1, kContext, 7)); });
    ASSERT_EQ(standing.wait_count, 1U);
    EXPECT_EQ(standing.waits[0].kind, WaitKind::receive);
    EXPECT_EQ(standing.waits[0].peer, 1);
    EXPECT_EQ(standing.waits[0].tag, 7);
    EXPECT_EQ(standing.waits[0].bytes, 9U);
    EXPECT_EQ(standing.posted.count, 1U);
    EXPECT_EQ(standing.posted.first[0].peer, 1);
    EXPECT_EQ(standing.posted.first[0].bytes, 9U);
}

TEST_F(Shown, ASynchronousSendWithQueues) {
    for (int i = 0; i < 10; ++i) ASSERT_EQ(job[1].send(pattern(5), 0, kContext, i), Status::ok);
    const auto data = pattern(6);
    const Standing& standing =
        standing_in([&] { static_cast<void>(job[0].send(data, 1, kContext, 8, SendMode::synchronous)); });
    EXPECT_EQ(standing.waits[0].kind, WaitKind::send);
    EXPECT_EQ(standing.waits[0].bytes, 6U);
    EXPECT_EQ(standing.unexpected.count, 10U);
    EXPECT_EQ(standing.unexpected.listed, Standing::kListed);
    EXPECT_EQ(standing.unexpected.first[1].tag, 1);
    ASSERT_EQ(standing.sends.count, 1U);
    EXPECT_EQ(standing.sends.first[0].stage, Stage::offered);
    EXPECT_EQ(standing.sends.first[0].tag, 8);
}

TEST_F(Shown, AWaitForSeveral) {
    Request* const receive = job[0].ireceive(room, kAnySource, kContext, kAnyTag);
    const Standing& standing = standing_in([&] { job[0].wait(*receive, 3); });
    EXPECT_EQ(standing.waits[0].of, 3U);
    EXPECT_EQ(standing.waits[0].peer, state::kAnyRank);
    EXPECT_EQ(standing.waits[0].tag, state::kAnyTag);
}

TEST_F(Shown, AnyOfSeveral) {
    const Standing& standing = standing_in([&] { job[0].wait_for_any(4, [] { return false; }); });
    EXPECT_EQ(standing.waits[0].kind, WaitKind::any_of);
    EXPECT_EQ(standing.waits[0].of, 4U);
}

TEST_F(Shown, ACollectiveByItsName) {
    CollectiveCalls calls{kContext / 2};
    job[0].count_collectives(calls);
    calls.function = "MPI_Barrier";
    calls.count(7);
    EXPECT_EQ(page.page().collectives[0].communicator, 1U);
    EXPECT_EQ(page.page().collectives[0].calls, 7U);
    const Standing& standing =
        standing_in([&] { static_cast<void>(job[0].receive(room, 1, kContext + 1, 7)); });
    EXPECT_STREQ(standing.waits[0].collective, "MPI_Barrier");
    job[0].forget_collectives(calls);
    EXPECT_EQ(page.page().collectives[0].communicator, 0U);
}

TEST_F(Shown, PollsAnswerToo) {
    for (int i = 0; i < 100; ++i) job[0].poll();
    EXPECT_EQ(page.page().standing.answer, 0U);
    page.page().asked = 1;
    for (int i = 0; i < 100; ++i) job[0].poll();
    EXPECT_EQ(page.page().standing.answer, 1U);
    EXPECT_EQ(page.page().standing.wait_count, 0U);
    EXPECT_GT(page.page().standing.polls, 100U);
}

TEST_F(Shown, TheFingerprintChangesWithEveryMessage) {
    page.page().asked = 1;
    for (int i = 0; i < 16; ++i) job[0].poll();
    const std::uint64_t before = page.page().standing.fingerprint;
    ASSERT_EQ(job[1].send(pattern(5), 0, kContext, 1), Status::ok);
    page.page().asked = 2;
    for (int i = 0; i < 32; ++i) job[0].poll();
    EXPECT_NE(page.page().standing.fingerprint, before);
}

}  // namespace
}  // namespace rb2::pt2pt
