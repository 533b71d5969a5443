#include "launcher/cli/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace rb2::launcher {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Options parsed(const std::vector<std::string>& args) {
    auto result = parse_command_line(args);
    if (const auto* early = std::get_if<EarlyExit>(&result)) {
        ADD_FAILURE() << early->text;
        return {};
    }
    return std::get<Options>(result);
}

EarlyExit refused(const std::vector<std::string>& args) {
    auto result = parse_command_line(args);
    if (const auto* early = std::get_if<EarlyExit>(&result)) {
        return *early;
    }
    ADD_FAILURE() << "was accepted";
    return {-1, ""};
}

TEST(Options, ProgramAlone) {
    const Options options = parsed({"prog"});
    ASSERT_EQ(options.apps.size(), 1U);
    EXPECT_EQ(options.apps[0].ranks, 1);
    EXPECT_THAT(options.apps[0].command, ElementsAre("prog"));
    EXPECT_EQ(options.bind_to, BindTo::none);
    EXPECT_FALSE(options.timeout_s.has_value());
}

TEST(Options, SpellingsOfTheRankCount) {
    for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
             {"-n", "4", "p"}, {"-n4", "p"}, {"-np", "4", "p"}, {"--np", "4", "p"}, {"--np=4", "p"}}) {
        EXPECT_EQ(parsed(args).apps[0].ranks, 4) << args[0];
    }
}

TEST(Options, ArgumentsOfTheProgramAreItsOwn) {
    const Options options = parsed({"-n", "2", "prog", "-n", "9", "--timeout", "-np", "--help", "--", "x"});
    EXPECT_EQ(options.apps[0].ranks, 2);
    EXPECT_THAT(options.apps[0].command,
                ElementsAre("prog", "-n", "9", "--timeout", "-np", "--help", "--", "x"));
    EXPECT_FALSE(options.timeout_s.has_value());
}

TEST(Options, DoubleDashAllowsAnyProgramName) {
    EXPECT_THAT(parsed({"-n", "2", "--", "-odd", "arg"}).apps[0].command, ElementsAre("-odd", "arg"));
}

TEST(Options, SeveralPrograms) {
    const Options options =
        parsed({"-n", "1", "-x", "A=1", "a", "x", ":", "-np", "3", "--wdir", "/d", "b", ":", "c", "y"});
    ASSERT_EQ(options.apps.size(), 3U);
    EXPECT_THAT(options.apps[0].command, ElementsAre("a", "x"));
    EXPECT_EQ(options.apps[0].exports.size(), 1U);
    EXPECT_EQ(options.apps[1].ranks, 3);
    EXPECT_EQ(options.apps[1].wdir, "/d");
    EXPECT_TRUE(options.apps[1].exports.empty());
    EXPECT_EQ(options.apps[2].ranks, 1);
    EXPECT_THAT(options.apps[2].command, ElementsAre("c", "y"));
}

TEST(Options, Exports) {
    const AppSpec app = parsed({"-x", "A=1", "-x", "B", "-x", "C=x=y", "-x", "D=", "p"}).apps[0];
    ASSERT_EQ(app.exports.size(), 4U);
    EXPECT_EQ(app.exports[0].name, "A");
    EXPECT_EQ(app.exports[0].value, "1");
    EXPECT_EQ(app.exports[1].name, "B");
    EXPECT_FALSE(app.exports[1].value.has_value());
    EXPECT_EQ(app.exports[2].value, "x=y");
    EXPECT_EQ(app.exports[3].value, "");
}

TEST(Options, JobOptions) {
    const Options options =
        parsed({"--bind-to", "NUMA", "--report-bindings", "-l", "-v", "--output", "d", "--timeout", "1.5",
                "--kill-wait", "0", "--oversubscribe", "--allow-run-as-root", "p"});
    EXPECT_EQ(options.bind_to, BindTo::numa);
    EXPECT_TRUE(options.report_bindings);
    EXPECT_TRUE(options.tag_output);
    EXPECT_TRUE(options.verbose);
    EXPECT_EQ(options.output_dir, "d");
    EXPECT_EQ(options.timeout_s, 1.5);
    EXPECT_EQ(options.kill_wait_s, 0.0);
}

std::string temporary_file(const char* text) {
    std::string path = testing::TempDir() + "rb2run_options_" + std::to_string(::getpid());
    std::ofstream(path) << text;
    return path;
}

TEST(Options, Placement) {
    const Options mapped = parsed({"-map-by", "ppr:2:numa:PE=2", "-n", "4", "p"});
    ASSERT_TRUE(mapped.map_by.has_value());
    EXPECT_EQ(mapped.map_by->per_unit, 2);
    EXPECT_EQ(mapped.bind_to, BindTo::core);
    EXPECT_EQ(parsed({"--map-by", "numa", "p"}).bind_to, BindTo::numa);
    EXPECT_EQ(parsed({"--map-by", "numa", "--bind-to", "socket", "p"}).bind_to, BindTo::package);
    EXPECT_EQ(parsed({"--map-by", "ppr:3:node", "-H", "a,b:9", "p"}).apps[0].ranks, 6);
    EXPECT_EQ(parsed({"--map-by", "ppr:3:node", "p"}).apps[0].ranks, 3);
    EXPECT_FALSE(parsed({"p"}).map_by.has_value());
}

