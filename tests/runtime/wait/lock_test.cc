// One holder at a time, nobody forgotten: also with more threads than CPUs.
#include "runtime/wait/lock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rb2::wait {
namespace {

constexpr int kThreads = 8;

void run_threads(const std::function<void(int)>& body) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(body, i);
}

TEST(Lock, HasOneHolderAtATime) {
    Lock lock;
    long count = 0;
    run_threads([&](int) {
        for (int i = 0; i < 5000; ++i) {
            const std::lock_guard held(lock);
            ++count;
        }
    });
    EXPECT_EQ(count, 5000L * kThreads);
}

TEST(Lock, GoesToThePoliteToo) {
    Lock lock;
    long count = 0;
    run_threads([&](int thread) {
        for (int i = 0; i < 2000; ++i) {
            if (thread % 2 == 0)
                lock.lock();
            else
                lock.lock_after_others();
            ++count;
            lock.unlock();
        }
    });
    EXPECT_EQ(count, 2000L * kThreads);
}

// Threads that take the lock again at once, and hold it nearly always, must not keep it from the others: the
// test ends when each had it often enough, or with its time-out.
TEST(Lock, LetsNobodyStarve) {
    Lock lock;
    std::vector<int> turns(kThreads);
    bool done = false;
    run_threads([&](int thread) {
        for (;;) {
            const std::lock_guard held(lock);
            if (done) return;
            ++turns[static_cast<std::size_t>(thread)];
            done = std::ranges::all_of(turns, [](int count) { return count >= 20; });
        }
    });
    EXPECT_GE(std::ranges::min(turns), 20);
}

TEST(Lock, TellsThatSomebodyWaits) {
    Lock lock;
    lock.lock();
    EXPECT_FALSE(lock.wanted());
    std::jthread other([&] { const std::lock_guard held(lock); });
    while (!lock.wanted()) std::this_thread::yield();
    lock.unlock();
    other.join();
    EXPECT_FALSE(lock.wanted());
}

}  // namespace
}  // namespace rb2::wait
