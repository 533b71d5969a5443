#include "pt2pt/protocol/path_choice.hpp"

#include <gtest/gtest.h>

#include <array>

namespace rb2::pt2pt {
namespace {

constexpr std::uint64_t kBytes = 50000;       // of a class with two paths
constexpr std::uint64_t kLongBytes = 100000;  // and with halves

/// Runs `count` messages on a machine where the paths cost what is given; returns how many took the ring.
int run(PathChoice& choice, int count, std::uint64_t ring_ns, std::uint64_t pull_ns) {
    int ring = 0;
    for (int i = 0; i < count; ++i) {
        const Path path = choice.choose(kBytes);
        choice.report(path, kBytes, path == Path::ring ? ring_ns : pull_ns);
        ring += path == Path::ring ? 1 : 0;
    }
    return ring;
}

TEST(PathChoice, TriesBothThenStaysWithTheCheaper) {
    PathChoice choice;
    EXPECT_EQ(run(choice, PathChoice::kFirst, 2000, 1000), 0);
    EXPECT_EQ(run(choice, PathChoice::kFirst, 2000, 1000), PathChoice::kFirst);
    EXPECT_EQ(run(choice, 4 * PathChoice::kShortest - 1, 2000, 1000), 0);
    EXPECT_EQ(choice.choose(kBytes), Path::ring) << "now and then";
}

TEST(PathChoice, TheFirstMessageOfATrialPaysForThePathBefore) {
    PathChoice choice;
    int halves = 0;
    Path before = Path::pull;
    for (int i = 0; i < 2000; ++i) {
        const Path path = choice.choose(kLongBytes);
        const unsigned cold = path == before ? 0 : 3000;
        choice.report(path, kLongBytes,
                      cold + (path == Path::halves ? 1000
                              : path == Path::pull ? 1900
                                                   : 2500));
        halves += path == Path::halves ? 1 : 0;
        before = path;
    }
    EXPECT_GE(halves, 1800);
}

TEST(PathChoice, MeansDecideNotTheFastestMessage) {
    PathChoice choice;
    int ring = 0;
    for (int i = 0; i < 4000; ++i) {
        const Path path = choice.choose(kBytes);
        choice.report(path, kBytes, path == Path::pull ? 1000 : i % 2 == 0 ? 200 : 3000);
        ring += path == Path::ring ? 1 : 0;
    }
    EXPECT_LE(ring, 100);
}

TEST(PathChoice, LongMessagesTryHalvesAsWellAndTakeThem) {
    PathChoice choice;
    const auto cost = [](Path path) {
        return path == Path::halves ? 1000U : path == Path::pull ? 1900U : 2500U;
    };
    std::array<int, 3> taken{};
    for (int i = 0; i < 4000; ++i) {
        const Path path = choice.choose(kLongBytes);
        choice.report(path, kLongBytes, cost(path));
        ++taken[static_cast<std::size_t>(path)];
    }
    EXPECT_GE(taken[0], 16) << "the ring is tried";
    EXPECT_GE(taken[1], 16) << "and the pull";
    EXPECT_GE(taken[2], 3850);
}

TEST(PathChoice, ShorterOnesNeverDo) {
    PathChoice choice;
    for (int i = 0; i < 1000; ++i) {
        const Path path = choice.choose(PathChoice::kHalvesFrom - 1);
        ASSERT_NE(path, Path::halves);
        choice.report(path, PathChoice::kHalvesFrom - 1, 1000);
    }
}

TEST(PathChoice, HalvesThatNobodyHelpsWithAreLeft) {
    PathChoice choice;
    int halves = 0;
    for (int i = 0; i < 4000; ++i) {
        const Path path = choice.choose(kLongBytes);
        choice.report(path, kLongBytes, path == Path::halves ? 1300 : path == Path::pull ? 1000 : 2500);
        halves += path == Path::halves ? 1 : 0;
    }
    EXPECT_LE(halves, 9 * PathChoice::kTrial);
    EXPECT_GE(halves, 2 * PathChoice::kTrial);
}

TEST(PathChoice, WhatIsCopiedWhileTheRingIsInUseTellsNothing) {
    PathChoice choice;
    const auto take = [&](Path expected, std::uint64_t ns) {
        for (int i = 0; i < PathChoice::kFirst; ++i) {
            ASSERT_EQ(choice.choose(kLongBytes), expected);
            choice.report(expected, kLongBytes, ns);
        }
    };
    take(Path::pull, 1900);
    take(Path::ring, 1500);
    take(Path::halves, 1000);
    for (Path path; (path = choice.choose(kLongBytes)) != Path::ring;)
        choice.report(path, kLongBytes, path == Path::halves ? 1000 : 1900);
    for (int i = 0; i < 100; ++i) choice.report(Path::halves, kLongBytes, 5000);
    choice.report(Path::ring, kLongBytes, 1500);
    while (choice.choose(kLongBytes) == Path::ring) choice.report(Path::ring, kLongBytes, 1500);
    EXPECT_EQ(choice.choose(kLongBytes), Path::halves) << "as cheap as before";
}

/// Takes 64 messages before any of those that go through the ring is there; returns how many do.
int take_window(PathChoice& choice, std::uint64_t bytes, std::uint64_t ring_ns, std::uint64_t pull_ns) {
    int ring = 0;
    for (int i = 0; i < 64; ++i) {
        const Path path = choice.choose(bytes);
        if (path == Path::ring)
            ++ring;
        else
            choice.report(path, bytes, pull_ns);
    }
    for (int i = 0; i < ring; ++i) choice.report(Path::ring, bytes, ring_ns);
    return ring;
}

TEST(PathChoice, AWindowThatComesAtOnceShowsTheRingWithoutCopies) {
    PathChoice choice;
    EXPECT_EQ(take_window(choice, kBytes, 500, 1000), 64 - PathChoice::kFirst);
    int ring = 0;
    for (int i = 0; i < 100; ++i) ring += take_window(choice, kBytes, 500, 1000);
    EXPECT_GE(ring, 90 * 64) << "a trial of copies takes what is left of its window";
}

/// Takes 64 messages that are offered at once: copies first, 1000 ns each, then those in the ring, which take
/// another time when all of them do. Returns how many there are.
int take_offers(PathChoice& choice, std::uint64_t& now, std::uint64_t some_ns, std::uint64_t all_ns) {
    int in_ring = 0;
    const std::uint64_t answered = now;
    for (int i = 0; i < 64; ++i) {
        const Path path = choice.choose(kLongBytes);
        in_ring += path == Path::ring ? 1 : 0;
        if (path == Path::ring) continue;
        choice.report(path, kLongBytes, now, now + 1000);
        now += 1000;
    }
    const std::uint64_t ring_ns = in_ring == 64 ? all_ns : some_ns;
    for (int i = 0; i < in_ring; ++i, now += ring_ns)
        choice.report(Path::ring, kLongBytes, answered, now + ring_ns);
    return in_ring;
}

TEST(PathChoice, WhatTheRingWaitsWhileOthersAreCopiedIsNotItsTime) {
    PathChoice choice;
    std::uint64_t now = 0;
    int last_window = 0;
    for (int window = 0; window < 40; ++window) last_window = take_offers(choice, now, 500, 500);
    EXPECT_EQ(last_window, 64);
}

TEST(PathChoice, ARingThatLooksCheapBesideCopiesIsMeasuredWithoutThem) {
    PathChoice choice;
    std::uint64_t now = 0;
    int windows = 0;
    int in_ring = 0;
    for (int window = 0; window < 400; ++window) {
        // Beside copies most of a message has come before its time begins.
        const int taken = take_offers(choice, now, 500, 1500);
        windows += taken == 64 ? 1 : 0;
        in_ring += taken;
    }
    EXPECT_GE(windows, 1);
    EXPECT_LE(in_ring, 400 * 64 / 20);
}

TEST(PathChoice, SlowMessagesAtTheBeginningOfEachWindowDoNotTurnTheVerdict) {
    PathChoice choice;
    int pulls = 0;
    for (int i = 0; i < 6400; ++i) {
        const Path path = choice.choose(kLongBytes);
        const std::uint64_t halves_ns = i % 64 < 4 ? 4000 : 1000;
        choice.report(path, kLongBytes, path == Path::halves ? halves_ns : path == Path::pull ? 1500 : 2500);
        pulls += path == Path::pull ? 1 : 0;
    }
    EXPECT_LE(pulls, 150);
}

TEST(PathChoice, WhereHalvesAreTheRivalItTakesTheRingForATrialOnly) {
    PathChoice choice;
    EXPECT_EQ(take_window(choice, kLongBytes, 4000, 1000), PathChoice::kFirst);
    EXPECT_EQ(take_window(choice, kLongBytes, 4000, 1000), 0);
}

TEST(PathChoice, TriesTheWorsePathLessAndLessOften) {
    PathChoice choice;
    const int early = run(choice, 1000, 2500, 1000);
    const int late = run(choice, 4000, 2500, 1000);
    EXPECT_LE(early, 5 * PathChoice::kTrial);
    EXPECT_LE(late, 4 * PathChoice::kTrial) << "a trial in " << PathChoice::kLongest;
    EXPECT_GE(late, 2 * PathChoice::kTrial);
}

TEST(PathChoice, TriesAHopelessPathHardlyEver) {
    PathChoice choice;
    run(choice, 1000, 12000, 1000);
    EXPECT_LE(run(choice, 40000, 12000, 1000), 4 * PathChoice::kTrial);
}

TEST(PathChoice, FollowsAMachineThatChanges) {
    PathChoice choice;
    run(choice, 5000, 2500, 1000);
    EXPECT_GT(run(choice, 10000, 500, 1000), 5000) << "the ring became cheaper";
    EXPECT_LT(run(choice, 10000, 2500, 1000), 1000) << "and dear again: noticed at once, it is in use";
    run(choice, 5000, 12000, 1000);
    EXPECT_GT(run(choice, 40000, 500, 1000), 20000) << "after it was hopeless";
}

TEST(PathChoice, OneOutlierDoesNotTurnTheVerdict) {
    PathChoice choice;
    run(choice, 20, 2000, 1000);
    choice.report(Path::pull, kBytes, 1000000);
    EXPECT_EQ(choice.choose(kBytes), Path::pull);
}

TEST(PathChoice, AColdFirstTrialIsForgottenAtTheNext) {
    PathChoice choice;
    choice.report(choice.choose(kBytes), kBytes, 100000);  // the first pull touches cold pages
    EXPECT_LE(run(choice, 3 * PathChoice::kTrial, 4000, 1000), PathChoice::kTrial);
    EXPECT_LE(run(choice, 1000, 4000, 1000), 5 * PathChoice::kTrial);
}

TEST(PathChoice, SizeClassesLearnApart) {
    PathChoice choice;
    for (const std::uint64_t bytes : {std::uint64_t{9000}, std::uint64_t{1} << 20, std::uint64_t{1} << 40}) {
        for (int i = 0; i < PathChoice::kFirst; ++i) {
            EXPECT_EQ(choice.choose(bytes), Path::pull);
            choice.report(Path::pull, bytes, 1000);
        }
        EXPECT_EQ(choice.choose(bytes), Path::ring);
        choice.report(Path::ring, bytes, 2000);
    }
}

}  // namespace
}  // namespace rb2::pt2pt
