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
    static inline int moves = 0;
    static inline std::chrono::steady_clock::time_point time{};
    static long switches() {
        ++looks;
        return count;
    }
    static int cpu() { return place; }
    static std::chrono::steady_clock::time_point now() { return time; }
    static void leave_cpu() { ++moves; }
};

class YieldWatchTest : public testing::Test {
  protected:
    YieldWatchTest() {
        Pretended::count = Pretended::place = Pretended::looks = Pretended::moves = 0;
        Pretended::time = {};
    }

    void taken() {
        watch.yield([] { ++Pretended::count; });
    }
    void returned_at_once() {
        watch.yield([] {});
    }
    bool pays_in(std::chrono::microseconds time) { return watch.pays(Pretended::now() + time); }

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
    EXPECT_FALSE(pays_in(49us));
    EXPECT_TRUE(pays_in(50us));
    taken();
    EXPECT_FALSE(pays_in(199us));
    EXPECT_TRUE(pays_in(200us));
    for (int i = 0; i < 10; ++i) taken();
    EXPECT_FALSE(pays_in(99ms));
    EXPECT_TRUE(pays_in(100ms));
    returned_at_once();
    Pretended::place = 1;
    for (int i = 0; i < 100 && pays_in(0ms); ++i) taken();
    EXPECT_FALSE(pays_in(0ms));
    EXPECT_TRUE(pays_in(50us)) << "the next shortage is another one";
}

TEST_F(YieldWatchTest, MovesWhenSleepHasNotHelped) {
    taken();
    taken();
    EXPECT_EQ(Pretended::moves, 0) << "the kernel first";
    Pretended::time += 50us;
    taken();
    EXPECT_EQ(Pretended::moves, 1);
}

TEST_F(YieldWatchTest, MovesOnceInAWhile) {
    taken();
    taken();
    Pretended::time += 50us;
    taken();
    Pretended::place = 1;  // where it is no better
    taken();
    EXPECT_EQ(Pretended::moves, 1);
    Pretended::time += 4ms;
    taken();
    EXPECT_EQ(Pretended::moves, 2);
}

TEST_F(YieldWatchTest, StaysWhereTheOtherHasGone) {
    taken();
    taken();
    Pretended::time += 50us;
    returned_at_once();
    taken();
    taken();
    EXPECT_EQ(Pretended::moves, 0);
}

TEST(ThisThread, LeavesItsCpuForAnother) {
    cpu_set_t before;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    // The kernel may move it back between the two.
    const bool alone = CPU_COUNT(&before) == 1;
    bool moved = false;
    for (int i = 0; i < 1000 && !moved; ++i) {
        const int cpu = ThisThread::cpu();
        ThisThread::leave_cpu();
        moved = ThisThread::cpu() != cpu;
    }
    EXPECT_NE(moved, alone);
    cpu_set_t after;
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

/// Whether an hour of yields ends in a sleep within `patience` when somebody takes them: here a thread on the
/// same CPU. After a slice of that one's the scheduler may let some yields return at once.
template <class Gate>
bool sleeps_beside_a_hog(std::chrono::milliseconds patience, Gate gate) {
    cpu_set_t all;
    EXPECT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    std::atomic<bool> stop{false};
    std::thread hog([&] {
        while (!stop) pause();
    });
    Doorbell bell;
    Waiter waiter(bell, {.spin = 1us, .yield = 1h, .own_cpu = true});
    bool slept = false;
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!slept && std::chrono::steady_clock::now() < end)
        waiter.idle([] { return true; }, [&] { return slept = true; }, gate);
    stop = true;
    hog.join();
    sched_setaffinity(0, sizeof all, &all);
    return slept;
}

TEST(Waiter, SleepsWhereItsCpuIsTaken) { EXPECT_TRUE(sleeps_beside_a_hog(30s, NoGate{})); }

/// Those may be who takes it, and need it.
struct InCompany : NoGate {
    [[nodiscard]] static bool alone() noexcept { return false; }
};
TEST(Waiter, GoesOnYieldingToOtherThreadsOfItsRank) { EXPECT_FALSE(sleeps_beside_a_hog(200ms, InCompany{})); }

TEST(Policy, WatchesYieldsWhereARankHasItsCpuAndAllPeersRing) {
    EXPECT_TRUE(choose_policy(false).own_cpu);
    EXPECT_FALSE(choose_policy(true).own_cpu);
    EXPECT_FALSE(choose_policy(false, 0us, true).own_cpu);
}

}  // namespace
}  // namespace rb2::wait
