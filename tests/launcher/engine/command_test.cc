#include "launcher/engine/command.hpp"
#include "launcher/engine/survey.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launcher/engine/shell.hpp"
#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Options options_of(const std::vector<std::string>& args) {
    auto result = parse_command_line(args);
    if (const auto* early = std::get_if<EarlyExit>(&result)) {
        ADD_FAILURE() << early->text;
        return {};
    }
    return std::get<Options>(result);
}

EngineContext context(const char* path, int major, Environment environment = {}) {
    EngineContext result;
    result.tool = {path, major, ""};
    result.environment = std::move(environment);
    return result;
}

EngineContext allocated(const char* path, int major = 0) {
    EngineContext result = context(path, major);
    result.allocation = {"7", 2, false};
    return result;
}

std::string line(Engine engine, const std::vector<std::string>& args, const EngineContext& where) {
    return to_shell(build_command(engine, options_of(args), where));
}

std::string srun(const std::vector<std::string>& args, const EngineContext& where = context("srun", 0)) {
    return line(Engine::srun, args, where);
}
std::string mpirun(const std::vector<std::string>& args, const EngineContext& where = context("mpirun", 4)) {
    return line(Engine::mpirun, args, where);
}
std::string prterun(const std::vector<std::string>& args,
                    const EngineContext& where = context("prterun", 3)) {
    return line(Engine::prterun, args, where);
}

std::string refused(Engine engine, const std::vector<std::string>& args) {
    try {
        return "accepted: " + line(engine, args, context("engine", 4));
    } catch (const LaunchError& error) {
        EXPECT_EQ(error.exit_code(), kExitUsage);
        return error.what();
    }
}

constexpr const char* kSrunProgram =
    "env RB2_WORLD_SIZE=4 SLURM_PMIX_FENCE=ring srun --mpi=pmix --kill-on-bad-exit=1 "
    "--export=ALL --ntasks=4 --overcommit";

TEST(SrunCommand, Hosts) {
    EXPECT_EQ(srun({"-H", "a:1,b:3", "p", "x y"}),
              std::string(kSrunProgram) +
                  " --nodes=2 --distribution=arbitrary --nodelist=a,b,b,b --cpu-bind=none "
                  "--input=0 p 'x y'");
}

TEST(SrunCommand, Allocation) {
    EXPECT_EQ(
        srun({"-n", "4", "p"}, allocated("srun")),
        std::string(kSrunProgram) + " --overlap --nodes=2 --distribution=block --cpu-bind=none --input=0 p");
    EXPECT_THAT(srun({"-n", "1", "p"}, allocated("srun")), HasSubstr("--nodes=1 "));
}

TEST(SrunCommand, OneProgramsVariablesAndDirectory) {
    EXPECT_THAT(srun({"-x", "A=1 2", "-x", "B", "-x", "C", "--wdir", "/d", "p"}, context("srun", 0, {"B=b"})),
                HasSubstr(" --chdir=/d env 'A=1 2' B=b p"));
}

TEST(SrunCommand, SeveralProgramsAreChosenByRank) {
    const Options options =
        options_of({"-n", "1", "a", "it's", ":", "-n", "3", "-x", "V=$HOME", "--wdir", "/my dir", "b"});
    const EngineCommand command = build_command(Engine::srun, options, context("srun", 0));
    EXPECT_THAT(command.argv, Contains("--ntasks=4"));
    ASSERT_EQ(command.argv[command.argv.size() - 3], "sh");
    EXPECT_EQ(command.argv.back(),
              "if test $SLURM_PROCID -lt 1; then exec a 'it'\\''s'; fi\n"
              "if test $SLURM_PROCID -lt 4; then cd '/my dir' || exit; exec env 'V=$HOME' b; fi\n");
}

TEST(SrunCommand, JobOptions) {
    const std::string text = srun({"-l", "--bind-to", "socket", "--report-bindings", "p"});
    EXPECT_THAT(text, HasSubstr("--cpu-bind=verbose,sockets "));
    EXPECT_THAT(text, HasSubstr(" --label "));
    const std::string files = srun({"-l", "--output", "/o", "p"});
    EXPECT_THAT(files, HasSubstr("--output=/o/rank.%t.out --error=/o/rank.%t.err"));
    EXPECT_THAT(files, Not(HasSubstr("--label")));
    for (const auto& [ours, theirs] : std::vector<std::pair<std::string, std::string>>{
             {"hwthread", "threads"}, {"core", "cores"}, {"numa", "ldoms"}, {"none", "none"}}) {
        EXPECT_THAT(srun({"--bind-to", ours, "p"}), HasSubstr("--cpu-bind=" + theirs + " ")) << ours;
    }
}

