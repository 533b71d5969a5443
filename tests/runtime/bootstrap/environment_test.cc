#include "runtime/bootstrap/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "runtime/bootstrap/nonce.hpp"
#include "runtime/status.hpp"

namespace rb2::bootstrap {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Environment = std::map<std::string, std::string>;

EnvironmentLookup lookup_in(const Environment& environment) {
    return [environment](const char* name) {
        const auto at = environment.find(name);
        return at == environment.end() ? std::nullopt : std::optional(at->second);
    };
}

LauncherTrace trace_of(const Environment& environment) { return find_launcher(lookup_in(environment)); }

TEST(FindLauncher, NothingSet) {
    EXPECT_FALSE(trace_of({}).any());
    EXPECT_FALSE(trace_of({{"PATH", "/bin"}, {"OMPI_MCA_btl", "self"}, {"PMIX_MCA_gds", "hash"}}).any());
}

TEST(FindLauncher, PmixVariablesCountWhateverTheSize) {
    const LauncherTrace trace =
        trace_of({{"PMIX_NAMESPACE", "job"}, {"PMIX_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}});
    EXPECT_THAT(trace.pmix, ElementsAre("PMIX_NAMESPACE=job", "PMIX_RANK=0"));
    EXPECT_THAT(trace.other, IsEmpty());
}

TEST(FindLauncher, JobsOfSeveralRanksOfAnyLauncher) {
    EXPECT_THAT(trace_of({{"OMPI_COMM_WORLD_SIZE", "2"}}).to_string(), HasSubstr("OMPI_COMM_WORLD_SIZE=2"));
    EXPECT_THAT(trace_of({{"RB2_WORLD_SIZE", "16"}}).to_string(), HasSubstr("RB2_WORLD_SIZE=16"));
    EXPECT_TRUE(trace_of({{"RB2_LAUNCHER", "rb2run"}}).any());
    EXPECT_TRUE(trace_of({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}).any());
    EXPECT_TRUE(trace_of({{"PMI_FD", "9"}}).any());
    EXPECT_TRUE(trace_of({{"RB2_WORLD_SIZE", "many"}}).any());
}

TEST(FindLauncher, AJobOfOneNeedsNobody) {
    EXPECT_FALSE(trace_of({{"OMPI_COMM_WORLD_SIZE", "1"}}).any());
    EXPECT_FALSE(trace_of({{"RB2_WORLD_SIZE", "1"}, {"RB2_LAUNCHER", "rb2run"}}).any());
    EXPECT_FALSE(trace_of({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}, {"PMI_FD", "9"}}).any());
}

TEST(FindLauncher, SlurmCountsOnlyInsideAStepOfSeveralTasks) {
    Environment environment = {{"SLURM_JOB_ID", "5"}, {"SLURM_NTASKS", "4"}, {"SLURM_NNODES", "2"}};
    EXPECT_FALSE(trace_of(environment).any()) << "the shell of an allocation";
    environment["SLURM_PROCID"] = "0";
    EXPECT_FALSE(trace_of(environment).any()) << "a batch script";
    environment["SLURM_STEP_ID"] = "0";
    environment["SLURM_STEP_NUM_TASKS"] = "1";
    EXPECT_FALSE(trace_of(environment).any()) << "a step of one task";
    environment["SLURM_STEP_NUM_TASKS"] = "4";
    EXPECT_THAT(trace_of(environment).other, ElementsAre("SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=4"));
}

TEST(LauncherError, NamesVariablesStatusVersionsAndWhatToTry) {
    const Environment environment = {
        {"PMIX_NAMESPACE", "old"}, {"PMIX_RANK", "3"}, {"PMIX_VERSION", "3.2.1"}};
    const std::string text =
        launcher_error(trace_of(environment), lookup_in(environment), "UNREACHABLE (-25)", "4.2.2rc2");
    EXPECT_THAT(
        text, AllOf(HasSubstr("PMIX_NAMESPACE=old"), HasSubstr("PMIX_RANK=3"), HasSubstr("UNREACHABLE (-25)"),
                    HasSubstr("4.2.2rc2"), HasSubstr("3.2.1"), HasSubstr("unset")));
}

TEST(LauncherError, AdviceFitsTheLauncher) {
    const auto error_for = [](const Environment& environment) {
        return launcher_error(trace_of(environment), lookup_in(environment), "x", "y");
    };
    EXPECT_THAT(error_for({{"SLURM_PROCID", "1"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}}),
                HasSubstr("srun --mpi=pmix"));
    EXPECT_THAT(error_for({{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}}),
                AllOf(HasSubstr("PMI-1"), HasSubstr("rb2run")));
    EXPECT_THAT(error_for({{"OMPI_COMM_WORLD_SIZE", "4"}}), AllOf(HasSubstr("rb2run"), HasSubstr("unknown")));
}

TEST(Nonce, RandomOnesAreWellFormedAndDiffer) {
    EXPECT_TRUE(is_nonce(random_nonce()));
    EXPECT_NE(random_nonce(), random_nonce());
    EXPECT_FALSE(is_nonce(""));
    EXPECT_FALSE(is_nonce(std::string(31, 'a')));
    EXPECT_FALSE(is_nonce(std::string(31, 'a') + "G"));
}

TEST(Nonce, ComesFromTheLauncherOfThisJobOnly) {
    const std::string given = "0123456789abcdef0123456789abcdef";
    const EnvironmentLookup lookup = lookup_in({{"RB2_JOB_NONCE", given}});
    EXPECT_EQ(choose_nonce(lookup, "rb2-0-4711-01234567"), given);
    EXPECT_NE(choose_nonce(lookup, "1312948225"), given) << "another launcher's job inside ours";
    EXPECT_TRUE(is_nonce(choose_nonce(lookup, "1312948225")));
    EXPECT_TRUE(is_nonce(choose_nonce(lookup_in({}), "rb2-0-4711-01234567")));
    EXPECT_THROW((void)choose_nonce(lookup_in({{"RB2_JOB_NONCE", "01234567oops"}}), "rb2-0-4711-01234567"),
                 StartupError);
}

}  // namespace
}  // namespace rb2::bootstrap
