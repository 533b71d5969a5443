#include "launcher/placement/rank_file.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace rb2::launcher {
namespace {

using testing::HasSubstr;

/// "package:first-last" of every range, -1 for any.
std::string text_of(const RankSlots& rank) {
    std::string text = rank.host;
    for (const SlotRange& range : rank.slots) {
        text += fmt::format(" {}:{}-{}", range.package, range.first, range.last);
    }
    return text;
}

std::string refused_file(const std::string& text, const std::vector<HostSpec>& hosts = {}) {
    try {
        return "accepted, ranks: " + std::to_string(parse_rank_file(text, hosts).size());
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
}

TEST(RankFile, LinesInAnyOrder) {
    const std::vector<RankSlots> ranks = parse_rank_file(
        "# three ranks\n"
        "rank 2=bb slot=1-2\n"
        "\n"
        "rank 0=aa slot=1:0-2, 4;0:*  # comment\r\n"
        "rank 1 = bb slot = 0:0,1:1",
        {});
    ASSERT_EQ(ranks.size(), 3U);
    EXPECT_EQ(text_of(ranks[0]), "aa 1:0-2 1:4-4 0:0--1");
    EXPECT_EQ(text_of(ranks[1]), "bb 0:0-0 1:1-1");
    EXPECT_EQ(text_of(ranks[2]), "bb -1:1-2");
}

TEST(RankFile, HostsByNumber) {
    const auto ranks = parse_rank_file("rank 0=+n1 slot=0\nrank 1=a slot=0", {{"a", 1}, {"b", 1}});
    EXPECT_EQ(ranks[0].host, "b");
    EXPECT_EQ(ranks[1].host, "a");
}

TEST(RankFile, HostsWithTheirRanks) {
    const auto hosts = hosts_of(parse_rank_file("rank 0=b slot=0\nrank 1=a slot=0\nrank 3=b slot=1", {}));
    ASSERT_EQ(hosts.size(), 2U);
    EXPECT_EQ(hosts[0].name + std::to_string(hosts[0].slots), "b2");
    EXPECT_EQ(hosts[1].name + std::to_string(hosts[1].slots), "a1");
}

TEST(RankFile, WrongLines) {
    EXPECT_THAT(refused_file(""), HasSubstr("no rank is named"));
    EXPECT_THAT(refused_file("rank 0=a slot=0\nrank 1=a"),
                HasSubstr("line 2: expected rank N=HOST slot=LIST"));
    EXPECT_THAT(refused_file("rank=a slot=0"), HasSubstr("expected rank N=HOST"));
    EXPECT_THAT(refused_file("0=a slot=0"), HasSubstr("expected rank N=HOST"));
    EXPECT_THAT(refused_file("rank x=a slot=0"), HasSubstr("'x' is no number of a rank"));
    EXPECT_THAT(refused_file("rank -1=a slot=0"), HasSubstr("'-1' is no number of a rank"));
    EXPECT_THAT(refused_file("rank 0=a slot=0\nrank 0=a slot=1"),
                HasSubstr("line 2: rank 0 has a line already"));
    EXPECT_THAT(refused_file("rank 0=a slot="), HasSubstr("'' is no number of a core"));
    EXPECT_THAT(refused_file("rank 0=a slot=p0"), HasSubstr("'p0' is no number of a core"));
    EXPECT_THAT(refused_file("rank 0=a slot=3-1"), HasSubstr("the first number is above the last"));
    EXPECT_THAT(refused_file("rank 0=a slot=x:1"), HasSubstr("'x' is no number of a package"));
    EXPECT_THAT(refused_file("rank 0=+n2 slot=0", {{"a", 1}}),
                HasSubstr("+n2: --host or --hostfile names 1 hosts"));
    EXPECT_THAT(refused_file("rank 0=c slot=0", {{"a", 1}}), HasSubstr("host c is none of those"));
    EXPECT_THAT(refused_file("rank 0=a,b slot=0"), HasSubstr("no single host"));
    EXPECT_THAT(refused_file("rank 99999999=a slot=0"), HasSubstr("is no number of a rank"));
}

TEST(RankFile, FileThatIsNotThere) {
    EXPECT_THROW(static_cast<void>(read_rank_file("/nonexistent/ranks", {})), std::invalid_argument);
}

}  // namespace
}  // namespace rb2::launcher
