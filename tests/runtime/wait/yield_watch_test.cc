// Yields that somebody takes end the yielding for a while.
#include "runtime/wait/yield_watch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/wait/waiter.hpp"

namespace rb2::wait {
namespace {

using namespace std::chrono_literals;

/// A thread on a machine of this test's.
struct Pretended {
    static inline long count = 0;
    static inline int place = 0;
    static inline int looks = 0;
    static long switches() {
        ++looks;
        return count;
    }
    static int cpu() { return place; }
    static std::chrono::steady_clock::time_point now() { return {}; }
};

class YieldWatchTest : public testing::Test {
  protected:
    YieldWatchTest() { Pretended::count = Pretended::place = Pretended::looks = 0; }

    void taken() {
        watch.yield([] { ++Pretended::count; });
    }
    void returned_at_once() {
        watch.yield([] {});
    }
    bool pays_in(std::chrono::milliseconds time) { return watch.pays(Pretended::now() + time); }

    YieldWatch<Pretended> watch;
};

TEST_F(YieldWatchTest, TwoTakenInARowEndIt) {
    taken();
    EXPECT_TRUE(pays_in(0ms));
    taken();
    EXPECT_FALSE(pays_in(0ms));
}

TEST_F(YieldWatchTest, OneTakenNowAndThenDoesNot) {
    for (int i = 0; i < 100; ++i) {
        taken();
        returned_at_once();
    }
    EXPECT_TRUE(pays_in(0ms));
}

TEST_F(YieldWatchTest, LooksSeldomWhereNobodyTakesThem) {
    for (int i = 0; i < 800; ++i) returned_at_once();
    EXPECT_EQ(Pretended::looks, 2 * 100);
}

TEST_F(YieldWatchTest, NoticesSoonWhenSomebodyComes) {
    for (int i = 0; i < 805; ++i) returned_at_once();
    for (int i = 0; i < 9; ++i) taken();
    EXPECT_FALSE(pays_in(0ms));
}

TEST_F(YieldWatchTest, AnotherCpuIsWorthAYield) {
    taken();
    taken();
    Pretended::place = 1;
    EXPECT_TRUE(pays_in(0ms));
}

TEST_F(YieldWatchTest, TriesAgainAtLongerAndLongerIntervals) {
    taken();
    taken();
    EXPECT_TRUE(pays_in(1ms));
    taken();
    EXPECT_TRUE(pays_in(2ms));
    taken();
    taken();
    taken();
    EXPECT_FALSE(pays_in(2ms));
    EXPECT_TRUE(pays_in(16ms));
    for (int i = 0; i < 10; ++i) taken();
    EXPECT_FALSE(pays_in(90ms));
    EXPECT_TRUE(pays_in(100ms));
    returned_at_once();
    Pretended::place = 1;
    for (int i = 0; i < 100 && pays_in(0ms); ++i) taken();
    EXPECT_FALSE(pays_in(0ms));
    EXPECT_TRUE(pays_in(1ms)) << "the next shortage is another one";
}

/// Whether an hour of yields ends in a sleep when somebody takes every one: here a thread on the same CPU.
TEST(Waiter, SleepsWhereItsCpuIsTaken) {
    cpu_set_t all;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    std::atomic<bool> stop{false};
    std::thread hog([&] {
        while (!stop) pause();
    });
    Doorbell bell;
    Waiter waiter(bell, {.spin = 1us, .yield = 1h, .own_cpu = true});
    bool slept = false;
    for (int polls = 0; !slept && polls < 3200; ++polls)
        waiter.idle([] { return true; }, [&] { return slept = true; });
    stop = true;
    hog.join();
    sched_setaffinity(0, sizeof all, &all);
    EXPECT_TRUE(slept);
}

TEST(Policy, WatchesYieldsWhereARankHasItsCpuAndAllPeersRing) {
    EXPECT_TRUE(choose_policy(false).own_cpu);
    EXPECT_FALSE(choose_policy(true).own_cpu);
    EXPECT_FALSE(choose_policy(false, 0us, true).own_cpu);
}

}  // namespace
}  // namespace rb2::wait
