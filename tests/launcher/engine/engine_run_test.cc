// rb2run hands a job over: against launchers of the test's own, first in PATH, that print what they are
// given.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/launcher/harness.hpp"

namespace rb2::launcher::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// For a body: no host answers, but at once, when it is asked where its ranks are. Otherwise rb2run waits.
const std::string kNoAnswers = "case \"$*\" in *rb2stat*) exit;; esac; ";

class Engine : public testing::Test {
  protected:
    Engine() { fs::create_directories(dir_); }
    ~Engine() override { fs::remove_all(dir_); }

    /// An executable that answers --version and otherwise does `body`.
    void add_tool(const std::string& name, const std::string& version, const std::string& body) {
        const fs::path path = dir_ / name;
        std::ofstream(path) << "#!/bin/sh\nif test \"$1\" = --version -o \"$1\" = --mpi=list; then echo '"
                            << version << "'; exit; fi\n"
                            << body << "\n";
        fs::permissions(path, fs::perms::owner_all);
    }

    /// Only the shell's own directory beside ours, and no allocation.
    [[nodiscard]] Settings settings(std::vector<std::string> environment = {}) const {
        Settings result;
        result.environment = {"PATH=" + dir_.string() + ":/bin"};
        result.environment.insert(result.environment.end(), environment.begin(), environment.end());
        return result;
    }

  private:
    fs::path dir_ = fs::path(testing::TempDir()) / ("rb2_engine_run." + std::to_string(::getpid()));
};

TEST_F(Engine, BecomesIt) {
    add_tool("prterun", "prterun (PRRTE) 3.0.2", "echo $RB2_WORLD_SIZE; printf '%s\\n' \"$@\"; cat; exit 7");
    Settings with_input = settings();
    with_input.input = "fed\n";
    const Result result = run({"-v", "-H", "zz1:1,zz2:2", "prog", "a b"}, with_input);
    EXPECT_EQ(result.exit_code, 7);
    EXPECT_THAT(result.out, HasSubstr("3\n"));
    EXPECT_THAT(
        result.out,
        HasSubstr("--host\nzz1:1,zz2:2\n-n\n3\n-x\nRB2_WORLD_SIZE\n-x\nRB2_TEST_MARK\nprog\na b\nfed\n"));
    EXPECT_THAT(result.err, HasSubstr("engine prterun: for host zz1"));
    if (::geteuid() == 0) {
        EXPECT_THAT(result.err, HasSubstr("--allow-run-as-root added"));
    }
}

TEST_F(Engine, InAnAllocation) {
    add_tool("srun", "MPI plugin types are...\n\tpmix", "printf '%s\\n' \"$SLURM_PMIX_FENCE\" \"$@\"");
    const Result result = run({"-n", "2", "prog"}, settings({"SLURM_JOB_ID=1", "SLURM_JOB_NUM_NODES=2"}));
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.out, HasSubstr("ring\n--mpi=pmix\n"));
}

TEST_F(Engine, DryRunOnlyPrints) {
    add_tool("prterun", "prterun (PRRTE) 3.0.2", "echo started");
    const Result result = run({"--dry-run", "--timeout", "3", "-H", "zz1", "a b", "$c"}, settings());
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.out, HasSubstr("/prterun "));
    EXPECT_THAT(result.out, HasSubstr(" --host zz1:1 -n 1 -x RB2_WORLD_SIZE -x RB2_TEST_MARK 'a b' '$c'\n"));
    EXPECT_THAT(result.out, Not(HasSubstr("started")));
    EXPECT_THAT(result.err, HasSubstr("--timeout 3 is kept by rb2run"));
}

TEST_F(Engine, DryRunHere) {
    const Result result = run({"--dry-run", "-n", "2", "true"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.out, "rb2run --engine embedded -n 2 -- true\n");
    EXPECT_EQ(run({"--dry-run", "-n", "2", "/no/such/program"}).exit_code, 127);
}

TEST_F(Engine, LaunchersOfOtherMpis) {
    add_tool("mpirun", "HYDRA build details", "exit 0");
    add_tool("orterun", "Intel(R) MPI Library", "exit 0");
    add_tool("mpirun.openmpi", "none", "exit 0");
    const Result result = run({"-H", "zz1", "true"}, settings());
    EXPECT_EQ(result.exit_code, 125);
    EXPECT_THAT(result.err, HasSubstr("no engine can start ranks on host zz1"));
    EXPECT_THAT(result.err, HasSubstr("HYDRA build details"));
    EXPECT_THAT(result.err, HasSubstr("install PRRTE or Open MPI"));
}

TEST_F(Engine, TimeLimit) {
    add_tool("prterun", "prterun (PRRTE) 3.0.2", "echo started; exec sleep 100");
    const Result result = run({"--timeout", "0.5", "-H", "zz1", "true"}, settings());
    EXPECT_EQ(result.exit_code, 124);
    EXPECT_THAT(result.err, HasSubstr("--timeout: 0.5 s are over"));
    EXPECT_THAT(result.err, HasSubstr("where the ranks are is not known: started"));  // after 10 s
}

TEST_F(Engine, TimeLimitOfAStubbornEngine) {
    add_tool("prterun", "prterun (PRRTE) 3.0.2", kNoAnswers + "trap '' TERM; exec sleep 60");
    EXPECT_EQ(run({"--timeout", "0.5", "-H", "zz1", "true"}, settings()).exit_code, 124);
}

TEST_F(Engine, ExitWithinTheTimeLimit) {
    add_tool("prterun", "prterun (PRRTE) 3.0.2", "exit 7");
    EXPECT_EQ(run({"--timeout", "60", "-H", "zz1", "true"}, settings()).exit_code, 7);
    add_tool("prterun", "prterun (PRRTE) 3.0.2", "kill -9 $$");
    EXPECT_EQ(run({"--timeout", "60", "-H", "zz1", "true"}, settings()).exit_code, 137);
}

TEST_F(Engine, SignalsArePassedOn) {
    add_tool("prterun", "prterun (PRRTE) 3.0.2",
             kNoAnswers +
                 "trap 'echo got USR2' USR2; trap 'echo got INT; exit 9' INT; echo ready; while :; do sleep "
                 "0.05; done");
    for (const std::vector<std::string>& limit :
         std::vector<std::vector<std::string>>{{}, {"--timeout", "60"}}) {
        std::vector<std::string> arguments = limit;
        arguments.insert(arguments.end(), {"-H", "zz1", "true"});
        Launch launch(arguments, settings());
        ASSERT_TRUE(launch.wait_for_output("ready"));
        launch.signal(SIGUSR2);
        ASSERT_TRUE(launch.wait_for_output("got USR2"));
        launch.signal(SIGINT);
        EXPECT_EQ(launch.finish().exit_code, 9);
    }
}

}  // namespace
}  // namespace rb2::launcher::test
