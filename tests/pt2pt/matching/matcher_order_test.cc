// Rules of order, one by one, and the counters.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "pt2pt/matching/matcher.hpp"

namespace rb2::matching {
namespace {

using testing::ElementsAre;

constexpr Envelope kMessage{1, 4, 9};
constexpr Envelope kAnySourceReceive{1, kAnySource, 9};
constexpr Envelope kAnyTagReceive{1, 4, kAnyTag};
constexpr Envelope kAnyBothReceive{1, kAnySource, kAnyTag};

TEST(MatcherOrder, ReceivesOfOnePatternMatchInPostingOrder) {
    for (const Envelope& pattern : {kMessage, kAnySourceReceive, kAnyTagReceive, kAnyBothReceive}) {
        Matcher matcher;
        PostedEntry first(pattern);
        PostedEntry second(pattern);
        PostedEntry third(pattern);
        for (PostedEntry* entry : {&first, &second, &third}) matcher.post(*entry);
        for (PostedEntry* entry : {&first, &second, &third})
            EXPECT_EQ(matcher.match_arrival(kMessage), entry);
        EXPECT_EQ(matcher.match_arrival(kMessage), nullptr);
    }
}

TEST(MatcherOrder, ReceivesKeepTheirOrderWhenAnotherPatternComesBetween) {
    for (const Envelope& other : {kAnySourceReceive, kAnyTagReceive, kAnyBothReceive}) {
        Matcher matcher;
        PostedEntry first(kMessage);
        PostedEntry cancelled(kMessage);
        PostedEntry second(kMessage);
        PostedEntry third(other);
        PostedEntry fourth(kMessage);
        for (PostedEntry* entry : {&first, &cancelled, &second, &third, &fourth}) matcher.post(*entry);
        matcher.remove(cancelled);
        for (PostedEntry* entry : {&first, &second, &third, &fourth})
            EXPECT_EQ(matcher.match_arrival(kMessage), entry);
        EXPECT_EQ(matcher.posted_count(), 0U);
    }
}

TEST(MatcherOrder, OldestReceiveWinsWhateverItsWildcards) {
    std::vector<Envelope> patterns = {kMessage, kAnySourceReceive, kAnyTagReceive, kAnyBothReceive};
    std::vector<std::size_t> permutation = {0, 1, 2, 3};
    do {
        Matcher matcher;
        std::deque<PostedEntry> entries;
        for (const std::size_t at : permutation) matcher.post(entries.emplace_back(patterns[at]));
        for (PostedEntry& entry : entries) EXPECT_EQ(matcher.match_arrival(kMessage), &entry);
    } while (std::next_permutation(permutation.begin(), permutation.end()));
}

TEST(MatcherOrder, OldestMessageWinsForEachWildcard) {
    for (const Envelope& pattern : {kMessage, kAnySourceReceive, kAnyTagReceive, kAnyBothReceive}) {
        Matcher matcher;
        UnexpectedEntry first(kMessage);
        UnexpectedEntry second(kMessage);
        matcher.add_unexpected(first);
        matcher.add_unexpected(second);
        EXPECT_EQ(matcher.find_unexpected(pattern), &first);
        EXPECT_EQ(matcher.match_posted(pattern), &first);
        EXPECT_EQ(matcher.match_posted(pattern), &second);
        EXPECT_EQ(matcher.match_posted(pattern), nullptr);
    }
}

TEST(MatcherOrder, WildcardReceiveTakesMessagesFromManySourcesInArrivalOrder) {
    Matcher matcher;
    std::deque<UnexpectedEntry> messages;
    for (std::int32_t i = 0; i < 200; ++i) {
        matcher.add_unexpected(messages.emplace_back(Envelope{1, (i * 7) % 200, 9}));
        if (i < 50) continue;  // the index is built half way
        EXPECT_EQ(matcher.find_unexpected(kAnySourceReceive), &messages[0]);
    }
    for (UnexpectedEntry& message : messages) EXPECT_EQ(matcher.match_posted(kAnySourceReceive), &message);
}

TEST(MatcherOrder, ContextsSourcesAndTagsAreKeptApart) {
    Matcher matcher;
    PostedEntry posted(kMessage);
    PostedEntry any(kAnyBothReceive);
    matcher.post(posted);
    matcher.post(any);
    EXPECT_EQ(matcher.match_arrival({2, 4, 9}), nullptr);
    EXPECT_EQ(matcher.match_arrival({1, 5, 9}), &any);
    EXPECT_EQ(matcher.match_arrival({1, 4, 8}), nullptr);
    EXPECT_EQ(matcher.match_arrival(kMessage), &posted);
}

TEST(MatcherOrder, ExtremeValuesAreOrdinaryTags) {
    constexpr std::int32_t most = 0x7FFFFFFF;
    Matcher matcher;
    for (const std::int32_t tag : {most, 0, -1, -3, -most - 1}) {
        const Envelope message{0xFFFFFFFFU, 0, tag};
        PostedEntry entry(message);
        matcher.post(entry);
        EXPECT_EQ(matcher.match_arrival({0xFFFFFFFFU, 0, 77}), nullptr);
        EXPECT_EQ(matcher.match_arrival(message), &entry) << "tag " << tag;
    }
}

TEST(MatcherOrder, CancelledReceiveIsNeverMatchedAndMayBePostedAgain) {
    Matcher matcher;
    PostedEntry first(kMessage);
    PostedEntry middle(kAnyTagReceive);
    PostedEntry last(kMessage);
    for (PostedEntry* entry : {&first, &middle, &last}) matcher.post(*entry);
    matcher.remove(first);
    EXPECT_FALSE(first.queued());
    matcher.post(first);
    EXPECT_TRUE(first.queued());
    EXPECT_EQ(matcher.match_arrival(kMessage), &middle);
    EXPECT_EQ(matcher.match_arrival(kMessage), &last);
    EXPECT_EQ(matcher.match_arrival(kMessage), &first);
}

TEST(MatcherOrder, AStreamsReceivesArePostedAndTakenInFewSteps) {
    Matcher matcher;
    PostedEntry entries[3] = {PostedEntry(kMessage), PostedEntry(kMessage), PostedEntry(kMessage)};
    for (PostedEntry& entry : entries) {
        ASSERT_TRUE(matcher.takes_at_once(kMessage));
        matcher.post_at_once(entry);
    }
    EXPECT_FALSE(matcher.takes_at_once(kAnyTagReceive)) << "another pattern";
    EXPECT_EQ(matcher.stream_count(), 3U);
    const auto all_but_the_last = [&](const PostedEntry& entry) { return &entry != &entries[2]; };
    EXPECT_EQ(matcher.take_stream(all_but_the_last), 2U);
    EXPECT_EQ(matcher.stream_count(), 1U);
    EXPECT_EQ(&matcher.stream_front(), &entries[2]);
    EXPECT_EQ(matcher.take_stream([](const PostedEntry&) { return true; }), 1U);
    EXPECT_EQ(matcher.posted_count(), 0U);
    EXPECT_EQ(matcher.statistics().matched_posted, 3U);

    UnexpectedEntry kept(kMessage);
    matcher.add_unexpected(kept);
    EXPECT_FALSE(matcher.takes_at_once(kMessage)) << "a message may be there already";
    matcher.remove(kept);
}

TEST(MatcherCounters, AttemptsMatchesAndLongestQueues) {
    Matcher matcher;
    PostedEntry posted[2] = {PostedEntry(kMessage), PostedEntry(kAnyBothReceive)};
    UnexpectedEntry kept(kMessage);
    EXPECT_EQ(matcher.match_arrival(kMessage), nullptr);
    matcher.add_unexpected(kept);
    EXPECT_EQ(matcher.match_posted(kAnyTagReceive), &kept);
    for (PostedEntry& entry : posted) matcher.post(entry);
    EXPECT_EQ(matcher.posted_count(), 2U);
    EXPECT_EQ(matcher.match_arrival(kMessage), &posted[0]);
    EXPECT_EQ(matcher.posted_count(), 1U);
    matcher.remove(posted[1]);

    const MatchStatistics statistics = matcher.statistics();
    EXPECT_EQ(statistics.match_attempts, 3U);
    EXPECT_EQ(statistics.matched_posted, 1U);
    EXPECT_EQ(statistics.matched_unexpected, 1U);
    EXPECT_EQ(statistics.longest_posted, 2U);
    EXPECT_EQ(statistics.longest_unexpected, 1U);
    EXPECT_GT(statistics.steps, 0U);
}

TEST(MatcherCounters, CouldMatchFromFollowsEachClass) {
    Matcher matcher;
    EXPECT_FALSE(matcher.could_match_from(4));
    for (const Envelope& pattern : {kMessage, kAnyTagReceive}) {
        PostedEntry entry(pattern);
        matcher.post(entry);
        EXPECT_TRUE(matcher.could_match_from(4));
        EXPECT_FALSE(matcher.could_match_from(3));
        EXPECT_FALSE(matcher.could_match_from(1'000'000));
        matcher.remove(entry);
        EXPECT_FALSE(matcher.could_match_from(4));
    }
    for (const Envelope& pattern : {kAnySourceReceive, kAnyBothReceive}) {
        PostedEntry entry(pattern);
        matcher.post(entry);
        EXPECT_TRUE(matcher.could_match_from(0));
        EXPECT_TRUE(matcher.could_match_from(1'000'000));
        EXPECT_EQ(matcher.match_arrival(kMessage), &entry);
        EXPECT_FALSE(matcher.could_match_from(0));
    }
}

TEST(MatcherReport, EntriesAreShownInOrderAndMayBeRemovedMeanwhile) {
    Matcher matcher;
    std::deque<PostedEntry> posted;
    std::deque<UnexpectedEntry> kept;
    for (const std::int32_t tag : {5, 3, 4}) {
        matcher.post(posted.emplace_back(Envelope{1, 0, tag}));
        matcher.add_unexpected(kept.emplace_back(Envelope{2, 0, tag}));
    }
    std::vector<std::int32_t> posted_tags;
    std::vector<std::int32_t> kept_tags;
    matcher.for_each_posted([&](PostedEntry& entry) {
        posted_tags.push_back(entry.envelope.tag());
        matcher.remove(entry);
    });
    matcher.for_each_unexpected([&](UnexpectedEntry& entry) {
        kept_tags.push_back(entry.envelope.tag());
        matcher.remove(entry);
    });
    EXPECT_THAT(posted_tags, ElementsAre(5, 3, 4));
    EXPECT_THAT(kept_tags, ElementsAre(5, 3, 4));
    EXPECT_EQ(matcher.posted_count() + matcher.unexpected_count(), 0U);
}

#ifndef NDEBUG
TEST(MatcherDeathTest, DestroyingWithQueuedEntriesIsCaught) {
    EXPECT_DEATH(
        {
            PostedEntry entry(kMessage);
            Matcher().post(entry);
        },
        "posted receives must be matched");
    EXPECT_DEATH(
        {
            UnexpectedEntry entry(kMessage);
            Matcher().add_unexpected(entry);
        },
        "unexpected messages must be taken");
}
#endif

}  // namespace
}  // namespace rb2::matching
