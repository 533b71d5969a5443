// Which exit code a job gives, and that it ends and leaves nothing behind whatever its ranks do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <ostream>

#include "tests/launcher/harness.hpp"

namespace rb2::launcher::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(ExitCode, InitAndFinalizeIsSuccess) {
    const Result result = run(client_job(4, {"init", "fence", "finalize"}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, testing::Not(HasSubstr("rank 0")));
}

TEST(ExitCode, ProgramThatNeverCallsPmixIsSuccess) {
    const Result result = run({"-n", "4", "hostname"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(lines_of(result.out).size(), 4U);
}

TEST(ExitCode, AllRanksExitAtOnceWithTheSameCode) {
    for (int round = 0; round < 20; ++round) {
        EXPECT_EQ(run(client_job(8, {"exit:3"})).exit_code, 3);
    }
}

TEST(ExitCode, FirstFailureWinsOverTheKilled) {
    const Result result = run(client_job(4, {"init", "fence", "2=exit:7", "pause"}));
    EXPECT_EQ(result.exit_code, 7);
    EXPECT_THAT(result.err, HasSubstr("rank 2 of 4"));
    EXPECT_THAT(result.err, HasSubstr("exited with code 7"));
    EXPECT_THAT(result.err, HasSubstr("the other 3 running ranks"));
}

TEST(ExitCode, SegmentationFaultIs139) {
    const Result result = run(client_job(3, {"init", "fence", "1=raise:11", "pause"}));
    EXPECT_EQ(result.exit_code, 139);
    EXPECT_THAT(result.err, HasSubstr("rank 1 of 3"));
    EXPECT_THAT(result.err, HasSubstr("signal 11"));
}

TEST(ExitCode, MissingProgramIs127AndNothingStarts) {
    const Result result = run({"-n", "1", "echo", "started", ":", "-n", "2", "./no-such-program"});
    EXPECT_EQ(result.exit_code, 127);
    EXPECT_THAT(result.err, HasSubstr("cannot start ./no-such-program: No such file or directory"));
    EXPECT_THAT(result.out, IsEmpty());
}

TEST(ExitCode, ProgramThatIsNotExecutableIs127) {
    const Result result = run({"-n", "2", "/etc/passwd"});
    EXPECT_EQ(result.exit_code, 127);
    EXPECT_THAT(result.err, HasSubstr("cannot start /etc/passwd: Permission denied"));
}

TEST(ExitCode, TimeoutIs124AndNamesTheRanks) {
    const Result result =
        run({"--timeout", "3", "-n", "3", client(), "init", "1=finalize", "1=exit:0", "pause"});
    EXPECT_EQ(result.exit_code, 124);
    EXPECT_THAT(result.err, HasSubstr("still running: rank 0,2"));
}

TEST(ExitCode, ExitZeroWithoutFinalizeIsAFailure) {
    const Result result = run(client_job(3, {"init", "fence", "1=exit:0", "pause"}));
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr("rank 1 of 3"));
    EXPECT_THAT(result.err, HasSubstr("without finalizing"));
}

TEST(ExitCode, LeavingBeforeInitWhileOthersWaitIsAFailure) {
    const Result result = run(client_job(3, {"1=sleep:200", "1=exit:0", "init", "fence", "finalize"}));
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr("rank 1 of 3"));
    EXPECT_THAT(result.err, HasSubstr("without initializing"));
}

TEST(ExitCode, LeavingBeforeTheOthersInitializeIsAFailureToo) {
    const Result result = run(client_job(3, {"1=exit:0", "sleep:200", "init", "fence", "finalize"}));
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr("rank 1 of 3"));
}

TEST(ExitCode, AbortGivesItsCodeAndText) {
    const Result result = run(client_job(4, {"init", "fence", "3=abort:42:out of cheese", "pause"}));
    EXPECT_EQ(result.exit_code, 42);
    EXPECT_THAT(result.err, HasSubstr("rank 3 of 4"));
    EXPECT_THAT(result.err, HasSubstr("aborted the job with code 42: out of cheese"));
}

