#include "runtime/wait/watcher.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace rb2::wait {
namespace {

using namespace std::chrono_literals;

class WatchedSleep : public ::testing::Test {
  protected:
    WatchedSleep() : sleeper_(bell_), watcher_(bell_) { watcher_.add(event_); }
    ~WatchedSleep() override { ::close(event_); }

    void signal() const {
        const std::uint64_t one = 1;
        ASSERT_EQ(::write(event_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
    }
    /// Sleeps until the bell rings or the longest sleep is over; true when it rang.
    bool sleep() {
        watcher_.arm();
        bool rang = false;
        for (int i = 0; i < 50 && !rang; ++i) {
            sleeper_.sleep([] { return false; });
            pollfd polled{event_, POLLIN, 0};
            rang = ::poll(&polled, 1, 0) == 1;
        }
        watcher_.disarm();
        return rang;
    }

    Doorbell bell_;
    int event_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    Sleeper sleeper_;
    Watcher watcher_;
};

TEST_F(WatchedSleep, EndsWhenTheDescriptorBecomesReadable) {
    auto shortest = std::chrono::steady_clock::duration::max();
    for (int i = 0; i < 20; ++i) {
        std::thread other([this] {
            std::this_thread::sleep_for(5ms);
            signal();
        });
        const auto start = std::chrono::steady_clock::now();
        EXPECT_TRUE(sleep());
        shortest = std::min(shortest, std::chrono::steady_clock::now() - start);
        other.join();
        std::uint64_t count = 0;
        ASSERT_GT(::read(event_, &count, sizeof count), 0);
    }
    // Without the watcher each would last until the time-out.
    EXPECT_LT(shortest, Sleeper::kLongest);
}

TEST_F(WatchedSleep, EndsWhenItWasReadableBefore) {
    signal();
    EXPECT_TRUE(sleep());
}

TEST_F(WatchedSleep, AWatcherThatNeverSawAnythingEnds) {
    watcher_.arm();
    watcher_.disarm();
    watcher_.arm();
    std::this_thread::sleep_for(5ms);
}

}  // namespace
}  // namespace rb2::wait
