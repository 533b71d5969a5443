#include "launcher/placement/binding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using topology::CpuSet;
using topology::Machine;

BindingPlan plan_all(const Machine& machine, BindTo bind_to, int ranks) {
    return plan_binding(machine, machine.cpus(), {{}, bind_to, ranks});
}

/// Bound to what --map-by alone binds to, or to `bind_to`.
BindingPlan plan_mapped(const char* machine, const char* map_by, int ranks,
                        std::optional<BindTo> bind_to = std::nullopt) {
    const Machine synthetic = Machine::synthetic(machine);
    const MapBy map = parse_map_by(map_by);
    return plan_binding(synthetic, synthetic.cpus(), {map, binding_for(map, bind_to), ranks});
}

std::vector<std::string> lists(const BindingPlan& plan) {
    std::vector<std::string> result;
    for (const CpuSet& cpus : plan.cpus) {
        result.push_back(cpus.to_list());
    }
    return result;
}

const char* const kTwoSockets = "pack:2 numa:1 core:4 pu:2";  // 16 hardware threads

TEST(Binding, NoneBindsNobody) {
    const BindingPlan plan = plan_all(Machine::synthetic(kTwoSockets), BindTo::none, 3);
    EXPECT_THAT(lists(plan), ElementsAre("", "", ""));
    EXPECT_EQ(plan.warning, "");
}

TEST(Binding, CoresKeepBothHardwareThreads) {
    const BindingPlan plan = plan_all(Machine::synthetic(kTwoSockets), BindTo::core, 3);
    EXPECT_THAT(lists(plan), ElementsAre("0-1", "2-3", "4-5"));
    EXPECT_THAT(plan.places, ElementsAre("core 0", "core 1", "core 2"));
}

TEST(Binding, HardwareThreads) {
    EXPECT_THAT(lists(plan_all(Machine::synthetic(kTwoSockets), BindTo::hwthread, 2)), ElementsAre("0", "1"));
}

TEST(Binding, RanksShareSocketsInBlocks) {
    const BindingPlan plan = plan_all(Machine::synthetic(kTwoSockets), BindTo::package, 4);
    EXPECT_THAT(lists(plan), ElementsAre("0-7", "0-7", "8-15", "8-15"));
    EXPECT_EQ(plan.warning, "");
}

TEST(Binding, EveryNumaNodeOfEight) {
    const BindingPlan plan = plan_all(Machine::synthetic("pack:2 numa:4 core:2 pu:1"), BindTo::numa, 8);
    EXPECT_EQ(plan.cpus.front().to_list(), "0-1");
    EXPECT_EQ(plan.cpus.back().to_list(), "14-15");
}

TEST(Binding, ManyRanksUseAllObjectsEvenly) {
    const BindingPlan plan = plan_all(Machine::synthetic("pack:4 core:2 pu:1"), BindTo::package, 128);
    std::map<std::string, int> ranks_on;
    for (const std::string& list : lists(plan)) {
        ++ranks_on[list];
    }
    EXPECT_EQ(ranks_on.size(), 4U);
    for (const auto& [list, ranks] : ranks_on) {
        EXPECT_EQ(ranks, 32) << list;
    }
}

TEST(Binding, MoreRanksThanCoresIsAWarning) {
    const BindingPlan plan = plan_all(Machine::synthetic("core:2 pu:1"), BindTo::core, 3);
    EXPECT_THAT(lists(plan), ElementsAre("", "", ""));
    EXPECT_THAT(plan.warning, HasSubstr("3 ranks, but 2 usable cores"));
}

TEST(Binding, MachineWithoutSuchObjectsIsAWarning) {
    const BindingPlan plan = plan_all(Machine::synthetic("pu:4"), BindTo::core, 2);
    EXPECT_THAT(plan.warning, HasSubstr("reports no core"));
}

TEST(Binding, PartlyAllowedCoresCount) {
    const CpuSet allowed = CpuSet::from_list("1,4-5,15");
    const BindingPlan plan = plan_binding(Machine::synthetic(kTwoSockets), allowed, {{}, BindTo::core, 3});
    EXPECT_THAT(lists(plan), ElementsAre("1", "4-5", "15"));
    EXPECT_THAT(plan.places, ElementsAre("core 0", "core 2", "core 7"));
    EXPECT_THAT(lists(plan_binding(Machine::synthetic(kTwoSockets), allowed, {{}, BindTo::package, 2})),
                ElementsAre("1,4-5", "15"));
}

const char* const kNumaNodes = "numa:2 core:4 pu:2";  // CPUs 0-7 and 8-15

