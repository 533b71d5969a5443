// What was seen of a rank goes to another host as text, and comes back.

#include "runtime/state/view_text.hpp"

#include <gtest/gtest.h>

#include "runtime/state/report.hpp"
#include "tests/runtime/state/views.hpp"

namespace rb2::state::test {
namespace {

/// Rank 1 of 3.
SeenRank seen() {
    SeenRank rank{Look::before, 1, 6'000'000'000, waiting(in_collective("MPI_Bcast", 2, 5))};
    rank.view.traffic.resize(3);
    rank.view.traffic[2] = {
        .sent_messages = 3, .sent_bytes = 300, .received_messages = 1, .received_bytes = 8};
    rank.view.fabrics = {Fabric::tcp, Fabric::self, Fabric::shm};
    rank.view.standing.posted.count = rank.view.standing.posted.listed = 1;
    rank.view.totals.waited_ns = 77;
    rank.view = with_calls(rank.view, 0, 5);
    return rank;
}

TEST(ViewText, ComesBackAsItWas) {
    const SeenRank sent = seen();
    // As Slurm labels lines.
    const auto got = from_line("1: " + to_line(sent) + "\r\n", sent.told_ns);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->look, Look::before);
    EXPECT_EQ(got->rank, 1);
    EXPECT_TRUE(got->view.has_page);
    EXPECT_EQ(got->view.traffic[2].sent_bytes, 300U);
    EXPECT_EQ(got->view.fabrics, sent.view.fabrics);
    EXPECT_EQ(got->view.totals.waited_ns, 77U);
    const auto report_of = [](const RankView& view) {
        const std::vector<RankView> ranks{silent(), view, silent()};
        return hang_report({ranks, ranks}, "");
    };
    EXPECT_EQ(report_of(got->view), report_of(sent.view));
}

TEST(ViewText, TimesAreThoseOfTheClockHere) {
    const SeenRank sent = seen();
    for (const std::uint64_t here : {std::uint64_t{1'000}, sent.told_ns + 7'000'000'000}) {
        const auto got = from_line(to_line(sent), here);
        ASSERT_TRUE(got);
        EXPECT_EQ(got->view.taken_ns, here - 1'000'000'000);
        EXPECT_EQ(got->view.taken_ns - got->view.standing.since_ns, 3'000'000'000U);
        EXPECT_EQ(got->view.ended_ns, 0U) << "it has not";
    }
}

TEST(ViewText, SilentPeersTakeNoRoom) {
    SeenRank few = seen();
    few.view.traffic.resize(4);
    few.view.fabrics.resize(4);
    SeenRank many = seen();
    many.view.traffic.resize(10'000);
    many.view.fabrics.resize(10'000);
    EXPECT_LT(to_line(many).size(), to_line(few).size() + 20);
}

TEST(ViewText, OtherLinesAreNone) {
    const std::string line = to_line(seen());
    EXPECT_FALSE(from_line("", 0));
    EXPECT_FALSE(from_line("rb2stat: no", 0));
    EXPECT_FALSE(from_line(line.substr(0, line.size() - 2), 0));
    EXPECT_FALSE(from_line(line + "00", 0));
    EXPECT_FALSE(from_line("rb2-rank-seen-1 z99999999999999999999,", 0));
    EXPECT_FALSE(from_line("rb2-rank-seen-1 z999999999,", 0));
    EXPECT_FALSE(from_line("rb2-rank-seen-1 xy", 0));
    SeenRank beyond = seen();
    beyond.rank = 3;
    EXPECT_FALSE(from_line(to_line(beyond), 0));
    SeenRank too_many = seen();
    too_many.view.standing.posted.listed = Standing::kListed + 1;
    EXPECT_FALSE(from_line(to_line(too_many), 0));
}

}  // namespace
}  // namespace rb2::state::test
