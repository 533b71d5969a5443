// The stages of waiting follow the policy.
#include "runtime/wait/waiter.hpp"

#include <gtest/gtest.h>

namespace rb2::wait {
namespace {

using namespace std::chrono_literals;

TEST(Policy, SpinsOnlyWhenEveryRankHasACpu) {
    EXPECT_GT(choose_policy(false).spin, 0ns);
    EXPECT_EQ(choose_policy(true).spin, 0ns);
}

TEST(Policy, SpinsAsLongAsAnAnswerTakes) {
    EXPECT_EQ(choose_policy(false, 100us).spin, 100us);
    EXPECT_EQ(choose_policy(false, 0us).spin, choose_policy(false).spin);
    EXPECT_EQ(choose_policy(true, 100us).spin, 0ns);
    // The clock is no part of every message's time.
    EXPECT_GT(choose_policy(false, 100us).polls_per_look, choose_policy(false).polls_per_look);
}

TEST(Waiter, SleepsAtOnceWithoutSpinAndYield) {
    Doorbell bell;
    Waiter waiter(bell, {0ns, 0ns});
    int slept = 0;
    waiter.idle([] { return true; }, [&] { return ++slept == 0; });
    EXPECT_EQ(slept, 1);
}

TEST(Waiter, DoesNotSleepWhileItMaySpinOrYield) {
    Doorbell bell;
    Waiter waiter(bell, {1h, 1h});
    for (int i = 0; i < 1000; ++i) {
        waiter.idle([] { return true; },
                    [] {
                        ADD_FAILURE() << "slept";
                        return false;
                    });
    }
}

TEST(Waiter, ExpectsUntilItIsReady) {
    Doorbell bell;
    const Waiter waiter(bell, choose_policy(false));
    int looks = 0;
    EXPECT_TRUE(waiter.expect([&] { return ++looks == 1000; }, 1h));
    EXPECT_EQ(looks, 1000);
}

TEST(Waiter, ExpectsNoLongerThanItShould) {
    Doorbell bell;
    const Waiter waiter(bell, choose_policy(false));
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(waiter.expect([] { return false; }, 2ms));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 2ms);
}

TEST(Waiter, ExpectsNothingOnASharedCpu) {
    Doorbell bell;
    const Waiter waiter(bell, choose_policy(true));
    EXPECT_FALSE(waiter.expect([] { return true; }, 1h)) << "whoever is waited for may need this very CPU";
}

TEST(Waiter, WorkStartsTheStagesAnew) {
    Doorbell bell;
    Waiter waiter(bell, {1us, 1us});
    int slept = 0;
    const auto idle = [&] { waiter.idle([] { return true; }, [&] { return ++slept == 0; }); };
    while (slept == 0) idle();
    waiter.busy();
    const int before = slept;
    idle();
    EXPECT_EQ(slept, before) << "the first poll of a new wait spins";
}

}  // namespace
}  // namespace rb2::wait