TEST(SrunCommand, WhatItHasNoEqualOf) {
    EXPECT_THAT(refused(Engine::srun, {"--kill-wait", "3", "p"}), HasSubstr("no equal of --kill-wait"));
    EXPECT_THAT(refused(Engine::srun, {"--rsh-agent", "x", "p"}), HasSubstr("no equal of --rsh-agent"));
    EXPECT_THAT(refused(Engine::srun, {"--output", "a%b", "p"}), HasSubstr("--output a%b"));
}

TEST(SrunCommand, Mapping) {
    EXPECT_THAT(srun({"-H", "a:2,b:2", "-n", "3", "--map-by", "node", "p"}),
                HasSubstr("--nodes=2 --distribution=arbitrary --nodelist=a,b,a --cpu-bind=none "));
    EXPECT_THAT(srun({"-H", "a,b", "--map-by", "ppr:2:node", "p"}), HasSubstr("--nodelist=a,a,b,b "));
    EXPECT_THAT(srun({"-n", "4", "--map-by", "ppr:2:node", "p"}, allocated("srun")),
                HasSubstr("--ntasks-per-node=2 --distribution=block "));
    EXPECT_THAT(srun({"-n", "4", "--map-by", "node", "p"}, allocated("srun")),
                HasSubstr("--nodes=2 --distribution=cyclic "));
    EXPECT_THAT(srun({"-n", "4", "--map-by", "socket", "p"}, allocated("srun")),
                HasSubstr("--distribution=block:cyclic --cpu-bind=sockets "));
    EXPECT_THAT(srun({"-n", "4", "--map-by", "slot:PE=2", "p"}),
                HasSubstr("--cpus-per-task=2 --cpu-bind=cores "));
    EXPECT_THAT(refused(Engine::srun, {"--map-by", "numa", "p"}), HasSubstr("no equal of --map-by numa"));
    EXPECT_THAT(refused(Engine::srun, {"--map-by", "ppr:2:core", "-n", "2", "p"}), HasSubstr("ppr:2:core"));
    EXPECT_THAT(refused(Engine::srun, {"--timestamp-output", "p"}),
                HasSubstr("no equal of --timestamp-output"));
}

// How soon a host that is gone is noticed, and that ssh asks nothing.
constexpr const char* kRemote =
    "--mca oob_tcp_keepalive_time 3 --mca oob_tcp_keepalive_intvl 1 --mca oob_tcp_keepalive_probes 3 "
    "--mca plm_rsh_args '-o BatchMode=yes -o ConnectTimeout=10' ";
constexpr const char* kRemoteByPrrte = "--prtemca plm_ssh_args '-o BatchMode=yes -o ConnectTimeout=10' ";

TEST(MpirunCommand, Mapping) {
    EXPECT_THAT(mpirun({"-H", "a:2,b:2", "-n", "2", "--map-by", "node", "p"}),
                HasSubstr(std::string("--map-by node --bind-to none ") + kRemote + "--host a:1,b:1 -n 2 "));
    EXPECT_THAT(mpirun({"-H", "a,b", "--map-by", "ppr:1:socket:PE=2", "-n", "2", "p"}),
                HasSubstr("--map-by ppr:1:socket:PE=2 --bind-to core "));
    EXPECT_THAT(mpirun({"-H", "a", "--map-by", "hwthread", "--bind-to", "socket", "--timestamp-output", "p"}),
                HasSubstr("--use-hwthread-cpus --map-by hwthread --bind-to socket --timestamp-output "));
    EXPECT_THAT(refused(Engine::mpirun, {"-H", "a,b", "-n", "3", "--map-by", "ppr:1:node", "p"}),
                HasSubstr("3 ranks, but 2 hosts with 1 each take 2"));
}

/// Options with a rank file, as if it had been read.
Options with_rank_file(const std::vector<std::string>& args) {
    Options options = options_of(args);
    options.rank_file = "ranks";
    options.rank_slots = parse_rank_file("rank 0=b slot=0\nrank 1=a slot=1\nrank 2=b slot=1", options.hosts);
    return options;
}

