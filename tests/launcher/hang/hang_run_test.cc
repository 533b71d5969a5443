// Jobs that hang, and what rb2run says of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/launcher/harness.hpp"

namespace rb2::launcher::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr int kTimedOut = 124;

std::vector<std::string> stuck(int ranks, const std::string& what) {
    return {"-n", std::to_string(ranks), STUCK, what};
}

/// The job's end by --timeout, and nothing left behind.
Result time_out(int ranks, const std::string& what, const std::string& timeout = "4") {
    std::vector<std::string> arguments = stuck(ranks, what);
    arguments.insert(arguments.begin(), {"--timeout", timeout});
    Result result = run(arguments);
    EXPECT_EQ(result.exit_code, kTimedOut) << result.err;
    return result;
}

TEST(Hang, CycleOfThreeReceivesIsNamed) {
    const Result result = time_out(3, "receive_cycle");
    EXPECT_THAT(result.err,
                HasSubstr("deadlock: rank 0 waits for rank 1 (receive, tag 7) -> rank 1 waits for rank "
                          "2 (receive, tag 7) -> rank 2 waits for rank 0 (receive, tag 7) -> rank 0"));
    EXPECT_THAT(result.err,
                ContainsRegex("rank 1 .pid [0-9]+.: waits since [0-9.]+ s: receive from rank 2, up to 4 "
                              "bytes, tag 7, MPI_COMM_WORLD; sent 1 messages .4 bytes., received 1 .4 "
                              "bytes."));
    EXPECT_THAT(result.err, HasSubstr("posted receives: 1 (from rank 2, tag 7, up to 4 bytes)"));
    EXPECT_THAT(result.err, HasSubstr("did not end within 4 s"));
}

TEST(Hang, CycleOfTwoSynchronousSendsWithQueues) {
    const Result result = time_out(2, "send_cycle");
    EXPECT_THAT(result.err,
                HasSubstr("deadlock: rank 0 waits for rank 1 (send of 1048576 bytes, tag 13) -> rank 1 "
                          "waits for rank 0 (send of 1048576 bytes, tag 13) -> rank 0"));
    EXPECT_THAT(result.err, HasSubstr("posted receives: 1 (from rank 1, tag 11, up to 16 bytes)"));
    EXPECT_THAT(result.err,
                HasSubstr("unexpected messages: 2 (from rank 1, tag 12, 5 bytes; from rank 1, tag 13, "
                          "1048576 bytes)"));
    EXPECT_THAT(result.err,
                HasSubstr("pending sends: 1 (to rank 1, tag 13, 1048576 bytes, waits for its receive)"));
}

TEST(Hang, ARankThatNeverCallsTheLibrary) {
    const Result result = time_out(3, "endless_loop");
    EXPECT_THAT(result.err,
                ContainsRegex("rank 2 .pid [0-9]+.: gives no answer: it runs code outside of MPI .process "
                              "state R, [0-9.]+ s of processor time in [0-9.]+ s.; outside of a wait "
                              "since [0-9.]+ s"));
    EXPECT_THAT(result.err, HasSubstr("rank 1 waits for rank 2, which does not wait"));
    EXPECT_THAT(result.err, Not(HasSubstr("deadlock: ")));
}

TEST(Hang, AStoppedRank) {
    const Result result = time_out(3, "stopped");
    EXPECT_THAT(result.err,
                ContainsRegex("rank 2 .pid [0-9]+.: gave no answer: its process is stopped .state T.; "
                              "outside of a wait since [0-9.]+ s; sent 1 messages .4 bytes."));
    EXPECT_THAT(result.err, HasSubstr("ranks 0-1 wait for rank 2, which does not wait"));
}

TEST(Hang, ARankWhoseProcessDied) {
    const std::string script = std::string(STUCK) + " dies; exec sleep 60";
    const Result result = run({"--timeout", "4", "-n", "3", "sh", "-c", script});
    EXPECT_EQ(result.exit_code, kTimedOut);
    EXPECT_THAT(result.err,
                ContainsRegex("rank 2 .pid [0-9]+.: gave no answer: its process is gone; outside of a "
                              "wait since [0-9.]+ s; sent 1 messages .4 bytes., received 1 .4 bytes."));
    EXPECT_THAT(result.err, HasSubstr("ranks 0-1 wait for rank 2, which does not wait"));
}

