// Waits for what other ranks show in shared memory, without a record.
#include "pt2pt/sign.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "tests/pt2pt/in_process.hpp"

namespace rb2::pt2pt {
namespace {

using testing::InProcessJob;
using testing::kContext;
using testing::pattern;

Awaited from_rank_1() { return {Awaited::What::receive, 1, kContext, 7}; }

TEST(Sign, OneThatComesJustBeforeTheSleepIsSeen) {
    InProcessJob job(2);
    bool shown = false;
    int before_sleep = 0;
    // The transport's idle() lets the other ranks run, asks its poll, and would sleep if that found nothing.
    job.transport(0).let_others_run = [&] { shown = true; };
    job[0].wait_for_sign([&] { return shown; },
                         [&] {
                             ++before_sleep;
                             return from_rank_1();
                         });
    EXPECT_EQ(before_sleep, 0) << "a sleep with the sign there: nobody rings again";
}

TEST(Sign, ARankThatShowsItAndFinalizesIsNotMissed) {
    InProcessJob job(2);
    bool shown = false;
    const auto whose = [&] {  // asked before it is looked who has gone
        shown = true;
        job.transport(0).gone = {1};
        return from_rank_1();
    };
    EXPECT_NO_THROW(job[0].wait_for_sign([&] { return shown; }, whose));
}

TEST(Sign, ARankThatFinalizesWithoutItEndsTheWait) {
    InProcessJob job(2);
    job.transport(0).gone = {1};
    EXPECT_THROW(job[0].wait_for_sign([] { return false; }, from_rank_1), std::runtime_error);
}

TEST(Sign, MessagesMoveMeanwhile) {
    InProcessJob job(2);
    std::vector<std::byte> got(8);
    Request* const receive = job[0].ireceive(std::span(got), 1, kContext, 7);
    job.transport(0).let_others_run = [&] { static_cast<void>(job[1].send(pattern(8), 0, kContext, 7)); };
    job[0].wait_for_sign([&] { return receive->complete(); }, from_rank_1);
    EXPECT_EQ(got, pattern(8));
    job[0].release(receive);
}

TEST(Sign, EndsInAnyOrder) {  // those of threads do
    Sign* list = nullptr;
    bool first_shown = false;
    const auto first_seen = [&] { return first_shown; };
    const auto never = [] { return false; };
    auto first = std::make_unique<Sign>(list, first_seen);
    auto second = std::make_unique<Sign>(list, never);
    EXPECT_FALSE(Sign::any(list));
    first_shown = true;
    EXPECT_TRUE(Sign::any(list));
    first.reset();
    EXPECT_FALSE(Sign::any(list));
    second.reset();
    EXPECT_EQ(list, nullptr);
}

}  // namespace
}  // namespace rb2::pt2pt