TEST(EngineCommands, RankFile) {
    const Options options = with_rank_file({"-n", "3", "p"});
    EXPECT_THAT(to_shell(build_command(Engine::mpirun, options, context("mpirun", 4))),
                HasSubstr(std::string("mpirun --rankfile ranks ") + kRemote + "--host b:2,a:1 -n 3 "));
    EXPECT_THAT(to_shell(build_command(Engine::prterun, options, context("prterun", 3))),
                HasSubstr(std::string("prterun --map-by rankfile:file=ranks ") + kRemoteByPrrte +
                          "--host b:2,a:1 -n 3 "));
    EXPECT_THAT(to_shell(build_command(Engine::embedded, options, {})), HasSubstr("--rankfile ranks "));
    EXPECT_THROW(static_cast<void>(build_command(Engine::srun, options, context("srun", 0))), LaunchError);
}

TEST(EngineCommands, RankFileWithAColonIsNoneForPrrte) {
    Options options = with_rank_file({"-n", "3", "p"});
    options.rank_file = "a:b";
    EXPECT_THAT(to_shell(build_command(Engine::mpirun, options, context("mpirun", 4))),
                HasSubstr("--rankfile a:b "));
    EXPECT_THROW(static_cast<void>(build_command(Engine::prterun, options, context("prterun", 3))),
                 LaunchError);
}

TEST(EngineCommands, PagesOfRanksThatAreWatched) {
    EngineContext watched = context("mpirun", 4);
    watched.environment.emplace_back("RB2_PAGES=of an outer job");
    watched.pages = "0123";
    watched.keep_pages = true;
    EXPECT_THAT(mpirun({"-H", "a:1", "p"}, watched),
                AllOf(HasSubstr("RB2_PAGES=0123 "), HasSubstr("-x RB2_PAGES -x RB2_KEEP_PAGES p")));
    watched.pages.clear();
    watched.keep_pages = false;
    EXPECT_THAT(mpirun({"-H", "a:1", "p"}, watched),
                AllOf(HasSubstr("-u RB2_PAGES "), Not(HasSubstr("-x RB2_PAGES"))));
}

TEST(Survey, AsksEveryHostOnce) {
    const EngineContext where = context("mpirun", 4);
    const auto asking = [](const std::vector<std::string>& args, int nodes) {
        Options options = survey_options(options_of(args), nodes);
        options.apps.front().command = {"stat"};
        return options;
    };
    EXPECT_THAT(
        to_shell(build_command(
            Engine::mpirun, asking({"-H", "a:2,b:7", "-l", "-n", "9", "--rsh-agent", "r", "p"}, 0), where)),
        AllOf(HasSubstr("--map-by ppr:1:node"), HasSubstr("--host a:1,b:1 -n 2 "),
              HasSubstr("plm_rsh_agent r"), Not(HasSubstr("--tag-output"))));
    EXPECT_THAT(to_shell(build_command(Engine::srun, asking({"-n", "9", "p"}, 3), context("srun", 0))),
                AllOf(HasSubstr("--ntasks=3"), HasSubstr("--ntasks-per-node=1")));
}

TEST(MpirunCommand, Hosts) {
    EXPECT_EQ(mpirun({"-H", "a:1,b:3", "p", "x y"}),
              std::string("env RB2_WORLD_SIZE=4 mpirun --map-by slot --bind-to none ") + kRemote +
                  "--host a:1,b:3 -n 4 -x RB2_WORLD_SIZE p 'x y'");
    EXPECT_THAT(mpirun({"-H", "a,b", "-n", "6", "p"}), HasSubstr("--host a:3,b:3 -n 6 "));
}

TEST(MpirunCommand, TheUsersKeepaliveStands) {
    const std::string text =
        mpirun({"-H", "a,b", "p"}, context("mpirun", 4, {"HOME=/h", "OMPI_MCA_oob_tcp_keepalive_time=60"}));
    EXPECT_THAT(text, Not(HasSubstr("keepalive_time")));
    EXPECT_THAT(text, HasSubstr("--mca oob_tcp_keepalive_intvl 1 "));
}

TEST(MpirunCommand, SshAsksNothingUnlessTheUserWantsItOtherwise) {
    for (const char* variable : {"OMPI_MCA_plm_rsh_agent=rsh", "OMPI_MCA_plm_rsh_args=-p 9"})
        EXPECT_THAT(mpirun({"-H", "a,b", "p"}, context("mpirun", 4, {variable})),
                    Not(HasSubstr("BatchMode")));
    EXPECT_THAT(mpirun({"-H", "a,b", "--rsh-agent", "ssh", "p"}), Not(HasSubstr("BatchMode")));
    EXPECT_THAT(mpirun({"-n", "2", "p"}), Not(HasSubstr("BatchMode")));
    EXPECT_THAT(prterun({"-H", "a", "p"}, context("prterun", 3, {"PRTE_MCA_plm_ssh_args=-p 9"})),
                Not(HasSubstr("BatchMode")));
}

