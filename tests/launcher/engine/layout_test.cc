#include "launcher/engine/layout.hpp"

#include <gtest/gtest.h>

#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

/// "a:2 b:1", with "!" if some host takes more than its slots.
std::string planned(const std::vector<HostSpec>& hosts, int ranks, const MapBy& map = {}) {
    const Layout layout = plan_layout(hosts, ranks, map);
    std::string text;
    for (const Share& share : layout.shares) {
        text += text.empty() ? "" : " ";
        text += share.host + ":" + std::to_string(share.ranks);
    }
    return text + (layout.oversubscribed ? "!" : "");
}

TEST(Layout, NoHosts) { EXPECT_EQ(planned({}, 4), ""); }

TEST(Layout, FillsHostsInOrder) {
    EXPECT_EQ(planned({{"a", 2}, {"b", 2}}, 4), "a:2 b:2");
    EXPECT_EQ(planned({{"b", 1}, {"a", 3}}, 4), "b:1 a:3");
    EXPECT_EQ(planned({{"a", 8}, {"b", 8}}, 4), "a:4");
    EXPECT_EQ(planned({{"a", 3}, {"b", 8}, {"c", 8}}, 4), "a:3 b:1");
}

TEST(Layout, HostsWithoutANumberShareTheRest) {
    EXPECT_EQ(planned({{"a", 0}, {"b", 0}}, 4), "a:2 b:2");
    EXPECT_EQ(planned({{"a", 0}, {"b", 0}}, 5), "a:3 b:2");
    EXPECT_EQ(planned({{"a", 0}, {"b", 0}, {"c", 0}}, 7), "a:3 b:2 c:2");
    EXPECT_EQ(planned({{"a", 0}, {"b", 4}, {"c", 0}}, 7), "a:2 b:4 c:1");
    EXPECT_EQ(planned({{"a", 0}, {"b", 0}, {"c", 0}}, 2), "a:1 b:1");
    EXPECT_EQ(planned({{"a", 0}, {"b", 4}}, 3), "a:1 b:2");
}

TEST(Layout, MoreRanksThanSlotsAreDealtOneByOne) {
    EXPECT_EQ(planned({{"a", 1}, {"b", 1}}, 4), "a:2 b:2!");
    EXPECT_EQ(planned({{"a", 1}, {"b", 3}}, 7), "a:3 b:4!");
    EXPECT_EQ(planned({{"a", 1}}, 100000), "a:100000!");
}

TEST(Layout, DealtToHostsInTurn) {
    const MapBy node{MapUnit::node};
    EXPECT_EQ(planned({{"a", 8}, {"b", 8}}, 4, node), "a:2 b:2");
    EXPECT_EQ(planned({{"a", 1}, {"b", 8}}, 5, node), "a:1 b:4");
    EXPECT_EQ(planned({{"a", 1}, {"b", 1}, {"c", 1}}, 2, node), "a:1 b:1");
    EXPECT_EQ(planned({{"a", 1}, {"b", 1}}, 4, node), "a:2 b:2!");
}

TEST(Layout, SoManyOnEachHost) {
    const MapBy two{MapUnit::node, 2};
    EXPECT_EQ(planned({{"a", 8}, {"b", 0}}, 4, two), "a:2 b:2");
    EXPECT_EQ(planned({{"a", 8}, {"b", 0}}, 3, two), "a:2 b:1");
    EXPECT_THROW(static_cast<void>(planned({{"a", 8}, {"b", 0}}, 5, two)), LaunchError);
}

TEST(Layout, HostOfEachRank) {
    Layout layout{{{"a", 2}, {"b", 1}, {"c", 3}}, false, false};
    EXPECT_EQ(host_of_each_rank(layout), (std::vector<std::string>{"a", "a", "b", "c", "c", "c"}));
    layout.in_turn = true;
    EXPECT_EQ(host_of_each_rank(layout), (std::vector<std::string>{"a", "b", "c", "a", "c", "c"}));
}

TEST(Layout, EveryRankHasAHost) {
    for (int ranks = 1; ranks < 40; ++ranks) {
        for (int slots = 0; slots < 6; ++slots) {
            int sum = 0;
            for (const Share& share :
                 plan_layout({{"a", slots}, {"b", 0}, {"c", 3}, {"d", slots}}, ranks).shares) {
                EXPECT_GT(share.ranks, 0);
                sum += share.ranks;
            }
            EXPECT_EQ(sum, ranks) << slots;
        }
    }
}

}  // namespace
}  // namespace rb2::launcher
