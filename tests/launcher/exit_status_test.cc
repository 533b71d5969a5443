#include "launcher/job/exit_status.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>

namespace rb2::launcher {
namespace {

/// Wait statuses as the kernel encodes them.
constexpr int exited(int code) { return code << 8; }
constexpr int killed(int signal) { return signal; }

RankEnd end_of(int rank, int status, PmixState pmix) { return {rank, status, pmix, 0, {}}; }

TEST(Judge, FourStatesTimesThreeEnds) {
    for (const PmixState pmix : {PmixState::none, PmixState::connected, PmixState::finalized}) {
        for (const bool others_wait : {false, true}) {
            EXPECT_EQ(judge(end_of(1, exited(3), pmix), others_wait)->exit_code, 3);
            EXPECT_EQ(judge(end_of(1, exited(3), pmix), others_wait)->cause, Cause::exit_code);
            EXPECT_EQ(judge(end_of(1, killed(SIGSEGV), pmix), others_wait)->exit_code, 139);
            EXPECT_EQ(judge(end_of(1, killed(SIGSEGV), pmix), others_wait)->cause, Cause::signal);
        }
    }
    EXPECT_FALSE(judge(end_of(1, exited(0), PmixState::none), false));
    EXPECT_EQ(judge(end_of(1, exited(0), PmixState::none), true)->cause, Cause::left_early);
    EXPECT_EQ(judge(end_of(1, exited(0), PmixState::connected), false)->cause, Cause::unfinalized);
    EXPECT_EQ(judge(end_of(1, exited(0), PmixState::connected), false)->exit_code, 1);
    EXPECT_FALSE(judge(end_of(1, exited(0), PmixState::finalized), true));
}

TEST(Judge, FailedStart) {
    const RankEnd end{2, exited(127), PmixState::none, ENOEXEC, "exec"};
    EXPECT_EQ(judge(end, false)->cause, Cause::cannot_start);
    EXPECT_EQ(judge(end, false)->exit_code, 127);
    EXPECT_EQ(judge(end, false)->detail, ENOEXEC);
}

Failure failure_of(Cause cause, int rank, int code) { return {cause, rank, code, 0, {}, 0}; }

TEST(LikelyOrigin, SignalThenUnfinalizedThenExitCode) {
    const Failure left = failure_of(Cause::unfinalized, 0, 1);
    const Failure exit = failure_of(Cause::exit_code, 1, 3);
    const Failure signal = failure_of(Cause::signal, 2, 139);
    EXPECT_EQ(likely_origin({left, exit, signal}).rank, 2);
    EXPECT_EQ(likely_origin({exit, left}).rank, 0);
    EXPECT_EQ(likely_origin({failure_of(Cause::exit_code, 5, 1), failure_of(Cause::exit_code, 4, 2)}).rank,
              4);
}

TEST(LikelyOrigin, FirstLostConnectionIsBlamed) {
    const Failure victim{Cause::exit_code, 0, 90, 90, {}, 2};
    const Failure origin{Cause::exit_code, 1, 1, 1, {}, 1};
    EXPECT_EQ(likely_origin({victim, origin}).rank, 1);
    const Failure never_connected{Cause::exit_code, 2, 5, 5, {}, 0};
    EXPECT_EQ(likely_origin({victim, origin, never_connected}).rank, 2);
}

TEST(JobOutcome, FirstFailureWins) {
    JobOutcome outcome;
    EXPECT_EQ(outcome.exit_code(), 0);
    outcome.record(failure_of(Cause::exit_code, 1, 3));
    outcome.record(failure_of(Cause::signal, 0, 143));
    EXPECT_EQ(outcome.exit_code(), 3);
    EXPECT_EQ(outcome.failure()->rank, 1);
}

TEST(JobOutcome, DeathsAfterAnInterruptCountAsTheInterrupt) {
    JobOutcome outcome;
    outcome.interrupted_by(SIGINT);
    outcome.interrupted_by(SIGTERM);
    outcome.record(failure_of(Cause::signal, 0, 137));
    EXPECT_EQ(outcome.exit_code(), 130);
    EXPECT_EQ(outcome.failure()->cause, Cause::interrupted);
}

TEST(JobOutcome, EarlyLeaveAfterAnInterruptIsTheInterrupt) {
    JobOutcome outcome;
    outcome.interrupted_by(SIGTERM);
    outcome.record(failure_of(Cause::unfinalized, 0, 1));
    EXPECT_EQ(outcome.exit_code(), 143);
}

TEST(JobOutcome, ProgramsOwnCodeAfterAnInterruptIsKept) {
    JobOutcome outcome;
    outcome.interrupted_by(SIGTERM);
    outcome.record(failure_of(Cause::exit_code, 0, 9));
    EXPECT_EQ(outcome.exit_code(), 9);
}

TEST(JobOutcome, CleanEndAfterAnInterruptIsSuccess) {
    JobOutcome outcome;
    outcome.interrupted_by(SIGTERM);
    EXPECT_EQ(outcome.exit_code(), 0);
}

TEST(AbortExitCode, IsNeverZeroAndFitsAByte) {
    EXPECT_EQ(abort_exit_code(7), 7);
    EXPECT_EQ(abort_exit_code(0), 1);
    EXPECT_EQ(abort_exit_code(256), 1);
    EXPECT_EQ(abort_exit_code(300), 44);
    EXPECT_EQ(abort_exit_code(-1), 255);
}

}  // namespace
}  // namespace rb2::launcher
