#include "launcher/engine/choose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launcher/engine/probe.hpp"

namespace rb2::launcher {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const Tool kSrun{"/bin/srun", 0, ""};
const Tool kSrunWithoutPmix{"/bin/srun", 0, "lists no PMIx plugin"};
const Tool kPrterun3{"/bin/prterun", 3, ""};
const Tool kPrterun2{"/bin/prterun", 2, ""};
const Tool kMpirun4{"/bin/mpirun", 4, ""};
const Tool kHydra{"/bin/mpirun", 0, "it is not Open MPI's"};

Facts facts_with(std::vector<HostSpec> hosts, Environment environment = {}) {
    Facts facts;
    facts.local_names = {"me.site", "me", "localhost", "10.0.0.1"};
    facts.hosts = std::move(hosts);
    facts.environment = std::move(environment);
    return facts;
}

Facts with_tools(Facts facts, Tool srun, Tool prterun, Tool mpirun) {
    facts.srun = std::move(srun);
    facts.prterun = std::move(prterun);
    facts.mpirun = std::move(mpirun);
    return facts;
}

const std::vector<HostSpec> kElsewhere = {{"me", 2}, {"far", 2}};
const Environment kTwoNodes = {"SLURM_JOB_ID=7", "SLURM_JOB_NUM_NODES=2", "SLURM_JOB_NODELIST=n[1-2]"};

/// Name of the engine, or "error: …".
std::string chosen(const Facts& facts, Engine wanted = Engine::automatic) {
    const auto choice = choose_engine(wanted, facts);
    if (const auto* problem = std::get_if<std::string>(&choice)) {
        return "error: " + *problem;
    }
    return engine_name(std::get<Choice>(choice).engine);
}

TEST(ChooseEngine, EmbeddedWithoutHostsAndAllocation) {
    EXPECT_EQ(chosen(facts_with({})), "embedded");
    EXPECT_EQ(chosen(with_tools(facts_with({}), kSrun, kPrterun3, kMpirun4)), "embedded");
}

TEST(ChooseEngine, EmbeddedWhenAllHostsAreThisMachine) {
    for (const char* name : {"me", "ME", "me.site", "localhost", "10.0.0.1"}) {
        EXPECT_EQ(chosen(facts_with({{name, 4}})), "embedded") << name;
        EXPECT_EQ(chosen(facts_with({{name, 4}}, kTwoNodes)), "embedded") << name;
    }
    EXPECT_EQ(chosen(facts_with({{"me", 0}, {"localhost", 0}})), "embedded");
    EXPECT_THAT(chosen(facts_with({{"me2", 0}})), HasSubstr("error"));
}

TEST(ChooseEngine, OtherHostsPreferenceOrder) {
    const Facts facts = facts_with(kElsewhere);
    EXPECT_EQ(chosen(with_tools(facts, kSrun, kPrterun3, kMpirun4)), "prterun");
    EXPECT_EQ(chosen(with_tools(facts, kSrun, kPrterun2, kMpirun4)), "mpirun");
    EXPECT_EQ(chosen(with_tools(facts, {}, {}, kMpirun4)), "mpirun");
    EXPECT_EQ(chosen(with_tools(facts, {}, kPrterun2, kHydra)), "prterun");
    EXPECT_EQ(chosen(with_tools(facts, {}, kPrterun3, {})), "prterun");
}

TEST(ChooseEngine, NoEngineSaysWhatWasLookedFor) {
    const std::string error = chosen(with_tools(facts_with(kElsewhere), kSrun, {}, kHydra));
    EXPECT_THAT(
        error, AllOf(HasSubstr("host far"), HasSubstr("no Slurm allocation"), HasSubstr("prterun: not found"),
                     HasSubstr("it is not Open MPI's"), HasSubstr("install PRRTE or Open MPI")));
}

TEST(ChooseEngine, SrunInAnAllocation) {
    EXPECT_EQ(chosen(with_tools(facts_with({}, kTwoNodes), kSrun, kPrterun3, kMpirun4)), "srun");
    EXPECT_EQ(chosen(with_tools(facts_with(kElsewhere, kTwoNodes), kSrun, kPrterun3, kMpirun4)), "srun");
}

TEST(ChooseEngine, AnAllocationWhoseSrunCannot) {
    EXPECT_EQ(chosen(with_tools(facts_with({}, kTwoNodes), kSrunWithoutPmix, {}, kMpirun4)), "mpirun");
    EXPECT_EQ(chosen(with_tools(facts_with({}, kTwoNodes), {}, kPrterun3, {})), "prterun");
    EXPECT_THAT(chosen(with_tools(facts_with({}, kTwoNodes), kSrunWithoutPmix, {}, {})),
                AllOf(HasSubstr("the 2 nodes of Slurm job 7"), HasSubstr("lists no PMIx plugin"),
                      HasSubstr("mpirun: not found")));
}

TEST(ChooseEngine, AllocationOfOneNode) {
    const Environment one = {"SLURM_JOB_ID=7", "SLURM_JOB_NUM_NODES=1", "SLURM_JOB_NODELIST=n1"};
    EXPECT_EQ(chosen(with_tools(facts_with({}, one), kSrun, {}, {})), "srun");  // from where users log in

    Environment on_node = one;
    on_node.emplace_back("SLURMD_NODENAME=n1");
    EXPECT_EQ(chosen(with_tools(facts_with({}, on_node), kSrun, {}, {})), "embedded");

    Environment here = {"SLURM_JOB_ID=7", "SLURM_JOB_NUM_NODES=1", "SLURM_JOB_NODELIST=me"};
    EXPECT_EQ(chosen(with_tools(facts_with({}, here), kSrun, {}, {})), "embedded");
}

TEST(ChooseEngine, ABatchScriptOfTwoNodesUsesBoth) {
    Environment script = kTwoNodes;
    script.insert(script.end(), {"SLURMD_NODENAME=n1", "SLURM_PROCID=0"});
    EXPECT_EQ(chosen(with_tools(facts_with({}, script), kSrun, {}, {})), "srun");
}

TEST(ChooseEngine, OneOfSeveralRanksStartsItsJobBesideItself) {
    for (const char* variable : {"OMPI_COMM_WORLD_SIZE=4", "PMI_SIZE=4", "RB2_WORLD_SIZE=4"}) {
        Environment rank = kTwoNodes;
        rank.emplace_back(variable);
        EXPECT_EQ(chosen(with_tools(facts_with({}, rank), kSrun, {}, {})), "embedded") << variable;
        EXPECT_EQ(chosen(with_tools(facts_with(kElsewhere, rank), kSrun, {}, {})), "srun") << variable;
    }
    Environment task = kTwoNodes;
    task.insert(task.end(), {"SLURM_STEP_ID=0", "SLURM_STEP_NUM_TASKS=4"});
    EXPECT_EQ(chosen(with_tools(facts_with({}, task), kSrun, {}, {})), "embedded");
    task.back() = "SLURM_STEP_NUM_TASKS=1";  // srun --pty bash
    EXPECT_EQ(chosen(with_tools(facts_with({}, task), kSrun, {}, {})), "srun");
}

TEST(ChooseEngine, AnExplicitWish) {
    const Facts facts = with_tools(facts_with(kElsewhere), kSrun, kPrterun2, kMpirun4);
    EXPECT_EQ(chosen(facts, Engine::srun), "srun");
    EXPECT_EQ(chosen(facts, Engine::prterun), "prterun");
    EXPECT_EQ(chosen(facts, Engine::mpirun), "mpirun");
    EXPECT_EQ(chosen(facts_with({}, kTwoNodes), Engine::embedded), "embedded");
    EXPECT_EQ(chosen(facts_with({{"me", 1}}), Engine::embedded), "embedded");
}

TEST(ChooseEngine, AWishThatCannotBeGranted) {
    const Facts facts = with_tools(facts_with(kElsewhere), kSrunWithoutPmix, {}, kHydra);
    EXPECT_THAT(chosen(facts, Engine::srun), AllOf(HasSubstr("--engine srun"), HasSubstr("no PMIx plugin")));
    EXPECT_THAT(chosen(facts, Engine::prterun), HasSubstr("prterun: not found in PATH"));
    EXPECT_THAT(chosen(facts, Engine::mpirun), HasSubstr("it is not Open MPI's"));
    EXPECT_THAT(chosen(facts, Engine::embedded), AllOf(HasSubstr("me.site"), HasSubstr("not on far")));
}

TEST(ChooseEngine, LooksForToolsOnlyWhenTheyMatter) {
    EXPECT_FALSE(needs_tools(Engine::automatic, facts_with({})));
    EXPECT_FALSE(needs_tools(Engine::automatic, facts_with({{"me", 0}})));
    EXPECT_FALSE(needs_tools(Engine::embedded, facts_with(kElsewhere)));
    EXPECT_TRUE(needs_tools(Engine::automatic, facts_with(kElsewhere)));
    EXPECT_TRUE(needs_tools(Engine::automatic, facts_with({}, kTwoNodes)));
    EXPECT_TRUE(needs_tools(Engine::mpirun, facts_with({})));
}

TEST(JudgeTools, Versions) {
    EXPECT_EQ(judge_mpirun("/m", "mpirun.openmpi (OpenRTE) 4.1.4\n\nReport bugs").major, 4);
    EXPECT_EQ(judge_mpirun("/m", "mpirun (Open MPI) 5.0.8\n").major, 5);
    EXPECT_EQ(judge_prterun("/p", "prterun (PRRTE) 3.0.2\n").major, 3);
    EXPECT_TRUE(judge_mpirun("/m", "mpirun (Open MPI) 4.1.4\n").usable());
    EXPECT_TRUE(judge_prterun("/p", "prterun (PRRTE) 3.0.2\n").usable());
}

TEST(JudgeTools, OthersOfTheSameName) {
    EXPECT_THAT(judge_mpirun("/m", "HYDRA build details:\n  Version: 4.0.2\n").problem,
                AllOf(HasSubstr("not Open MPI's"), HasSubstr("HYDRA build details")));
    EXPECT_THAT(judge_mpirun("/m", "").problem, HasSubstr("nothing"));
    EXPECT_FALSE(judge_prterun("/p", "usage: prterun\n").usable());
}

TEST(JudgeTools, SrunPlugins) {
    EXPECT_TRUE(judge_srun("/s", "MPI plugin types are...\n\tpmix\n\tnone\n").usable());
    EXPECT_TRUE(judge_srun("/s", "srun: MPI types are...\nsrun: pmix_v3\nsrun: none\n").usable());
    EXPECT_THAT(judge_srun("/s", "MPI plugin types are...\n\tnone\n\tpmi2\n").problem,
                HasSubstr("no PMIx plugin"));
    EXPECT_THAT(judge_srun("/s", "srun: fatal: Could not establish a configuration source\n").problem,
                HasSubstr("configuration source"));
}

}  // namespace
}  // namespace rb2::launcher
