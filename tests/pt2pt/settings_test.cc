#include "pt2pt/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>

#include "runtime/topology/ring_plan.hpp"

namespace rb2::pt2pt {
namespace {

using topology::Locality;

std::string fallback_of(std::string_view variable) {
    const auto table = setting_table();
    const auto found = std::ranges::find(table, variable, &SettingInfo::variable);
    return found == table.end() ? "" : std::string(found->fallback);
}

/// What two ranks so far from each other do without any setting.
topology::RingPlan plan_at(Locality distance) {
    topology::RingPlanInput input{.local_ranks = 2, .node_budget_bytes = std::uint64_t{1} << 30};
    input.peers.at(static_cast<std::size_t>(distance)) = 1;
    return std::get<topology::RingPlan>(topology::plan_rings(input));
}

class SettingsTest : public ::testing::TestWithParam<Locality> {};

TEST_P(SettingsTest, TheTableShowsTheSizesThatTheRingsAreGiven) {
    const topology::RingPlan plan = plan_at(GetParam());
    EXPECT_THAT(fallback_of("RB2_CHUNK_BYTES"), ::testing::HasSubstr(std::to_string(plan.chunk_bytes)));
    EXPECT_EQ(fallback_of("RB2_EAGER_BYTES"), std::to_string(plan.eager_bytes));
}

INSTANTIATE_TEST_SUITE_P(Distances, SettingsTest,
                         ::testing::Values(Locality::shared_cache, Locality::same_numa, Locality::same_socket,
                                           Locality::same_host));

}  // namespace
}  // namespace rb2::pt2pt
