// A sleeper is woken by every publish that happens while it sleeps or is about to.
#include "runtime/wait/doorbell.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace rb2::wait {
namespace {

TEST(Doorbell, DoesNotSleepWhenTheLastPollFindsWork) {
    Doorbell bell;
    Sleeper sleeper(bell);
    int polls = 0;
    sleeper.sleep([&] {
        EXPECT_EQ(bell.asleep.load(), 1U) << "armed before the poll";
        return ++polls == 1;
    });
    EXPECT_EQ(polls, 1);
    EXPECT_EQ(bell.asleep.load(), 0U);
}

TEST(Doorbell, RingingAnAwakeRankTouchesNothing) {
    Doorbell bell;
    ring(bell);
    EXPECT_EQ(bell.asleep.load(), 0U);
}

TEST(Doorbell, WakeClearsTheWordSoThatOnlyOnePeerPays) {
    Doorbell bell;
    bell.asleep = 1;
    ring(bell);
    EXPECT_EQ(bell.asleep.load(), 0U);
}

// Two threads hand a token to and fro; each publishes and then rings. A lost wake-up would cost the longest
// sleep each time, and with 2000 of them the test would run into its time-out.
TEST(Doorbell, LosesNoWakeUp) {
    constexpr int rounds = 20000;
    Doorbell bells[2];
    std::atomic<int> token{0};
    const auto player = [&](int own) {
        Sleeper sleeper(bells[own]);
        for (int round = own; round < rounds; round += 2) {
            const auto my_turn = [&] { return token.load(std::memory_order_acquire) == round; };
            while (!my_turn()) sleeper.sleep(my_turn);
            token.store(round + 1, std::memory_order_release);
            ring(bells[1 - own]);
        }
    };
    std::thread other(player, 1);
    player(0);
    other.join();
    EXPECT_EQ(token.load(), rounds);
}

}  // namespace
}  // namespace rb2::wait
