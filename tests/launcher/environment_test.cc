#include "launcher/process/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rb2::launcher {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

TEST(Environment, DropsOtherLaunchersVariables) {
    EXPECT_THAT(without_launcher_variables({"PATH=/bin", "PMIX_NAMESPACE=x", "PMI_FD=3", "OMPI_UNIVERSE=1",
                                            "SLURM_PMIX_FENCE=ring", "SLURM_JOB_ID=5", "PMIXED=1"}),
                ElementsAre("PATH=/bin", "SLURM_JOB_ID=5", "PMIXED=1"));
}

TEST(Environment, UserSettingsStayUnlessNested) {
    EXPECT_THAT(without_launcher_variables({"OMPI_MCA_btl=self", "PMIX_MCA_gds=hash"}),
                ElementsAre("OMPI_MCA_btl=self", "PMIX_MCA_gds=hash"));
    EXPECT_THAT(without_launcher_variables({"PMIX_RANK=0", "OMPI_MCA_btl=self", "PMIX_MCA_gds=hash"}),
                ElementsAre());
}

TEST(Environment, KnowsOtherLaunchers) {
    EXPECT_FALSE(is_under_launcher({"PATH=/bin", "SLURM_JOB_ID=5"}));
    EXPECT_FALSE(is_under_launcher({"SLURM_JOB_ID=5", "SLURM_PROCID=0"}));  // a batch script
    EXPECT_TRUE(is_under_launcher({"SLURM_STEP_ID=0", "SLURM_PROCID=2"}));
    for (const char* variable : {"PMIX_RANK=0", "PMI_RANK=1", "OMPI_COMM_WORLD_RANK=0"}) {
        EXPECT_TRUE(is_under_launcher({variable})) << variable;
    }
}

TEST(Environment, SetReplaces) {
    Environment environment = {"A=1", "AB=2"};
    set_variable(environment, "A", "3");
    EXPECT_THAT(environment, ElementsAre("AB=2", "A=3"));
}

Job small_job() {
    Job job;
    job.footprint.nonce = "00112233445566778899aabbccddeeff";
    job.size = 4;
    job.apps.emplace_back();
    return job;
}

TEST(RankEnvironment, HasTheContractVariables) {
    const Job job = small_job();
    const Environment environment = rank_environment({"A=1", "RB2_JOB_NONCE=outer"}, job, job.apps[0]);
    EXPECT_THAT(environment, ElementsAre("A=1", "RB2_JOB_NONCE=00112233445566778899aabbccddeeff",
                                         "RB2_LAUNCHER=rb2run", "RB2_WORLD_SIZE=4"));
}

TEST(RankEnvironment, ExportsOverrideAndRescue) {
    Job job = small_job();
    job.apps[0].exports = {{"A", "2"}, {"OMPI_UNIVERSE", std::nullopt}, {"ABSENT", std::nullopt}};
    const Environment environment = rank_environment({"A=1", "OMPI_UNIVERSE=7"}, job, job.apps[0]);
    EXPECT_THAT(environment, Contains("A=2"));
    EXPECT_THAT(environment, Not(Contains("A=1")));
    EXPECT_THAT(environment, Contains("OMPI_UNIVERSE=7"));
    EXPECT_EQ(environment.size(), 5U);
}

}  // namespace
}  // namespace rb2::launcher
