// Waits that a finalized peer can no longer end.
#include "pt2pt/engine.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/pt2pt/in_process.hpp"

namespace rb2::pt2pt {
namespace {

using testing::InProcessJob;
using testing::kContext;
using testing::pattern;

/// What the engine says when it gives up waiting.
template <class Wait>
std::string hopeless(Wait wait) {
    try {
        wait();
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "it did not give up";
}

TEST(Departed, AReceiveFromAFinalizedRankEnds) {
    InProcessJob job(3);
    job.transport(0).gone = {1};
    std::vector<std::byte> got(8);
    EXPECT_EQ(
        hopeless([&] { static_cast<void>(job[0].receive(got, 1, kContext, 7)); }),
        "waits for a message from rank 1 with tag 7, but rank 1 has finalized. Check that every receive "
        "has its send.");
}

TEST(Departed, WhatItSentBeforeIsReceived) {
    InProcessJob job(2);
    const auto sent = pattern(8);
    ASSERT_EQ(job[1].send(sent, 0, kContext, 7), Status::ok);
    job.transport(0).gone = {1};
    std::vector<std::byte> got(8);
    EXPECT_EQ(job[0].receive(got, 1, kContext, 7), Status::ok);
    EXPECT_EQ(got, sent);
}

TEST(Departed, AnySourceEndsOnlyWhenAllOthersHaveFinalized) {
    InProcessJob job(3);
    job.transport(0).gone = {1};
    std::vector<std::byte> got(8);
    job.transport(0).let_others_run = [&] {
        if (job.transport(0).idle_count == 50) static_cast<void>(job[2].send(pattern(8), 0, kContext, 7));
    };
    EXPECT_EQ(job[0].receive(got, kAnySource, kContext, 7), Status::ok);
    job.transport(0).gone = {1, 2};
    EXPECT_EQ(
        hopeless([&] { static_cast<void>(job[0].receive(got, kAnySource, kContext, 7)); }),
        "waits for a message, but all other ranks have finalized. Check that every receive has its send.");
}

TEST(Departed, ASendThatWaitsForItsMatchEnds) {
    InProcessJob job(2);
    job.transport(0).gone = {1};
    EXPECT_EQ(
        hopeless(
            [&] { static_cast<void>(job[0].send(pattern(100), 1, kContext, 7, SendMode::synchronous)); }),
        "a message of 100 bytes to rank 1 with tag 7 can never be received: rank 1 has finalized. Check that "
        "every send has its receive.");
}

TEST(Departed, FinalizingWithUnansweredSendsEnds) {
    InProcessJob job(2);
    const auto sent = pattern(100);
    Request* send = job[0].isend(sent, 1, kContext, 7, SendMode::synchronous);
    job.transport(0).gone = {1};
    EXPECT_EQ(hopeless([&] { job[0].drain_sends(); }),
              "messages to rank 1 can never be received: rank 1 has finalized. Check that every send has its "
              "receive.");
    job[0].release(send);
}

}  // namespace
}  // namespace rb2::pt2pt