TEST(Options, WrongPlacement) {
    EXPECT_THAT(refused({"--map-by", "moon", "p"}).text, HasSubstr("--map-by: 'moon' is none of slot"));
    EXPECT_THAT(refused({"--map-by", "slot:PE=2", "--bind-to", "numa", "p"}).text, HasSubstr("PE=2 gives"));
    EXPECT_THAT(refused({"--map-by", "ppr:1:core", "p"}).text, HasSubstr("say with -n how many ranks"));
    EXPECT_THAT(refused({"--rank-by", "slot", "p"}).text, HasSubstr("placed by --map-by"));
    EXPECT_THAT(refused({"--npernode", "2", "p"}).text, HasSubstr("--map-by ppr:2:node"));
}

TEST(Options, ReportOfFabricsIsAVariableOfEveryProgram) {
    const Options options = parsed({"--report-fabrics", "p", ":", "q"});
    for (const AppSpec& app : options.apps) {
        ASSERT_EQ(app.exports.size(), 1U);
        EXPECT_EQ(app.exports[0].name, "RB2_REPORT_FABRICS");
        EXPECT_EQ(app.exports[0].value, "1");
    }
}

TEST(Options, RankFile) {
    const std::string path = temporary_file("rank 1=b slot=0\nrank 0=a slot=1\nrank 2=b slot=1\n");
    const Options options = parsed({"--rankfile", path, "p"});
    EXPECT_EQ(options.apps[0].ranks, 3);
    EXPECT_EQ(options.bind_to, BindTo::core);
    ASSERT_EQ(options.hosts.size(), 2U);
    EXPECT_EQ(options.hosts[1].slots, 2);
    EXPECT_EQ(parsed({"-rf", path, "-n", "2", "--bind-to", "hwthread", "p"}).apps[0].ranks, 2);
    EXPECT_THAT(refused({"--rankfile", path, "--map-by", "core", "p"}).text, HasSubstr("give one of them"));
    EXPECT_THAT(refused({"--rankfile", path, "--bind-to", "numa", "p"}).text, HasSubstr("core or hwthread"));
    EXPECT_THAT(refused({"--rankfile", path, "-H", "a", "p"}).text, HasSubstr("line 1: host b is none of"));
    std::filesystem::remove(path);
    EXPECT_THAT(refused({"--rankfile", path, "p"}).text, HasSubstr(path + ": No such file"));
}

TEST(Options, EnvironmentGivesDefaults) {
    ::setenv("RB2RUN_TIMEOUT", "7", 1);
    ::setenv("RB2RUN_BIND_TO", "core", 1);
    EXPECT_EQ(parsed({"p"}).timeout_s, 7.0);
    EXPECT_EQ(parsed({"p"}).bind_to, BindTo::core);
    EXPECT_EQ(parsed({"--timeout", "9", "p"}).timeout_s, 9.0);
    ::setenv("RB2RUN_TIMEOUT", "soon", 1);
    EXPECT_EQ(refused({"p"}).code, 2);
    ::unsetenv("RB2RUN_TIMEOUT");
    ::unsetenv("RB2RUN_BIND_TO");
}

TEST(Options, UnknownOptionNamesTheNearest) {
    const EarlyExit early = refused({"-n", "2", "--tiemout", "5", "p"});
    EXPECT_EQ(early.code, 2);
    EXPECT_THAT(early.text, HasSubstr("unknown option --tiemout; did you mean --timeout?"));
    EXPECT_THAT(refused({"--tag-outptu=yes", "p"}).text, HasSubstr("did you mean --tag-output?"));
    EXPECT_THAT(refused({"--time", "5", "p"}).text, HasSubstr("unknown option --time"));  // no abbreviations
}

TEST(Options, OptionOfOtherLaunchersIsExplained) {
    EXPECT_THAT(refused({"-ppn", "2", "p"}).text, HasSubstr("--host a:2,b:2"));
    EXPECT_THAT(refused({"-N", "2", "p"}).text, HasSubstr("--host a:2,b:2"));
    EXPECT_THAT(refused({"-env", "A", "1", "p"}).text, HasSubstr("-x NAME=VALUE"));
}

TEST(Options, SpellingsOfHosts) {
    for (const char* option : {"-H", "--host", "-host", "--hosts", "-hosts"}) {
        const Options options = parsed({option, "a,b:2", "p", "-H", "x"});
        ASSERT_EQ(options.hosts.size(), 2U) << option;
        EXPECT_EQ(options.hosts[1].name, "b");
        EXPECT_EQ(options.hosts[1].slots, 2);
        EXPECT_THAT(options.apps[0].command, ElementsAre("p", "-H", "x"));
    }
}

