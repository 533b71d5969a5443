#include "runtime/state/diagnosis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/state/views.hpp"

namespace rb2::state::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

WaitsFor on(std::vector<int> any_of) { return {true, std::move(any_of)}; }
const WaitsFor kRuns{};

TEST(FindCycle, NobodyWaits) { EXPECT_THAT(find_cycle({kRuns, kRuns}), IsEmpty()); }
TEST(FindCycle, NoRanks) { EXPECT_THAT(find_cycle({}), IsEmpty()); }
TEST(FindCycle, TwoRanks) { EXPECT_THAT(find_cycle({on({1}), on({0})}), ElementsAre(0, 1)); }
TEST(FindCycle, ItselfAlone) { EXPECT_THAT(find_cycle({kRuns, on({1})}), ElementsAre(1)); }

TEST(FindCycle, InTheOrderOfWaitingFromTheLowestRank) {
    EXPECT_THAT(find_cycle({on({2}), on({0}), on({1})}), ElementsAre(0, 2, 1));
}

TEST(FindCycle, AChainToARankThatRunsIsNone) {
    EXPECT_THAT(find_cycle({on({1}), on({2}), kRuns}), IsEmpty());
}

TEST(FindCycle, RanksBeforeTheCycleAreNotInIt) {
    EXPECT_THAT(find_cycle({on({1}), on({2}), on({3}), on({2})}), ElementsAre(2, 3));
}

TEST(FindCycle, OneHopeIsEnoughForAWaitForAny) {
    EXPECT_THAT(find_cycle({on({1, 2}), on({0}), kRuns}), IsEmpty());
}

TEST(FindCycle, WaitsForAnyAreHopelessWhenAllAre) {
    EXPECT_THAT(find_cycle({on({1, 2}), on({0}), on({0, 1})}), ElementsAre(0, 1));
}

TEST(FindCycle, AWaitForNobodyKnownIsNoProof) {
    EXPECT_THAT(find_cycle({on({1}), on({}), on({0})}), IsEmpty());
}

TEST(FindCycle, ARankOutsideTheJobIsNoProof) { EXPECT_THAT(find_cycle({on({5})}), IsEmpty()); }

TEST(FindCycle, LongCycle) {
    std::vector<WaitsFor> ranks;
    for (int rank = 0; rank < 1000; ++rank) ranks.push_back(on({(rank + 1) % 1000}));
    EXPECT_EQ(find_cycle(ranks).size(), 1000U);
}

std::vector<Doing> doings(const RankView& before, const RankView& now) { return {doing(before, now)}; }

TEST(Doing, WaitsOnlyIfNothingMoved) {
    const RankView still = waiting(receive_from(1));
    RankView later = still;
    EXPECT_THAT(doings(still, later), ElementsAre(Doing::waits));
    later.standing.fingerprint = 1;
    EXPECT_THAT(doings(still, later), ElementsAre(Doing::moves));
    later = still;
    later.standing.since_ns += 1;  // another wait that looks the same
    EXPECT_THAT(doings(still, later), ElementsAre(Doing::moves));
}

TEST(Doing, AnAnswerToTheFirstQuestionOnlyProvesNothing) {
    const RankView still = waiting(receive_from(1));
    RankView unanswered = still;
    unanswered.answered = false;
    EXPECT_EQ(doing(still, unanswered), Doing::silent);
    EXPECT_EQ(doing(unanswered, still), Doing::moves);
}

TEST(Doing, WhatTheKernelSaysCountsMoreThanWhatThePageSays) {
    const RankView still = waiting(receive_from(1));
    for (const auto& [letter, what] : {std::pair('T', Doing::stopped), std::pair('t', Doing::stopped),
                                       std::pair('Z', Doing::gone), std::pair('\0', Doing::gone)}) {
        RankView now = still;
        now.process.letter = letter;
        EXPECT_EQ(doing(still, now), what) << letter;
    }
}

TEST(Doing, PhasesOfARankThatDoesNotAnswer) {
    EXPECT_EQ(doing({}, {}), Doing::no_page);
    RankView view;
    view.exited = true;
    EXPECT_EQ(doing(view, view), Doing::ended);
    view = silent();
    EXPECT_EQ(doing(view, view), Doing::silent);
    view.phase = Phase::starting;
    EXPECT_EQ(doing(view, view), Doing::starting);
    view.phase = Phase::finalizing;
    EXPECT_EQ(doing(view, view), Doing::finalizing);
    view.phase = Phase::ended;
    EXPECT_EQ(doing(view, view), Doing::ended);
}

