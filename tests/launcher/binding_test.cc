#include "launcher/process/binding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rb2::launcher {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using topology::CpuSet;
using topology::Machine;

BindingPlan plan_all(const Machine& machine, BindTo bind_to, int ranks) {
    return plan_binding(machine, machine.cpus(), bind_to, ranks);
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
    const BindingPlan plan = plan_all(Machine::synthetic(kTwoSockets), BindTo::socket, 4);
    EXPECT_THAT(lists(plan), ElementsAre("0-7", "0-7", "8-15", "8-15"));
    EXPECT_EQ(plan.warning, "");
}

TEST(Binding, EveryNumaNodeOfEight) {
    const BindingPlan plan = plan_all(Machine::synthetic("pack:2 numa:4 core:2 pu:1"), BindTo::numa, 8);
    EXPECT_EQ(plan.cpus.front().to_list(), "0-1");
    EXPECT_EQ(plan.cpus.back().to_list(), "14-15");
}

TEST(Binding, ManyRanksUseAllObjectsEvenly) {
    const BindingPlan plan = plan_all(Machine::synthetic("pack:4 core:2 pu:1"), BindTo::socket, 128);
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
    const BindingPlan plan = plan_binding(Machine::synthetic(kTwoSockets), allowed, BindTo::core, 3);
    EXPECT_THAT(lists(plan), ElementsAre("1", "4-5", "15"));
    EXPECT_THAT(plan.places, ElementsAre("core 0", "core 2", "core 7"));
    EXPECT_THAT(lists(plan_binding(Machine::synthetic(kTwoSockets), allowed, BindTo::socket, 2)),
                ElementsAre("1,4-5", "15"));
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