TEST(MpirunCommand, SlotsOfAnAllocationMayBeExceeded) {
    EXPECT_THAT(mpirun({"-n", "4", "p"}, allocated("mpirun", 4)), HasSubstr("mpirun --oversubscribe "));
    EXPECT_THAT(mpirun({"-H", "a:9", "p"}, allocated("mpirun", 4)), HasSubstr("mpirun --oversubscribe "));
    EXPECT_THAT(mpirun({"-n", "4", "p"}), HasSubstr("mpirun --oversubscribe "));
    EXPECT_THAT(mpirun({"-H", "a:9", "p"}), Not(HasSubstr("--oversubscribe")));
}

TEST(MpirunCommand, Variables) {
    const Environment outer = {"B=b", "RB2_FABRICS=tcp", "RB2_WORLD_SIZE=9", "RB2_LAUNCHER=rb2run",
                               "RB2RUN_X=1"};
    EXPECT_EQ(mpirun({"-H", "a", "-x", "A=1 2", "-x", "B", "-x", "C", "p"}, context("mpirun", 4, outer)),
              "env -u RB2_WORLD_SIZE -u RB2_LAUNCHER RB2_WORLD_SIZE=1 mpirun --map-by slot --bind-to none "
              "--mca plm_rsh_args '-o BatchMode=yes -o ConnectTimeout=10' --host a:1 -n 1 -x RB2_WORLD_SIZE "
              "-x 'A=1 2' -x B -x RB2_FABRICS p");
    EXPECT_THAT(mpirun({"-x", "RB2_FABRICS=shm", "p"}, context("mpirun", 4, outer)),
                AllOf(HasSubstr("-x RB2_FABRICS=shm"), Not(HasSubstr("RB2_FABRICS p"))));
}

TEST(MpirunCommand, AnOuterLaunchersVariables) {
    const Environment outer = {"PMIX_RANK=0", "OMPI_MCA_x=1", "PMI_FD=3", "HOME=/h"};
    const std::string text = mpirun({"-x", "PMI_FD", "-H", "a", "p"}, context("mpirun", 4, outer));
    EXPECT_THAT(text, HasSubstr("env -u PMIX_RANK -u OMPI_MCA_x -u PMI_FD RB2_WORLD_SIZE=1 mpirun"));
    EXPECT_THAT(text, HasSubstr("-x PMI_FD=3 "));  // asked for, but no longer in mpirun's environment
}

TEST(MpirunCommand, SeveralPrograms) {
    EXPECT_EQ(mpirun({"-H", "a:2,b:2", "-l", "-n", "1", "-x", "A=1", "p", "1", ":", "-n", "3", "--wdir", "/d",
                      "q"}),
              std::string("env RB2_WORLD_SIZE=4 mpirun --map-by slot --bind-to none --tag-output ") +
                  kRemote +
                  "--host a:2,b:2 -n 1 -x RB2_WORLD_SIZE -x A=1 p 1 : "
                  "--host a:2,b:2 -n 3 -x RB2_WORLD_SIZE --wdir /d q");
}

TEST(MpirunCommand, JobOptions) {
    const std::string text = mpirun({"--bind-to", "hwthread", "--report-bindings", "--output", "/o", "-l",
                                     "--rsh-agent", "ssh -p 9", "--kill-wait", "2.5", "-H", "a", "p"});
    EXPECT_THAT(text,
                HasSubstr("mpirun --use-hwthread-cpus --map-by slot --bind-to hwthread --report-bindings "
                          "--output-filename /o:nocopy,nojobid --mca plm_rsh_agent 'ssh -p 9' "
                          "--mca odls_base_sigkill_timeout 3 --host"));
    EXPECT_THAT(refused(Engine::mpirun, {"--output", "a,b", "p"}), HasSubstr("--output a,b"));
}

TEST(MpirunCommand, Root) {
    EngineContext root = context("mpirun", 4);
    root.root = true;
    const EngineCommand command = build_command(Engine::mpirun, options_of({"-H", "a", "p"}), root);
    EXPECT_EQ(command.argv[1], "--allow-run-as-root");
    EXPECT_THAT(command.notes, Contains(HasSubstr("--allow-run-as-root")));
    EXPECT_THAT(mpirun({"-H", "a", "p"}), Not(HasSubstr("root")));
}