TEST(Doing, Polls) {
    RankView view = silent();
    view.answered = true;
    view.standing.polls = 16;
    EXPECT_EQ(doing(view, view), Doing::polls);
}

Diagnosis diagnose_still(const std::vector<RankView>& ranks) { return diagnose(ranks, ranks); }

TEST(Diagnose, CycleOfReceives) {
    const Diagnosis found =
        diagnose_still({waiting(receive_from(1)), waiting(receive_from(2)), waiting(receive_from(0))});
    EXPECT_THAT(found.cycle, ElementsAre(0, 1, 2));
    EXPECT_THAT(found.waited_for, IsEmpty());
}

TEST(Diagnose, ReceivesOfAnySourceOfAllRanks) {
    const Diagnosis found =
        diagnose_still({waiting(receive_from(kAnyRank)), waiting(receive_from(kAnyRank))});
    EXPECT_THAT(found.cycle, ElementsAre(0, 1));
}

TEST(Diagnose, AMovingRankBreaksTheCycle) {
    const std::vector<RankView> before{waiting(receive_from(1)), waiting(receive_from(0))};
    std::vector<RankView> now = before;
    now[1].standing.fingerprint = 9;
    EXPECT_THAT(diagnose(before, now).cycle, IsEmpty());
}

TEST(Diagnose, ThreadsWaitForDifferentRanks) {
    RankView two = waiting(receive_from(1));
    two.standing.wait_count = 2;
    two.standing.waits[1] = receive_from(2);
    EXPECT_THAT(diagnose_still({two, waiting(receive_from(0)), silent()}).cycle, IsEmpty());
    EXPECT_THAT(diagnose_still({two, waiting(receive_from(0)), waiting(receive_from(0))}).cycle,
                ElementsAre(0, 1));
    two.standing.wait_count = Standing::kWaits + 1;  // one that is not listed
    EXPECT_THAT(diagnose_still({two, waiting(receive_from(0)), waiting(receive_from(0))}).cycle, IsEmpty());
}

TEST(Diagnose, WhoIsWaitedFor) {
    const Diagnosis found = diagnose_still(
        {waiting(receive_from(2)), waiting(receive_from(2)), silent(), waiting(receive_from(0))});
    ASSERT_EQ(found.waited_for.size(), 1U);
    EXPECT_EQ(found.waited_for.front().rank, 2);
    EXPECT_THAT(found.waited_for.front().waiting, ElementsAre(0, 1));
}

TEST(Diagnose, WhoIsMissingInACollective) {
    const auto inside = [](int peer) {
        return with_calls(waiting(in_collective("MPI_Barrier", peer, 3)), 0, 3);
    };
    const Diagnosis found = diagnose_still(
        {inside(1), with_calls(silent(), 0, 2), inside(1), RankView{}, with_calls(silent(), 0, 3)});
    ASSERT_EQ(found.missing.size(), 1U);
    EXPECT_EQ(found.missing.front().function, "MPI_Barrier");
    EXPECT_EQ(found.missing.front().call, 3U);
    EXPECT_THAT(found.missing.front().waiting, ElementsAre(0, 2));
    EXPECT_THAT(found.missing.front().missing, ElementsAre(1, 3));
}

TEST(Diagnose, RanksOutsideACommunicatorAreNotMissing) {
    const auto inside = [](int peer) {
        return with_calls(waiting(in_collective("MPI_Barrier", peer, 1, 5)), 5, 1);
    };
    const Diagnosis found = diagnose_still({inside(1), with_calls(silent(), 5, 0), silent(), RankView{}});
    ASSERT_EQ(found.missing.size(), 1U);
    EXPECT_THAT(found.missing.front().missing, ElementsAre(1));
}

TEST(Diagnose, DifferentCollectivesMeet) {
    const Diagnosis found = diagnose_still({with_calls(waiting(in_collective("MPI_Bcast", 1, 4)), 0, 4),
                                            with_calls(waiting(in_collective("MPI_Reduce", 0, 4)), 0, 4)});
    ASSERT_EQ(found.mixed.size(), 1U);
    EXPECT_EQ(found.mixed.front().call, 4U);
    ASSERT_EQ(found.mixed.front().callers.size(), 2U);
    EXPECT_EQ(found.mixed.front().callers[1].rank, 1);
    EXPECT_EQ(found.mixed.front().callers[1].function, "MPI_Reduce");
}

}  // namespace
}  // namespace rb2::state::test