TEST(ExitCode, AbortWithZeroIsStillAFailure) {
    EXPECT_EQ(run(client_job(2, {"init", "0=abort:0:x", "pause"})).exit_code, 1);
}

TEST(ExitCode, OneRankAbortsWhileManyWaitInAFence) {
    for (int round = 0; round < 10; ++round) {
        EXPECT_EQ(run(client_job(16, {"init", "5=abort:9:x", "fence", "pause"})).exit_code, 9);
    }
}

TEST(ExitCode, SeveralRanksDieWhileOthersWaitInAFence) {
    for (int round = 0; round < 10; ++round) {
        EXPECT_EQ(
            run(client_job(8, {"init", "1=raise:9", "4=raise:9", "6=raise:9", "fence", "pause"})).exit_code,
            137);
    }
}

TEST(ExitCode, RanksThatIgnoreTermAreKilled) {
    const Result result =
        run({"-n", "3", "sh", "-c", "trap '' TERM; test $PMIX_RANK = 1 && exit 5; sleep 60; sleep 60"});
    EXPECT_EQ(result.exit_code, 5);
}

TEST(ExitCode, GrandchildrenOfAFailedRankGoToo) {
    EXPECT_EQ(run(client_job(2, {"child:60000", "daemon:60000", "0=exit:4", "pause"})).exit_code, 4);
}

TEST(ExitCode, GrandchildThatKeepsTheOutputOpenEndsWithTheJob) {
    EXPECT_EQ(run(client_job(2, {"daemon:60000", "print:done"})).exit_code, 0);
}

// Four states of a rank x three ways to leave, while the others wait for it.
struct Leave {
    std::string name;
    std::vector<std::string> state;  ///< steps of rank 1 before it leaves
    const char* step;
    int code;
    std::vector<std::string> others = {"init", "fence", "finalize"};  ///< what the other ranks do meanwhile
};

void PrintTo(const Leave& leave, std::ostream* stream) { *stream << leave.name; }

// A rank that finalizes releases the others from their fence with an error, which they would report first.
const std::vector<std::string> kNoFence = {"init", "pause"};

class LeaveTest : public testing::TestWithParam<Leave> {};

TEST_P(LeaveTest, EndsTheJob) {
    const Leave& leave = GetParam();
    std::vector<std::string> steps;
    for (const std::string& step : leave.state) {
        steps.push_back("1=" + step);
    }
    steps.push_back(std::string("1=") + leave.step);
    steps.insert(steps.end(), leave.others.begin(), leave.others.end());
    const Result result = run(client_job(3, steps));
    EXPECT_EQ(result.exit_code, leave.code) << result.err;
    EXPECT_THAT(result.err, HasSubstr("rank 1 of 3"));
}

INSTANTIATE_TEST_SUITE_P(
    States, LeaveTest,
    testing::Values(Leave{"StartedExit0", {"sleep:100"}, "exit:0", 1}, Leave{"StartedExit1", {}, "exit:1", 1},
                    Leave{"StartedSignal", {}, "raise:11", 139}, Leave{"InitedExit0", {"init"}, "exit:0", 1},
                    Leave{"InitedExit1", {"init"}, "exit:1", 1},
                    Leave{"InitedSignal", {"init"}, "raise:6", 134},
                    Leave{"FinalizedExit1", {"init", "finalize"}, "exit:1", 1, kNoFence},
                    Leave{"FinalizedSignal", {"init", "finalize"}, "raise:9", 137, kNoFence}),
    [](const auto& leave) { return leave.param.name; });

TEST(ExitCode, FinalizedAndExitZeroIsFine) {
    EXPECT_EQ(run(client_job(3, {"init", "finalize", "1=exit:0", "sleep:100"})).exit_code, 0);
}

}  // namespace
}  // namespace rb2::launcher::test
