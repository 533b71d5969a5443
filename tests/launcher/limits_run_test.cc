// Small machines, containers and low limits: a note or a clear error, never a riddle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/launcher/harness.hpp"

namespace rb2::launcher::test {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kOneCpu = {"taskset", "-c", "0"};

TEST(Limits, TooFewDescriptorsIsOneClearLine) {
    const Result result =
        run({"-n", "32", "true"}, {{}, {"sh", "-c", "ulimit -n 64; exec \"$@\"", "sh"}, ""});
    EXPECT_EQ(result.exit_code, 125);
    EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
    EXPECT_THAT(result.err, HasSubstr("32 ranks need 136 file descriptors, the limit is 64"));
}

TEST(Limits, SoftDescriptorLimitIsRaisedForUsAndKeptForTheRanks) {
    const Result result = run({"-n", "32", "sh", "-c", "ulimit -S -n"},
                              {{}, {"sh", "-c", "ulimit -S -n 64; exec \"$@\"", "sh"}, ""});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(lines_of(result.out), std::vector<std::string>(32, "64"));
}

TEST(Limits, NeededDescriptorsAreEnough) {
    // 136 is what the message of the first test asks for.
    const Result result = run(client_job(32, {"init", "fence", "finalize"}),
                              {{}, {"sh", "-c", "ulimit -n 136; exec \"$@\"", "sh"}, ""});
    EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(Limits, ManyCardsFillMoreThanOneSegmentOfTheKeyStore) {
    // Large jobs do; here few ranks publish much.
    const Result result = run(client_job(6, {"init", "exchange:100000", "finalize"}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(Limits, NoDescriptorLeaksIntoRanks) {
    const Result result = run({"-n", "2", "sh", "-c", "ls /proc/self/fd | wc -l"});
    EXPECT_EQ(result.out, "4\n4\n");  // 0, 1, 2 and the directory that ls reads
}

TEST(Limits, EightRanksOnOneCpuRunWithOneNote) {
    const Result result = run(client_job(8, {"init", "fence", "finalize"}), {{}, kOneCpu, ""});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "rb2run: 8 ranks share 1 usable CPU\n");
}

TEST(Limits, ImpossibleBindingIsAWarning) {
    const Result result = run({"--bind-to", "core", "-n", "3", "true"}, {{}, kOneCpu, ""});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.err, HasSubstr("ranks are not bound: 3 ranks, but 1 usable core"));
}

TEST(Limits, BindingIsReportedAndDone) {
    const Result result =
        run({"--bind-to", "hwthread", "--report-bindings", "taskset", "-cp", "0"}, {{}, kOneCpu, ""});
    EXPECT_THAT(result.err, HasSubstr("rank 0 bound to hwthread 0 (cpus 0)"));
    EXPECT_THAT(result.err, HasSubstr("rb2run:    core 0"));
    EXPECT_THAT(result.err, HasSubstr("rb2run:  | 0"));
}

TEST(Limits, RanksOfARankFileMayUseItsCoresOnly) {
    const std::string path = testing::TempDir() + "rb2run_rankfile_" + std::to_string(::getpid());
    std::ofstream(path) << "rank 0=localhost slot=0\n";
    const Result result =
        run({"--rankfile", path, "sh", "-c", "grep Cpus_allowed_list /proc/self/status"}, {{}, kOneCpu, ""});
    std::ofstream(path) << "rank 0=localhost slot=4711\n";
    const Result refused = run({"--rankfile", path, "true"});
    std::filesystem::remove(path);
    EXPECT_THAT(result.out, HasSubstr(":\t0\n"));
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("rank 0: there is no core 4711"));
}

TEST(Limits, MoreRanksThanAUnitTakesAreRefused) {
    const Result result = run({"--map-by", "ppr:1:node", "-n", "2", "true"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("2 ranks, but 1 node with 1 each take 1"));
}

TEST(Limits, BoundRanksMayUseTheirCpusOnly) {
    const Result result = run({"--bind-to", "core", "sh", "-c", "grep Cpus_allowed_list /proc/self/status"});
    const std::vector<std::string> lines = lines_of(result.out);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].substr(lines[0].find(':') + 2), "0");
}

TEST(Limits, RootAndNoOptionsOfOthersAreAccepted) {
    EXPECT_EQ(run({"--oversubscribe", "--allow-run-as-root", "-np", "2", "true"}).exit_code, 0);
}

TEST(Limits, UnwritableTemporaryDirectoryIsNamed) {
    const Result result = run({"true"}, {{"TMPDIR=/no/such/place"}, {}, ""});
    EXPECT_EQ(result.exit_code, 125);
    EXPECT_THAT(result.err, HasSubstr("/no/such/place/rb2run-"));
    EXPECT_THAT(result.err, HasSubstr("set TMPDIR"));
}

/// In a network namespace with nothing in it but a loopback interface that is down, where the host has a
/// strange name.
Settings isolated(const std::string& preparation) {
    const std::string setup =
        "echo 'no such%host..' >/proc/sys/kernel/hostname; " + preparation + "; exec \"$@\"";
    return {{}, {"unshare", "--map-root-user", "--net", "--uts", "--mount", "sh", "-c", setup, "sh"}, ""};
}

bool may_isolate() { return std::system("unshare --map-root-user --net --uts --mount true") == 0; }

TEST(Limits, AHostWhoseNameNobodyKnowsRunsJobs) {
    if (!may_isolate()) GTEST_SKIP() << "the kernel allows this user no namespaces";
    const Result result = run(client_job(2, {"init", "fence", "finalize"}),
                              isolated("mount -t tmpfs none /etc; PATH=$PATH:/sbin ip link set lo up"));
    EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(Limits, AHostWithoutAnyNetworkIsToldWhatToTry) {
    if (!may_isolate()) GTEST_SKIP() << "the kernel allows this user no namespaces";
    const Result result = run({"-n", "2", "true"}, isolated("true"));
    EXPECT_EQ(result.exit_code, 125);
    EXPECT_THAT(result.err, HasSubstr("not even the loopback; to try: ip link set lo up"));
}

TEST(Limits, NoSshAndNoResolverAreNeeded) {
    const Result result = run({"-n", "2", "/bin/true"}, {{"PATH=/nowhere"}, {}, ""});
    EXPECT_EQ(result.exit_code, 0);
}

}  // namespace
}  // namespace rb2::launcher::test