TEST(Mapping, UnitsTakeRanksInTurnAndAreWhatTheyAreBoundTo) {
    EXPECT_THAT(lists(plan_mapped(kNumaNodes, "numa", 4)), ElementsAre("0-7", "8-15", "0-7", "8-15"));
    EXPECT_THAT(lists(plan_mapped(kNumaNodes, "core", 3)), ElementsAre("0-1", "2-3", "4-5"));
    EXPECT_THAT(lists(plan_mapped(kNumaNodes, "hwthread", 2)), ElementsAre("0", "1"));
    EXPECT_THAT(lists(plan_mapped(kTwoSockets, "socket", 3)), ElementsAre("0-7", "8-15", "0-7"));
    EXPECT_THAT(lists(plan_mapped(kNumaNodes, "slot", 2)), ElementsAre("", ""));
    EXPECT_THAT(lists(plan_mapped(kNumaNodes, "node", 2)), ElementsAre("", ""));
}

TEST(Mapping, BindingWithinTheUnitTakesItsNextCores) {
    EXPECT_THAT(lists(plan_mapped(kNumaNodes, "numa", 4, BindTo::core)),
                ElementsAre("0-1", "8-9", "2-3", "10-11"));
    EXPECT_THAT(lists(plan_mapped(kNumaNodes, "core", 5, BindTo::hwthread)),
                ElementsAre("0", "2", "4", "6", "8"));
    EXPECT_THAT(lists(plan_mapped("pack:2 numa:2 core:2 pu:1", "package", 4, BindTo::numa)),
                ElementsAre("0-1", "4-5", "2-3", "6-7"));
}

TEST(Mapping, BindingToWhatHoldsTheUnit) {
    EXPECT_THAT(lists(plan_mapped(kNumaNodes, "core", 5, BindTo::numa)),
                ElementsAre("0-7", "0-7", "0-7", "0-7", "8-15"));
    EXPECT_THAT(lists(plan_mapped(kNumaNodes, "hwthread", 3, BindTo::core)),
                ElementsAre("0-1", "0-1", "2-3"));
    EXPECT_THAT(lists(plan_mapped("pack:2 numa:2 core:2 pu:1", "numa", 3, BindTo::package)),
                ElementsAre("0-3", "0-3", "4-7"));
}

TEST(Mapping, SeveralRanksPerUnit) {
    EXPECT_THAT(lists(plan_mapped(kNumaNodes, "ppr:2:numa", 4)), ElementsAre("0-7", "0-7", "8-15", "8-15"));
    EXPECT_THAT(lists(plan_mapped(kNumaNodes, "ppr:2:numa", 3, BindTo::core)),
                ElementsAre("0-1", "2-3", "8-9"));
    EXPECT_THAT(lists(plan_mapped("core:2 pu:2", "ppr:2:core", 4)), ElementsAre("0-1", "0-1", "2-3", "2-3"));
    EXPECT_THAT(lists(plan_mapped("core:2 pu:2", "ppr:2:core", 4, BindTo::hwthread)),
                ElementsAre("0", "1", "2", "3"));
    EXPECT_THAT(lists(plan_mapped(kNumaNodes, "ppr:3:node", 3, BindTo::core)),
                ElementsAre("0-1", "2-3", "4-5"));
}

TEST(Mapping, SeveralCoresPerRank) {
    EXPECT_THAT(lists(plan_mapped(kNumaNodes, "slot:PE=2", 3)), ElementsAre("0-3", "4-7", "8-11"));
    EXPECT_EQ(plan_mapped(kNumaNodes, "slot:PE=2", 1).places.front(), "cores 0-1");
    EXPECT_THAT(lists(plan_mapped(kNumaNodes, "core:PE=3", 2)), ElementsAre("0-5", "6-11"));
    EXPECT_THAT(lists(plan_mapped(kNumaNodes, "numa:PE=2", 3)), ElementsAre("0-3", "8-11", "4-7"));
    EXPECT_THAT(lists(plan_mapped(kNumaNodes, "ppr:2:numa:PE=2", 4)),
                ElementsAre("0-3", "4-7", "8-11", "12-15"));
    EXPECT_THAT(lists(plan_mapped(kNumaNodes, "slot:PE=3", 2, BindTo::hwthread)), ElementsAre("0-2", "3-5"));
}

TEST(Mapping, TooFewCoresIsAWarning) {
    const auto warning = [](const char* map_by, int ranks, std::optional<BindTo> bind_to = std::nullopt) {
        const BindingPlan plan = plan_mapped(kNumaNodes, map_by, ranks, bind_to);
        EXPECT_TRUE(plan.cpus.front().empty()) << map_by;
        return plan.warning;
    };
    EXPECT_THAT(warning("core", 9), HasSubstr("9 ranks, but 8 usable cores"));
    EXPECT_THAT(warning("core", 9, BindTo::hwthread), HasSubstr("9 ranks, but 8 usable cores"));
    EXPECT_THAT(warning("numa", 9, BindTo::core), HasSubstr("5 ranks, but 4 usable cores"));
    EXPECT_THAT(warning("numa:PE=3", 4), HasSubstr("2 ranks of 3 cores each, but 4 usable cores"));
    EXPECT_THAT(warning("slot:PE=16", 1), HasSubstr("1 rank of 16 cores each, but 8 usable cores"));
}

