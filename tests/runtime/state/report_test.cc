#include "runtime/state/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/runtime/state/views.hpp"

namespace rb2::state::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string report(const std::vector<RankView>& ranks) { return hang_report({ranks, ranks}, "> "); }

TEST(ShowWait, SaysWhatFromWhomAndHowMuch) {
    EXPECT_EQ(show_wait(receive_from(1)), "receive from rank 1, up to 4 bytes, tag 7, MPI_COMM_WORLD");
    EXPECT_EQ(show_wait(receive_from(kAnyRank, kAnyTag)),
              "receive from any rank, up to 4 bytes, any tag, MPI_COMM_WORLD");
    Wait send = receive_from(2, 3);
    send.kind = WaitKind::send;
    send.context = 14;
    EXPECT_EQ(show_wait(send), "send to rank 2, 4 bytes, tag 3, communicator 7");
    send.of = 5;
    EXPECT_THAT(show_wait(send), HasSubstr("in a call for 5 requests: send to rank 2"));
    EXPECT_EQ(show_wait(in_collective("MPI_Bcast", 0, 2)),
              "in MPI_Bcast (collective call 2 on MPI_COMM_WORLD): receive from rank 0, up to 4 bytes");
}

TEST(HangReport, CycleIsNamed) {
    EXPECT_THAT(
        report({waiting(receive_from(1, 5)), waiting(receive_from(2, 6)), waiting(receive_from(0, 7))}),
        HasSubstr("> deadlock: rank 0 waits for rank 1 (receive, tag 5) -> rank 1 waits for rank 2 "
                  "(receive, tag 6) -> rank 2 waits for rank 0 (receive, tag 7) -> rank 0\n"));
}

TEST(HangReport, EveryLineHasThePrefix) {
    const std::string text = report({waiting(receive_from(1)), silent()});
    std::size_t lines = 0;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1, ++lines)
        EXPECT_EQ(text.substr(at, 2), "> ") << text;
    EXPECT_GE(lines, 3U);
}

TEST(HangReport, QueuesOfAWaitingRank) {
    RankView rank = waiting(receive_from(1));
    rank.standing.posted = {12, 1, {{1, 0, 7, {}, 4}}};
    rank.standing.sends = {1, 1, {{2, 6, 9, Stage::offered, 1000}}};
    rank.traffic = {{}, {3, 12, 2, 8}};
    const std::string text = report({rank, silent()});
    EXPECT_THAT(text, HasSubstr("posted receives: 12 (from rank 1, tag 7, up to 4 bytes; ...)"));
    EXPECT_THAT(text,
                HasSubstr("pending sends: 1 (to rank 2, tag 9, 1000 bytes, communicator 3, waits for its "
                          "receive)"));
    EXPECT_THAT(text, Not(HasSubstr("unexpected")));
    EXPECT_THAT(text, HasSubstr("sent 3 messages (12 bytes), received 2 (8 bytes)"));
}

TEST(HangReport, SilentAndStoppedRanks) {
    RankView stopped = waiting(receive_from(0));
    stopped.process.letter = 'T';
    RankView before = silent();
    before.taken_ns -= 500'000'000;
    RankView busy = silent();
    busy.process.cpu_ms = 490;
    const std::string text = hang_report({{stopped, before}, {stopped, busy}}, "");
    EXPECT_THAT(text, HasSubstr("rank 0 (pid 4711): gave no answer: its process is stopped (state T); it was "
                                "waiting since 3.0 s: receive from rank 0"));
    EXPECT_THAT(text,
                HasSubstr("rank 1 (pid 4711): gives no answer: it runs code outside of MPI (process state "
                          "R, 0.49 s of processor time in 0.5 s); outside of a wait since 4.0 s"));
}

TEST(HangReport, NoPagesAtAll) {
    EXPECT_EQ(report({{}, {}}), "> no rank has initialized MPI, or none is a program of rb2\n");
}

TEST(HangReport, ManyRanksThatWaitAreNotAllTold) {
    std::vector<RankView> ranks(500, waiting(receive_from(499)));
    ranks[499] = silent();
    const std::string text = report(ranks);
    EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 80);
    EXPECT_THAT(text, HasSubstr("rank 499 (pid 4711): gives no answer"));
    EXPECT_THAT(text, HasSubstr("and 436 more ranks that wait"));
    EXPECT_THAT(text, HasSubstr("ranks 0-498 wait for rank 499, which does not wait"));
}

TEST(HangReport, MissingRank) {
    EXPECT_THAT(
        report({with_calls(waiting(in_collective("MPI_Barrier", 1, 3)), 0, 3), with_calls(silent(), 0, 2)}),
        HasSubstr("rank 1 has not entered MPI_Barrier (collective call 3 on MPI_COMM_WORLD), in which "
                  "rank 0 waits"));
}

TEST(RankRanges, Ranges) {
    EXPECT_EQ(rank_ranges({}), "");
    EXPECT_EQ(rank_ranges({0, 1, 2, 7}), "0-2,7");
    EXPECT_EQ(show_ranks({4}), "rank 4");
}

}  // namespace
}  // namespace rb2::state::test