TEST(PrterunCommand, Hosts) {
    EXPECT_EQ(prterun({"-H", "a:1,b:3", "-l", "p"}),
              std::string("env RB2_WORLD_SIZE=4 prterun --map-by slot --bind-to none --output tag ") +
                  kRemoteByPrrte +
                  "--host a:1,b:3 -n 4 "
                  "-x RB2_WORLD_SIZE p");
    EXPECT_THAT(prterun({"-n", "4", "p"}, allocated("prterun", 3)),
                HasSubstr("--map-by slot:oversubscribe "));
}

TEST(PrterunCommand, JobOptions) {
    EXPECT_THAT(prterun({"--bind-to", "socket", "--report-bindings", "--output", "/o", "-l", "--rsh-agent",
                         "s", "--kill-wait", "2", "-H", "a", "p"}),
                HasSubstr("prterun --map-by slot --bind-to package --display bind --output dir=/o:nocopy "
                          "--prtemca plm_ssh_agent s --prtemca odls_base_sigkill_timeout 2 --host"));
    EXPECT_THAT(prterun({"--bind-to", "hwthread", "-n", "2", "p"}),
                HasSubstr("--map-by slot:hwtcpus:oversubscribe --bind-to hwthread"));
}

TEST(PrterunCommand, Mapping) {
    EXPECT_THAT(prterun({"-H", "a", "--map-by", "ppr:2:socket", "-n", "2", "-l", "--timestamp-output", "p"}),
                HasSubstr("--map-by ppr:2:package --bind-to package --output tag,timestamp "));
    EXPECT_THAT(prterun({"-n", "2", "--map-by", "numa:PE=2", "--timestamp-output", "p"}),
                HasSubstr("--map-by numa:PE=2:oversubscribe --bind-to core --output timestamp "));
}

TEST(PrterunCommand, OpenMpi5SpeaksItsLanguage) {
    EXPECT_THAT(mpirun({"-l", "-H", "a", "p"}, context("mpirun", 5)), HasSubstr("--output tag"));
    EXPECT_THAT(mpirun({"-l", "-H", "a", "p"}, context("mpirun", 4)), HasSubstr("--tag-output"));
}

TEST(EngineCommands, AProgramThatLooksLikeAnOption) {
    for (const Engine engine : {Engine::srun, Engine::prterun, Engine::mpirun}) {
        EXPECT_THAT(refused(engine, {"--", "-odd"}), HasSubstr("-odd begins with '-'"));
    }
}

TEST(EngineCommands, MoreRanksThanSlotsIsSaid) {
    const Options options = options_of({"-H", "a:1,b:1", "-n", "3", "p"});
    EXPECT_THAT(build_command(Engine::mpirun, options, context("m", 4)).notes,
                Contains(HasSubstr("more ranks than slots")));
}

TEST(OwnCommand, ParsesToTheSameOptions) {
    const std::vector<std::string> args = {"--map-by",  "numa:PE=2", "--timestamp-output",
                                           "-l",        "-v",        "--report-bindings",
                                           "--timeout", "1.5",       "--kill-wait",
                                           "3",         "-n",        "2",
                                           "-x",        "A=1",       "-x",
                                           "B",         "--wdir",    "/d",
                                           "p",         "-n",        ":",
                                           "-n",        "3",         "q"};
    const EngineCommand command = build_command(Engine::embedded, options_of(args), {});
    EXPECT_EQ(to_shell(command),
              "rb2run --engine embedded --map-by numa:PE=2 --bind-to core --report-bindings --tag-output "
              "--timestamp-output --verbose --timeout 1.5 "
              "--kill-wait 3 -n 2 -x A=1 -x B --wdir /d -- p -n : -n 3 -- q");
    const Options again = options_of({command.argv.begin() + 1, command.argv.end()});
    EXPECT_EQ(again.apps[0].ranks, 2);
    EXPECT_THAT(again.apps[0].command, ElementsAre("p", "-n"));
    EXPECT_EQ(again.timeout_s, 1.5);
    EXPECT_EQ(again.kill_wait_s, 3.0);
}

TEST(Shell, Quoting) {
    EXPECT_EQ(shell_quoted("plain/-_.:=,@%+9"), "plain/-_.:=,@%+9");
    EXPECT_EQ(shell_quoted(""), "''");
    EXPECT_EQ(shell_quoted("a b"), "'a b'");
    EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_quoted("~*$`\\\"\n"), "'~*$`\\\"\n'");
}

}  // namespace
}  // namespace rb2::launcher
