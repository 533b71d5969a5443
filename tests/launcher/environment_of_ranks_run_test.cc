// What ranks find: their variables, directory, place in the job; also under another launcher.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/launcher/harness.hpp"

namespace rb2::launcher::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

TEST(RankEnvironment, ContractWithTheRuntime) {
    const Result result =
        run({"-n", "3", "sh", "-c", "echo $RB2_LAUNCHER $RB2_WORLD_SIZE ${#RB2_JOB_NONCE} $RB2_JOB_NONCE"});
    const std::vector<std::string> lines = lines_of(result.out);
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_TRUE(lines[0].starts_with("rb2run 3 32 "));
    EXPECT_EQ(std::set<std::string>(lines.begin(), lines.end()).size(), 1U);  // one nonce per job
    const std::string nonce = lines[0].substr(12);
    EXPECT_TRUE(std::all_of(nonce.begin() + 1, nonce.end(), [](char c) {
        return std::string_view("0123456789abcdef").find(c) != std::string_view::npos;
    })) << nonce;
}

TEST(RankEnvironment, ProgramsOfAJobShareOneWorld) {
    const Result result = run({"-n", "1", client(), "init", "app", "fence", "finalize", ":", "-np", "2",
                               client(), "init", "app", "fence", "finalize"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(lines_of(result.out),
                UnorderedElementsAre("rank 0 app 0 of 2 size 3", "rank 1 app 1 of 2 size 3",
                                     "rank 2 app 1 of 2 size 3"));
}

TEST(RankEnvironment, ExportsAndDirectoriesPerProgram) {
    const Result result = run({"-x", "COLOR=blue", "--wdir", "/usr", "sh", "-c", "echo $COLOR $PWD", ":",
                               "-x", "COLOR=red=1", "-wdir", "/etc", "sh", "-c", "echo $COLOR $PWD"});
    EXPECT_THAT(lines_of(result.out), UnorderedElementsAre("blue /usr", "red=1 /etc"));
}

TEST(RankEnvironment, MissingDirectoryIsNamed) {
    const Result result = run({"--wdir", "/no/such/place", "true"});
    EXPECT_EQ(result.exit_code, 127);
    EXPECT_THAT(result.err, HasSubstr("--wdir /no/such/place: No such file or directory"));
}

TEST(RankEnvironment, StaleLauncherVariablesDoNotMislead) {
    const Settings stale{{"PMIX_RANK=5", "PMIX_NAMESPACE=gone", "PMIX_SERVER_URI41=gone.0;tcp4://127.0.0.1:1",
                          "PMI_RANK=3", "PMI_SIZE=9", "OMPI_COMM_WORLD_RANK=7", "SLURM_PMI_FD=3"},
                         {},
                         ""};
    const Result result = run(client_job(2, {"init", "fence", "finalize", "app"}), stale);
    EXPECT_EQ(run(client_job(2, {"init", "fence", "finalize"}), stale).exit_code, 0);
    const Result names = run({"-n", "2", "env"}, stale);
    for (const char* name :
         {"PMI_RANK", "PMI_SIZE", "OMPI_COMM_WORLD_RANK", "SLURM_PMI_FD", "PMIX_RANK=5", "=gone"}) {
        EXPECT_THAT(names.out, Not(HasSubstr(name)));
    }
}

TEST(RankEnvironment, NestedJobsHaveTheirOwnWorlds) {
    std::vector<std::string> inner = client_job(2, {"init", "app", "fence", "finalize"});
    std::vector<std::string> outer = {"-n", "2", rb2run()};
    outer.insert(outer.end(), inner.begin(), inner.end());
    const Result result = run(outer);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(lines_of(result.out),
                UnorderedElementsAre("rank 0 app 0 of 1 size 2", "rank 1 app 0 of 1 size 2",
                                     "rank 0 app 0 of 1 size 2", "rank 1 app 0 of 1 size 2"));
}

TEST(RankEnvironment, UserSettingsOfOtherLibrariesStay) {
    const Result result = run({"env"}, {{"OMPI_MCA_btl=self", "PMIX_MCA_gds=hash"}, {}, ""});
    EXPECT_THAT(result.out, HasSubstr("OMPI_MCA_btl=self"));
    EXPECT_THAT(result.out, HasSubstr("PMIX_MCA_gds=hash"));
}

TEST(RankEnvironment, OptionsFromTheEnvironment) {
    const Result result = run({"echo", "x"}, {{"RB2RUN_TAG_OUTPUT=1"}, {}, ""});
    EXPECT_EQ(result.out, "[0] x\n");
}

}  // namespace
}  // namespace rb2::launcher::test