TEST(Mapping, MoreRanksThanPprAllowsIsAnError) {
    EXPECT_THROW(static_cast<void>(plan_mapped(kNumaNodes, "ppr:2:numa", 5)), LaunchError);
    EXPECT_THROW(static_cast<void>(plan_mapped(kNumaNodes, "ppr:2:node", 3)), LaunchError);
    EXPECT_THROW(static_cast<void>(plan_mapped(kNumaNodes, "ppr:1:core", 9, BindTo::none)), LaunchError);
}

TEST(Mapping, OnlyAllowedCpusCount) {
    const Machine machine = Machine::synthetic(kNumaNodes);
    const CpuSet allowed = CpuSet::from_list("2-3,8,12-13");
    EXPECT_THAT(lists(plan_binding(machine, allowed, {parse_map_by("numa"), BindTo::core, 2})),
                ElementsAre("2-3", "8"));
    EXPECT_THAT(plan_binding(machine, allowed, {parse_map_by("numa"), BindTo::core, 3}).warning,
                HasSubstr("2 ranks, but 1 usable core"));
    EXPECT_THAT(lists(plan_binding(machine, allowed, {parse_map_by("core"), BindTo::core, 3})),
                ElementsAre("2-3", "8", "12-13"));
}

TEST(Mapping, ASecondKindOfMemoryIsNoPlaceOfItsOwn) {
    EXPECT_THAT(lists(plan_mapped("pack:2 [numa] [numa] core:2 pu:1", "numa", 3)),
                ElementsAre("0-1", "2-3", "0-1"));
}

BindingPlan plan_file(const std::string& text, int ranks, BindTo bind_to = BindTo::core,
                      const char* allowed = "0-15") {
    return plan_by_rank_file(Machine::synthetic(kTwoSockets), CpuSet::from_list(allowed),
                             parse_rank_file(text, {}), bind_to, ranks);
}

TEST(RankFileBinding, CoresOfTheMachineAndOfAPackage) {
    const BindingPlan plan = plan_file(
        "rank 0=h slot=1:0-1\nrank 1=h slot=0:0,2\nrank 2=h slot=4\nrank 3=h slot=1:*\nrank 4=h slot=0:1;1:3",
        5);
    EXPECT_THAT(lists(plan), ElementsAre("8-11", "0-1,4-5", "8-9", "8-15", "2-3,14-15"));
    EXPECT_EQ(plan.places.front(), "cores 4-5");
}

TEST(RankFileBinding, HardwareThreads) {
    EXPECT_THAT(lists(plan_file("rank 0=h slot=3\nrank 1=h slot=1:0", 2, BindTo::hwthread)),
                ElementsAre("3", "8"));
}

TEST(RankFileBinding, RefusesWhatIsNotThere) {
    const auto error = [](const std::string& text, int ranks, const char* allowed = "0-15") {
        try {
            static_cast<void>(plan_file(text, ranks, BindTo::core, allowed));
        } catch (const LaunchError& caught) {
            EXPECT_EQ(caught.exit_code(), kExitUsage);
            return std::string(caught.what());
        }
        return std::string("accepted");
    };
    EXPECT_THAT(error("rank 0=h slot=8", 1), HasSubstr("rank 0: there is no core 8"));
    EXPECT_THAT(error("rank 0=h slot=2:0", 1), HasSubstr("there is no package 2"));
    EXPECT_THAT(error("rank 0=h slot=1:2-4", 1), HasSubstr("there is no core 4 in package 1"));
    EXPECT_THAT(error("rank 1=h slot=0", 2), HasSubstr("rank 0 has no line"));
    EXPECT_THAT(error("rank 0=h slot=0", 2), HasSubstr("rank 1 has no line"));
    EXPECT_THAT(error("rank 0=h slot=1", 1, "0-1"), HasSubstr("core 1 is not among the CPUs"));
}

TEST(Binding, DescriptionHasOneLinePerRank) {
    const Machine machine = Machine::synthetic("core:2 pu:1");
    EXPECT_EQ(describe_binding(plan_all(machine, BindTo::core, 2), machine.cpus()),
              "rb2run: rank 0 bound to core 0 (cpus 0)\nrb2run: rank 1 bound to core 1 (cpus 1)\n");
    EXPECT_EQ(describe_binding(plan_all(machine, BindTo::none, 1), machine.cpus()),
              "rb2run: rank 0 not bound (cpus 0-1)\n");
}

TEST(AffinityWords, AreTheKernelsMask) {
    EXPECT_TRUE(affinity_words(CpuSet()).empty());
    EXPECT_THAT(affinity_words(CpuSet::from_list("0,3")), ElementsAre(0b1001UL));
    EXPECT_THAT(affinity_words(CpuSet::from_list("64,129")), ElementsAre(0UL, 1UL, 2UL));
}

}  // namespace
}  // namespace rb2::launcher