TEST(Hang, ACollectiveThatOneRankDidNotEnter) {
    const Result result = time_out(3, "barrier_without_last");
    EXPECT_THAT(result.err,
                HasSubstr("rank 2 has not entered MPI_Barrier (collective call 2 on MPI_COMM_WORLD), in "
                          "which ranks 0-1 wait"));
    EXPECT_THAT(result.err,
                HasSubstr("in MPI_Barrier (collective call 2 on MPI_COMM_WORLD): receive from rank"));
}

TEST(Hang, DifferentCollectivesMeet) {
    EXPECT_THAT(
        time_out(2, "mixed_collectives").err,
        HasSubstr("different collectives meet in call 1 on MPI_COMM_WORLD: MPI_Bcast on rank 0, MPI_Gather "
                  "on rank 1"));
}

TEST(Hang, WaitForSeveralRequests) {
    EXPECT_THAT(time_out(2, "waitall").err,
                HasSubstr("in a call for 3 requests: receive from rank 1, up to 4 bytes, tag 20"));
}

TEST(Hang, ReceivesOfAnySource) {
    EXPECT_THAT(time_out(2, "any_source").err,
                HasSubstr("deadlock: rank 0 waits for any rank (receive, any tag) -> rank 1"));
}

TEST(Hang, APollingRankAnswers) {
    const Result result = time_out(2, "poll");
    EXPECT_THAT(result.err, HasSubstr("calls MPI_Test, MPI_Iprobe or the like"));
    EXPECT_THAT(result.err, Not(HasSubstr("deadlock: ")));
}

TEST(Hang, EveryThreadOfARank) {
    const Result result = time_out(2, "threads");
    EXPECT_THAT(result.err, HasSubstr("; another thread: receive from rank 1"));
    EXPECT_THAT(result.err, HasSubstr("tag 30"));
    EXPECT_THAT(result.err, HasSubstr("tag 31"));
    EXPECT_THAT(result.err, HasSubstr("deadlock: rank 0 waits for rank 1"));
}

TEST(Hang, OverATcpNetwork) {
    std::vector<std::string> arguments = stuck(3, "receive_cycle");
    arguments.insert(arguments.begin(), {"--timeout", "5", "-x", "RB2_FABRICS=tcp"});
    const Result result = run(arguments);
    EXPECT_EQ(result.exit_code, kTimedOut);
    EXPECT_THAT(result.err, HasSubstr("deadlock: rank 0 waits for rank 1 (receive, tag 7)"));
}

TEST(Hang, ProgramsThatAreNotOurs) {
    const Result result = run({"--timeout", "1", "-n", "2", "sleep", "60"});
    EXPECT_EQ(result.exit_code, kTimedOut);
    EXPECT_THAT(result.err, HasSubstr("no rank has initialized MPI"));
}

TEST(Hang, ATinyTimeoutStillEndsTheJob) { time_out(2, "receive_cycle", "0.05"); }

TEST(Hang, AJobThatEndsInTimeIsNotAskedAnything) {
    const Result result = run({"--timeout", "6", "-n", "2", STUCK, "busy"});
    EXPECT_THAT(result.err, Not(HasSubstr("where the ranks are")));
}

TEST(Hang, TheSignalAsksAndTheJobGoesOn) {
    Launch launch(stuck(3, "receive_cycle"));
    ASSERT_TRUE(launch.wait_for_output("ready", 3));
    // The first report may come before all ranks wait.
    const std::string report = "where the ranks are";
    for (int times = 1; times <= 10; ++times) {
        launch.signal(SIGUSR1);
        ASSERT_TRUE(launch.wait_for_errors(report, times));
    }
    ASSERT_TRUE(launch.wait_for_errors("-> rank 0\n"));
    launch.signal(SIGTERM);
    const Result result = launch.finish();
    EXPECT_EQ(result.exit_code, 143);  // not of USR1
    EXPECT_EQ(launch.leftovers(), "");
}

}  // namespace
}  // namespace rb2::launcher::test
