#include "launcher/job/signal_policy.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace rb2::launcher {
namespace {

TEST(SignalPolicy, RepeatedIntGetsHarsher) {
    SignalPolicy policy;
    EXPECT_EQ(policy.on(SIGINT).forward, SIGINT);
    EXPECT_EQ(policy.on(SIGINT).forward, SIGTERM);
    EXPECT_EQ(policy.on(SIGINT).forward, SIGKILL);
    EXPECT_EQ(policy.on(SIGINT).forward, SIGKILL);
}

TEST(SignalPolicy, EndingSignalsArePassedOnThenKill) {
    for (const int signal : {SIGTERM, SIGHUP, SIGQUIT}) {
        SignalPolicy policy;
        EXPECT_EQ(policy.on(signal).forward, signal);
        EXPECT_EQ(policy.on(signal).forward, SIGKILL);
        EXPECT_TRUE(policy.on(signal).ends_job);
    }
}

TEST(SignalPolicy, TermAfterIntKills) {
    SignalPolicy policy;
    (void)policy.on(SIGINT);
    EXPECT_EQ(policy.on(SIGTERM).forward, SIGKILL);
}

TEST(SignalPolicy, OthersArePassedOnOnly) {
    SignalPolicy policy;
    for (const int signal : {SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH}) {
        EXPECT_EQ(policy.on(signal).forward, signal);
        EXPECT_FALSE(policy.on(signal).ends_job);
        EXPECT_FALSE(policy.on(signal).stop_self);
    }
    EXPECT_EQ(policy.on(SIGINT).forward, SIGINT);  // they did not count as requests
}

TEST(SignalPolicy, Usr1AsksForTheReport) {
    SignalPolicy policy;
    EXPECT_TRUE(policy.on(SIGUSR1).report);
    EXPECT_FALSE(policy.on(SIGUSR2).report);
    EXPECT_FALSE(policy.on(SIGQUIT).report);
}

TEST(SignalPolicy, TerminalStopStopsTheLauncherToo) {
    SignalPolicy policy;
    EXPECT_EQ(policy.on(SIGTSTP).forward, SIGTSTP);
    EXPECT_TRUE(policy.on(SIGTSTP).stop_self);
    EXPECT_FALSE(policy.on(SIGTSTP).ends_job);
}

}  // namespace
}  // namespace rb2::launcher
