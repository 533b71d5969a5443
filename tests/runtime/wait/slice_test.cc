// Short slices of the calling thread, where the kernel has such.
#include "runtime/wait/slice.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <functional>
#include <thread>

namespace rb2::wait {
namespace {

/// Slices, niceness and policies are a thread's own: each test has one of its own to spoil.
void in_thread(const std::function<void()>& test) { std::thread(test).join(); }

void set_policy(int policy) {
    const sched_param none{};
    ASSERT_EQ(sched_setscheduler(0, policy, &none), 0);
}

TEST(ShortenSlice, IsTrueExactlyWhereTheKernelHasSlices) {
    in_thread([] { EXPECT_EQ(shorten_slice(), slice_ns() != 0); });
}

TEST(ShortenSlice, MakesThemTheShortest) {
    if (slice_ns() == 0) GTEST_SKIP() << "this kernel has no slices of a thread's own";
    in_thread([] {
        ASSERT_GT(slice_ns(), kShortestSliceNs);
        EXPECT_TRUE(shorten_slice());
        EXPECT_EQ(slice_ns(), kShortestSliceNs);
        EXPECT_TRUE(shorten_slice()) << "a second time";
    });
    EXPECT_GT(slice_ns(), kShortestSliceNs) << "another thread's";
}

TEST(ShortenSlice, ThreadsStartedLaterHaveThemToo) {
    in_thread([] {
        if (!shorten_slice()) return;
        in_thread([] { EXPECT_EQ(slice_ns(), kShortestSliceNs); });
    });
}

TEST(ShortenSlice, LeavesTheRestAsItWas) {
    in_thread([] {
        set_policy(SCHED_OTHER | SCHED_RESET_ON_FORK);
        ASSERT_EQ(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 15), 0);
        shorten_slice();
        EXPECT_EQ(getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())), 15);
        EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER | SCHED_RESET_ON_FORK);
    });
}

TEST(ShortenSlice, LeavesAnotherPolicyAlone) {
    in_thread([] {
        set_policy(SCHED_BATCH);
        EXPECT_FALSE(shorten_slice());
        EXPECT_EQ(sched_getscheduler(0), SCHED_BATCH);
    });
}

}  // namespace
}  // namespace rb2::wait
