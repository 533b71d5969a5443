// Signals to rb2run reach the ranks, who may clean up; afterwards nobody is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "tests/launcher/harness.hpp"

namespace rb2::launcher::test {
namespace {

using testing::HasSubstr;

/// Ranks are shell scripts with a running child, as wrapper scripts are.
std::vector<std::string> trapping_job(const std::string& signal_name, const std::string& reaction) {
    return {"-n", "3", "sh", "-c",
            "trap '" + reaction + "' " + signal_name + "; echo ready; sleep 60 & wait; sleep 60 & wait"};
}

Result signal_job(const std::vector<std::string>& job, const std::vector<int>& signals,
                  Settings settings = {}) {
    Launch launch(job, std::move(settings));
    EXPECT_TRUE(launch.wait_for_output("ready", 3));
    for (const int signal : signals) {
        launch.signal(signal);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    Result result = launch.finish();
    EXPECT_EQ(launch.leftovers(), "");
    return result;
}

int cleaned_up(const Result& result) {
    int count = 0;
    for (const std::string& line : lines_of(result.out)) {
        count += line == "cleaned up" ? 1 : 0;
    }
    return count;
}

class EndingSignal : public testing::TestWithParam<std::pair<int, const char*>> {};

TEST_P(EndingSignal, ReachesTheTrapOfEveryRank) {
    const auto [signal, name] = GetParam();
    const Result result = signal_job(trapping_job(name, "echo cleaned up; exit 9"), {signal});
    EXPECT_EQ(cleaned_up(result), 3);
    EXPECT_EQ(result.exit_code, 9);  // what the program chose to say
}

TEST_P(EndingSignal, EndsRanksWithoutATrap) {
    const auto [signal, name] = GetParam();
    const Result result = signal_job(trapping_job("USR2", "true"), {signal});
    EXPECT_EQ(result.exit_code, 128 + signal);
    EXPECT_THAT(result.err, HasSubstr("the job ended after signal " + std::to_string(signal)));
}

INSTANTIATE_TEST_SUITE_P(Signals, EndingSignal,
                         testing::Values(std::pair(SIGINT, "INT"), std::pair(SIGTERM, "TERM"),
                                         std::pair(SIGHUP, "HUP"), std::pair(SIGQUIT, "QUIT")),
                         [](const auto& signal) { return std::string(signal.param.second); });

TEST(Signal, RankThatIgnoresIntIsKilledAfterTheWait) {
    const Result result = signal_job(trapping_job("INT", ""), {SIGINT}, {{"RB2RUN_KILL_WAIT=0.5"}, {}, ""});
    EXPECT_EQ(result.exit_code, 130);
}

TEST(Signal, SecondIntBecomesTerm) {
    const std::vector<std::string> job = {"--kill-wait",
                                          "30",
                                          "-n",
                                          "3",
                                          "sh",
                                          "-c",
                                          "trap '' INT; trap 'echo cleaned up; exit 9' TERM; echo ready; "
                                          "sleep 60 & wait; sleep 60 & wait"};
    const Result result = signal_job(job, {SIGINT, SIGINT});
    EXPECT_EQ(cleaned_up(result), 3);
    EXPECT_EQ(result.exit_code, 9);
}

TEST(Signal, ManyIntsKillWhatIgnoresEverything) {
    const std::vector<std::string> job = {"--kill-wait",
                                          "30",
                                          "-n",
                                          "3",
                                          "sh",
                                          "-c",
                                          "trap '' INT TERM; echo ready; while :; do sleep 1; done"};
    const Result result = signal_job(job, {SIGINT, SIGINT, SIGINT, SIGINT, SIGINT});
    EXPECT_EQ(result.exit_code, 130);
}

TEST(Signal, UserSignalsAreForwardedAndTheJobGoesOn) {
    for (const auto& [signal, name] :
         {std::pair(SIGUSR1, "USR1"), std::pair(SIGUSR2, "USR2"), std::pair(SIGWINCH, "WINCH")}) {
        Launch launch(trapping_job(name, "echo got it"));
        ASSERT_TRUE(launch.wait_for_output("ready", 3));
        launch.signal(signal);
        EXPECT_TRUE(launch.wait_for_output("got it", 3)) << name;
        launch.signal(SIGTERM);
        EXPECT_EQ(launch.finish().exit_code, 143);
        EXPECT_EQ(launch.leftovers(), "");
    }
}

TEST(Signal, StopAndContinue) {
    Launch launch({"-n", "2", "sh", "-c",
                   "trap 'echo stopping' TSTP; trap 'echo going on; exit 0' CONT; echo ready; sleep 60 & "
                   "while :; do wait; done"});
    ASSERT_TRUE(launch.wait_for_output("ready", 2));
    launch.signal(SIGTSTP);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    launch.signal(SIGCONT);
    const Result result = launch.finish();
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(lines_of(result.out).size(), 6U) << result.out;
}

TEST(Signal, PmixRanksInAFenceDieOfIntWithoutHarm) {
    for (int round = 0; round < 10; ++round) {
        Launch launch(client_job(8, {"init", "print:ready", "7=pause", "fence"}));
        ASSERT_TRUE(launch.wait_for_output("ready", 8));
        launch.signal(SIGINT);
        EXPECT_EQ(launch.finish().exit_code, 130);
        EXPECT_EQ(launch.leftovers(), "");
    }
}

}  // namespace
}  // namespace rb2::launcher::test
