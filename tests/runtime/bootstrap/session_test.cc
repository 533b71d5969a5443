// Starts session_probe without a launcher, and with what other launchers leave in the environment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>  // NOLINT(modernize-deprecated-headers): popen is POSIX
#include <sys/wait.h>

#include <array>
#include <string>

namespace rb2::bootstrap {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Outcome {
    int status = -1;
    std::string output;
};

/// Runs the probe with only `variables` ("A=b C=d") in its environment; 124 when it hangs.
Outcome probe_with(const std::string& variables, const std::string& arguments = "") {
    const std::string command =
        "timeout 20 env -i PATH=/usr/bin:/bin " + variables + " " SESSION_PROBE " " + arguments + " 2>&1";
    Outcome outcome;
    FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return outcome;
    std::array<char, 4096> buffer{};
    while (const std::size_t length = ::fread(buffer.data(), 1, buffer.size(), pipe))
        outcome.output.append(buffer.data(), length);
    const int state = ::pclose(pipe);
    outcome.status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    return outcome;
}

void expect_alone(const std::string& variables) {
    const Outcome outcome = probe_with(variables);
    EXPECT_EQ(outcome.status, 0) << variables;
    EXPECT_EQ(outcome.output, "probe ok: 1 ranks\n") << variables;
}

/// An error that names the variable, PMIx and its version, never a world of one and never a hang.
void expect_refusal(const std::string& variables, const std::string& named) {
    const Outcome outcome = probe_with(variables);
    EXPECT_EQ(outcome.status, 1) << variables;
    EXPECT_THAT(outcome.output, AllOf(HasSubstr(named), HasSubstr("PMIx here: "), HasSubstr("launcher: ")))
        << variables;
}

TEST(Session, WithoutALauncherIsAWorldOfOne) {
    expect_alone("");
    expect_alone("PMIX_MCA_gds=hash OMPI_MCA_btl=self");
}

TEST(Session, InTheShellOfASlurmAllocationIsAWorldOfOne) {
    expect_alone("SLURM_JOB_ID=7 SLURM_NTASKS=4 SLURM_NNODES=2 SLURM_JOB_NODELIST=a");
    expect_alone("SLURM_JOB_ID=7 SLURM_NTASKS=4 SLURM_PROCID=0 SLURM_LOCALID=0");
}

TEST(Session, OfALauncherThatSaysOneIsAWorldOfOne) {
    expect_alone("OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0");
    expect_alone("SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1");
}

TEST(Session, StalePmixVariablesAreAnError) {
    expect_refusal("PMIX_NAMESPACE=stale PMIX_RANK=0", "PMIX_NAMESPACE=stale");
    expect_refusal("PMIX_NAMESPACE=stale PMIX_RANK=0", "UNREACHABLE (-25)");
    expect_refusal("PMIX_RANK=0", "PMIX_RANK=0");
    expect_refusal("PMIX_NAMESPACE=stale PMIX_RANK=0 PMIX_VERSION=3.2.1", "PMIx of the launcher: 3.2.1");
}

TEST(Session, AServerThatIsGoneIsAnError) {
    expect_refusal("PMIX_NAMESPACE=gone PMIX_RANK=0 PMIX_SERVER_URI41='gone.0;tcp4://127.0.0.1:1'",
                   "PMIX_SERVER_URI41=gone.0;tcp4://127.0.0.1:1");
}

TEST(Session, LaunchersWithoutPmixAreAnError) {
    expect_refusal("SLURM_STEP_ID=0 SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=4", "srun --mpi=pmix");
    expect_refusal("PMI_RANK=1 PMI_SIZE=2 PMI_FD=99", "PMI_RANK=1");
    expect_refusal("OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_SIZE=4");
    expect_refusal("RB2_WORLD_SIZE=4 RB2_LAUNCHER=rb2run", "RB2_WORLD_SIZE=4");
}

TEST(Session, AbortAloneEndsWithTheCodeAndShowsTheText) {
    const Outcome outcome = probe_with("", "--abort 0");
    EXPECT_EQ(outcome.status, 7);
    EXPECT_THAT(outcome.output, HasSubstr("rank 0: abort(7): asked to"));
}

}  // namespace
}  // namespace rb2::bootstrap
