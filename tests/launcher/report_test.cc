#include "launcher/job/report.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>

namespace rb2::launcher {
namespace {

Job two_programs() {
    Job job;
    job.host = "box";
    job.size = 3;
    job.apps.resize(2);
    job.apps[0].argv = {"./a"};
    job.apps[0].ranks = 1;
    job.apps[1].argv = {"./b", "arg"};
    job.apps[1].first_rank = 1;
    job.apps[1].ranks = 2;
    return job;
}

TEST(Report, NamesRankHostPidProgramAndCause) {
    EXPECT_EQ(
        describe_failure({Cause::signal, 2, 139, SIGSEGV, {}}, two_programs(), 77, 2),
        "rb2run: rank 2 of 3 (host box, pid 77, program ./b) was killed by signal 11 (Segmentation fault); "
        "rb2run ended the other 2 running ranks\n");
    EXPECT_EQ(describe_failure({Cause::exit_code, 0, 3, 3, {}}, two_programs(), 5, 0),
              "rb2run: rank 0 of 3 (host box, pid 5, program ./a) exited with code 3\n");
}

TEST(Report, AbortShowsItsText) {
    EXPECT_EQ(describe_failure({Cause::aborted, 1, 7, 7, "no food"}, two_programs(), 5, 1),
              "rb2run: rank 1 of 3 (host box, pid 5, program ./b) aborted the job with code 7: no food; "
              "rb2run ended the other 1 running rank\n");
}

TEST(Report, FailedStartHintsAtTheInterpreter) {
    EXPECT_EQ(describe_failure({Cause::cannot_start, 0, 127, ENOENT, "exec"}, two_programs(), 5, 0),
              "rb2run: rank 0 of 3 (host box, pid 5, program ./a) could not be started: exec: No such file "
              "or directory "
              "(is the interpreter in its first line missing?)\n");
}

TEST(Report, NoRankIsBlamedForTheLaunchersOwn) {
    EXPECT_EQ(describe_failure({Cause::launcher, -1, 124, 0, "too slow"}, two_programs(), -1, 3),
              "rb2run: too slow\n");
    EXPECT_EQ(describe_failure({Cause::interrupted, 1, 130, SIGINT, {}}, two_programs(), 5, 0),
              "rb2run: the job ended after signal 2 (Interrupt)\n");
}

TEST(RankRanges, AreShort) {
    EXPECT_EQ(rank_ranges({}), "");
    EXPECT_EQ(rank_ranges({4}), "4");
    EXPECT_EQ(rank_ranges({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
}

TEST(Job, RankToProgram) {
    const Job job = two_programs();
    EXPECT_EQ(job.app_index(0), 0);
    EXPECT_EQ(job.app_index(1), 1);
    EXPECT_EQ(job.app_index(2), 1);
}

}  // namespace
}  // namespace rb2::launcher