TEST(Options, HostFile) {
    const std::string path = testing::TempDir() + "rb2_options_test." + std::to_string(::getpid());
    std::ofstream(path) << "a slots=3\n";
    for (const char* option : {"--hostfile", "-hostfile", "--machinefile", "-machinefile", "-f"}) {
        ASSERT_EQ(parsed({option, path, "p"}).hosts.size(), 1U) << option;
        EXPECT_EQ(parsed({option, path, "p"}).hosts[0].slots, 3);
    }
    EXPECT_THAT(refused({"-H", "a", "--hostfile", path, "p"}).text, HasSubstr("give one of them"));
    ::setenv("RB2RUN_HOSTFILE", path.c_str(), 1);
    EXPECT_EQ(parsed({"p"}).hosts.size(), 1U);
    EXPECT_EQ(parsed({"-H", "x,y", "p"}).hosts.size(), 2U);
    ::unsetenv("RB2RUN_HOSTFILE");
    std::filesystem::remove(path);
    const EarlyExit missing = refused({"--hostfile", path, "p"});
    EXPECT_EQ(missing.code, 2);
    EXPECT_THAT(missing.text, HasSubstr(path + ": No such file"));
    EXPECT_THAT(refused({"-H", "a:x", "p"}).text, HasSubstr("--host: 'x' is no number"));
}

TEST(Options, RanksWithoutN) {
    EXPECT_EQ(parsed({"p"}).apps[0].ranks, 1);
    EXPECT_EQ(parsed({"-H", "a:3,b:2", "p"}).apps[0].ranks, 5);
    EXPECT_EQ(parsed({"-H", "a,b", "p"}).apps[0].ranks, 2);
    EXPECT_EQ(parsed({"-H", "a:3,b:2", "-n", "4", "p"}).apps[0].ranks, 4);
    EXPECT_EQ(parsed({"-H", "a:3", "p", ":", "q"}).apps[1].ranks, 1);
}

TEST(Options, Engines) {
    EXPECT_EQ(parsed({"p"}).engine, Engine::automatic);
    EXPECT_EQ(parsed({"--engine", "auto", "p"}).engine, Engine::automatic);
    EXPECT_EQ(parsed({"--engine=embedded", "p"}).engine, Engine::embedded);
    EXPECT_EQ(parsed({"--engine", "SRUN", "p"}).engine, Engine::srun);
    EXPECT_EQ(parsed({"--engine", "prterun", "p"}).engine, Engine::prterun);
    EXPECT_EQ(parsed({"--engine", "mpirun", "p"}).engine, Engine::mpirun);
    EXPECT_EQ(parsed({"--engine", "orterun", "p"}).engine, Engine::mpirun);
    const EarlyExit early = refused({"--engine", "warp", "p"});
    EXPECT_EQ(early.code, 2);
    EXPECT_THAT(early.text, HasSubstr("--engine: 'warp' is none of auto, embedded, srun, prterun, mpirun"));
    EXPECT_TRUE(parsed({"--dry-run", "p"}).dry_run);
    EXPECT_EQ(parsed({"--rsh-agent", "ssh -p 9", "p"}).rsh_agent, "ssh -p 9");
    EXPECT_FALSE(parsed({"p"}).kill_wait_s.has_value());
}

TEST(Options, JobOptionAfterTheColonIsExplained) {
    const EarlyExit early = refused({"a", ":", "--timeout", "5", "b"});
    EXPECT_EQ(early.code, 2);
    EXPECT_THAT(early.text, HasSubstr("before the first ':'"));
    EXPECT_THAT(refused({"a", ":", "--wdri", "5", "b"}).text, HasSubstr("did you mean --wdir?"));
}

TEST(Options, BadValues) {
    for (const std::vector<std::string>& args :
         std::vector<std::vector<std::string>>{{},
                                               {"-n", "2"},
                                               {"-n", "0", "p"},
                                               {"-n", "-1", "p"},
                                               {"-n", "two", "p"},
                                               {"-n"},
                                               {"--timeout", "0", "p"},
                                               {"--bind-to", "moon", "p"},
                                               {"-x", "=v", "p"},
                                               {"a", ":"},
                                               {":", "b"},
                                               {""}}) {
        EXPECT_EQ(refused(args).code, 2);
    }
}

TEST(Options, ABadChoiceNamesTheGoodOnes) {
    EXPECT_THAT(refused({"--bind-to", "moon", "p"}).text,
                HasSubstr("--bind-to: 'moon' is none of none, hwthread, core, numa, package, socket"));
}

TEST(Options, HelpAndVersion) {
    EXPECT_EQ(refused({"--help"}).code, 0);
    EXPECT_THAT(refused({"--help"}).text, HasSubstr("--report-bindings"));
    EXPECT_EQ(refused({"--version"}).code, 0);
    EXPECT_THAT(refused({"--version"}).text, HasSubstr("rb2run"));
}

}  // namespace
}  // namespace rb2::launcher
