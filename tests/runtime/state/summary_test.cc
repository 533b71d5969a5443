#include "runtime/state/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/state/views.hpp"

namespace rb2::state::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Rank 0 of three: 3 messages to itself, 10 over shm to rank 1, 5 over tcp to rank 2.
RankView sender() {
    RankView view = silent();
    view.traffic = {{3, 30, 3, 30}, {10, 1000, 1, 4}, {5, 500, 0, 0}};
    view.fabrics = {Fabric::self, Fabric::shm, Fabric::tcp};
    view.totals.rendezvous_messages = 2;
    view.totals.rendezvous_bytes = 200;
    view.totals.single_copy_messages = 1;
    view.totals.single_copy_bytes = 400;
    view.totals.waited_ns = 1'000'000'000;
    view.started_ns = 1'000'000'000;
    return view;
}

TEST(ByProtocol, EveryMessageIsInOne) {
    const ByProtocol found = by_protocol(sender(), 0);
    EXPECT_EQ(found.self, (Amount{3, 30}));
    EXPECT_EQ(found.rendezvous, (Amount{2, 200}));
    EXPECT_EQ(found.single_copy, (Amount{1, 400}));
    EXPECT_EQ(found.direct, (Amount{0, 0}));
    EXPECT_EQ(found.eager, (Amount{12, 900}));
}

TEST(ByProtocol, CountersReadBetweenTwoStoresDoNotWrap) {
    RankView view = sender();
    view.totals.rendezvous_messages = 1000;
    view.totals.rendezvous_bytes = 100'000;
    EXPECT_EQ(by_protocol(view, 0).eager, (Amount{0, 0}));
}

TEST(ByFabric, EveryMessageIsOverOne) {
    const auto found = by_fabric(sender());
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].name, "self");
    EXPECT_EQ(found[1].name, "shm");
    EXPECT_EQ(found[1].amount, (Amount{10, 1000}));
    EXPECT_EQ(found[2].name, "tcp");
    EXPECT_EQ(found[2].amount, (Amount{5, 500}));
}

TEST(Summarize, AddsUpThoseThatHaveAPage) {
    const JobSummary sum = summarize({sender(), RankView{}, sender()});
    EXPECT_EQ(sum.ranks_seen, 2);
    EXPECT_EQ(sum.sent, (Amount{36, 3060}));
    EXPECT_EQ(sum.received, (Amount{8, 68}));
    EXPECT_EQ(sum.waited_ns, 2'000'000'000U);
    EXPECT_EQ(sum.running_ns, 8'000'000'000U);
}

TEST(Summarize, TheTimeOfARankEndsWithIt) {
    RankView view = sender();
    view.ended_ns = 2'000'000'000;
    EXPECT_EQ(summarize({view}).running_ns, 1'000'000'000U);
}

TEST(SummaryText, SaysWhatThereWas) {
    const std::string text = summary_text({sender(), RankView{}, sender()}, "> ");
    EXPECT_THAT(text,
                HasSubstr("> 2 of 3 ranks: sent 36 messages, 3060 bytes (2.99 KiB); received 8 messages"));
    EXPECT_THAT(text, HasSubstr(">   single copy 2 messages, 800 bytes"));
    EXPECT_THAT(text, HasSubstr(">   over tcp    10 messages, 1000 bytes"));
    EXPECT_THAT(text, HasSubstr(">   waiting     2.000 s of 8.000 s (25 %)"));
    EXPECT_THAT(text, HasSubstr(">   rank 2: sent 18 messages, 1530 bytes"));
    EXPECT_THAT(text, Not(HasSubstr("direct")));
}

TEST(SummaryText, NoPages) {
    EXPECT_THAT(summary_text({{}, {}}, ""), HasSubstr("no rank has initialized MPI"));
}

TEST(ShowBytes, Units) {
    EXPECT_EQ(show_bytes(0), "0 B");
    EXPECT_EQ(show_bytes(1023), "1023 B");
    EXPECT_EQ(show_bytes(1536), "1.50 KiB");
    EXPECT_EQ(show_bytes(1e18), "888.18 PiB");
}

}  // namespace
}  // namespace rb2::state::test
