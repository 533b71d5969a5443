#include "runtime/topology/ring_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "runtime/topology/topology.hpp"

namespace rb2::topology {
namespace {

constexpr std::uint64_t kPlenty = std::uint64_t{64} << 30;
constexpr std::uint64_t kKiB = 1024;

/// What rank `rank` of `ranks`, each bound to its share of `machine`, would put in.
RingPlanInput input_of(const Machine& machine, unsigned rank, unsigned ranks,
                       std::uint64_t budget = kPlenty) {
    RingPlanInput input;
    input.local_ranks = ranks;
    input.node_budget_bytes = budget;
    for (unsigned peer = 0; peer < ranks; ++peer) {
        const Locality distance =
            peer == rank ? Locality::self
                         : machine.locality_between(machine.share(rank, ranks), machine.share(peer, ranks));
        ++input.peers.at(static_cast<std::size_t>(distance));
    }
    return input;
}

RingPlan plan(const RingPlanInput& input) { return std::get<RingPlan>(plan_rings(input)); }

/// What must hold of every plan.
void expect_sound(const RingPlanInput& input, const RingPlan& plan) {
    EXPECT_TRUE(std::has_single_bit(plan.slots));
    EXPECT_GE(plan.slots, kMinSlots);
    EXPECT_LE(plan.node_bytes, input.node_budget_bytes);
    EXPECT_EQ(plan.node_bytes, input.local_ranks * plan.rank_bytes);
    EXPECT_GE(plan.rank_bytes, (input.local_ranks - 1) * plan.ring_bytes());
    EXPECT_LE(4 * plan.chunk_bytes, plan.ring_bytes());
    EXPECT_LE(4 * plan.eager_bytes, plan.ring_bytes());
    EXPECT_EQ(plan.chunk_bytes % plan.slot_bytes, 0U);
    EXPECT_GT(plan.credit_slots, 0U);
    EXPECT_LT(plan.credit_slots, plan.slots);
}

TEST(RingPlan, OneCoreTwoRanks) {
    const Machine machine = Machine::synthetic("pack:1 l3:1 core:1 pu:1");
    const RingPlanInput input = input_of(machine, 0, 2);
    const RingPlan plan = topology::plan(input);
    expect_sound(input, plan);
    EXPECT_EQ(plan.ring_bytes(), 512 * kKiB);
    EXPECT_EQ(plan.eager_bytes, 128 * kKiB);
}

TEST(RingPlan, AloneNeedsNoRing) {
    const RingPlanInput input{.peers = {1}, .local_ranks = 1, .node_budget_bytes = kPlenty};
    const RingPlan plan = topology::plan(input);
    EXPECT_EQ(plan.rank_bytes, input.segment_header_bytes);
    EXPECT_EQ(plan.node_bytes, input.segment_header_bytes);
}

TEST(RingPlan, TwoSocketsReturnCreditsLessOften) {
    const Machine machine = Machine::synthetic("pack:2 numa:1 l3:1 core:8 pu:1");
    const RingPlanInput one_socket{.peers = {1, 7}, .local_ranks = 8, .node_budget_bytes = kPlenty};
    const RingPlanInput both = input_of(machine, 0, 16);
    EXPECT_EQ(both.peers, (std::array<std::uint32_t, kLocalityCount>{1, 7, 0, 0, 8, 0}));
    const RingPlan near = plan(one_socket);
    const RingPlan far = plan(both);
    expect_sound(one_socket, near);
    expect_sound(both, far);
    EXPECT_EQ(far.ring_bytes(), 128 * kKiB);
    EXPECT_GT(far.credit_slots * near.slots, near.credit_slots * far.slots);  // γ grows
    EXPECT_GT(far.chunk_bytes, near.chunk_bytes);
}

TEST(RingPlan, ThirtyTwoRanksStayWithin64KiBRings) {
    const Machine machine = Machine::synthetic("pack:2 l3:1 core:16 pu:1");
    const RingPlanInput input = input_of(machine, 5, 32);
    expect_sound(input, plan(input));
    EXPECT_LE(plan(input).ring_bytes(), 64 * kKiB);
    EXPECT_LE(plan(input).node_bytes, 80U << 20U);
}

TEST(RingPlan, EightNumaNodes128Ranks) {
    const Machine machine = Machine::synthetic("pack:2 numa:4 l3:2 core:8 pu:1");
    const RingPlanInput input = input_of(machine, 77, 128);
    EXPECT_EQ(input.peers, (std::array<std::uint32_t, kLocalityCount>{1, 7, 8, 48, 64, 0}));
    const RingPlan plan = topology::plan(input);
    expect_sound(input, plan);
    EXPECT_GE(plan.ring_bytes(), 16 * kKiB);
    EXPECT_LE(plan.ring_bytes(), 32 * kKiB);
    EXPECT_LE(plan.node_bytes, 512U << 20U);
}

TEST(RingPlan, RemotePeersAndOneselfTakeNoSharedMemory) {
    RingPlanInput input{.peers = {1, 3}, .local_ranks = 4, .node_budget_bytes = kPlenty};
    const RingPlan before = plan(input);
    input.peers.at(static_cast<std::size_t>(Locality::remote)) = 100000;
    EXPECT_EQ(plan(input).rank_bytes, before.rank_bytes);
}

TEST(RingPlan, ShrinksToTheBudgetAndSaysWhenTheFloorDoesNotFit) {
    RingPlanInput input{.peers = {1, 3}, .local_ranks = 4, .node_budget_bytes = kPlenty};
    for (std::uint64_t budget = std::uint64_t{16} << 20; budget > 0; budget /= 2) {
        input.node_budget_bytes = budget;
        const auto result = plan_rings(input);
        if (const auto* fits = std::get_if<RingPlan>(&result)) {
            expect_sound(input, *fits);
            continue;
        }
        const auto& error = std::get<BudgetTooSmall>(result);
        EXPECT_GT(error.needed_bytes, budget);
        EXPECT_EQ(error.budget_bytes, budget);
        EXPECT_LE(error.needed_bytes, 128 * kKiB);  // the floor itself is modest
        EXPECT_THAT(error.message(), testing::AllOf(testing::HasSubstr("4 ranks"),
                                                    testing::HasSubstr(std::to_string(error.needed_bytes)),
                                                    testing::HasSubstr(std::to_string(budget))));
        return;
    }
    FAIL() << "a budget of nothing was accepted";
}

TEST(RingPlan, TheLargestPlanThatFitsIsTaken) {
    RingPlanInput input{.peers = {1, 1}, .local_ranks = 2, .node_budget_bytes = kPlenty};
    const RingPlan full = plan(input);
    input.node_budget_bytes = full.node_bytes;
    EXPECT_EQ(plan(input).slots, full.slots);
    input.node_budget_bytes = full.node_bytes - 1;
    EXPECT_EQ(plan(input).slots, full.slots / 2);
}

TEST(RingPlan, OnDemandRingsFitTheMeshBudgetOrAreTheSmallest) {
    const Machine machine = Machine::synthetic("pack:2 l3:1 core:16 pu:1");
    for (const unsigned ranks : {2U, 8U, 32U, 128U, 512U}) {
        const RingPlanInput input = input_of(machine, 1, ranks);
        for (const std::uint64_t mesh_bytes : {0 * kKiB, 100 * kKiB, 500 * kKiB, 2048 * kKiB}) {
            const RingPlan plan = plan_on_demand(input, mesh_bytes);
            expect_sound(input, plan);
            EXPECT_TRUE(plan.rank_bytes <= mesh_bytes || plan.slots == kMinSlots)
                << ranks << " " << mesh_bytes;
            EXPECT_LE(plan.slots, topology::plan(input).slots);
        }
    }
}

TEST(RingPlan, OnDemandRingsMayPromiseMoreThanTheNodeHas) {
    const RingPlanInput input{.peers = {1, 511}, .local_ranks = 512, .node_budget_bytes = 64 * kKiB * kKiB};
    EXPECT_TRUE(std::holds_alternative<BudgetTooSmall>(plan_rings(input)));
    EXPECT_EQ(plan_on_demand(input, 2048 * kKiB).slots, kMinSlots);
}

TEST(RingPlan, AForcedSizeIsRoundedUpAndNeverShrunk) {
    RingPlanInput input{.peers = {1, 1}, .local_ranks = 2, .node_budget_bytes = kPlenty, .forced_slots = 100};
    EXPECT_EQ(plan(input).slots, 128U);
    input.forced_slots = 1;
    EXPECT_EQ(plan(input).slots, 4U);
    EXPECT_EQ(plan(input).chunk_bytes, 64U);
    input.forced_slots = 1U << 20U;
    input.node_budget_bytes = 1U << 20U;
    EXPECT_TRUE(std::holds_alternative<BudgetTooSmall>(plan_rings(input)));
    EXPECT_EQ(plan_on_demand(input, 0).slots, 1U << 20U);
}

TEST(RingPlan, AbsurdNumbersAreAnErrorNotAnOverflow) {
    RingPlanInput input{
        .peers = {1, 0xffffffffU, 0xffffffffU}, .local_ranks = 0xffffffffU, .node_budget_bytes = kPlenty};
    input.slot_bytes = 1U << 30U;
    EXPECT_TRUE(std::holds_alternative<BudgetTooSmall>(plan_rings(input)));
}

TEST(MemoryBudget, IsAPartOfTheSmallerOfRamAndSharedMemory) {
    EXPECT_EQ(node_memory_budget(1000, 400), node_memory_budget(400, 1000));
    EXPECT_LT(node_memory_budget(1000, 400), 400U);
    EXPECT_EQ(node_memory_budget(1000, 0), 0U);
    EXPECT_GT(this_node_memory_budget(), 0U);
}

}  // namespace
}  // namespace rb2::topology
