// The cost of matching does not grow with what is pending. Measured in hash slots looked at, never in time,
// and with growth of the tables included.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "pt2pt/matching/matcher.hpp"

namespace rb2::matching {
namespace {

constexpr std::int32_t kPending = 100'000;
// At most half of the slots are taken: 2.5 looks for an absent key, 1.5 for a present one, moves when a key
// goes.
constexpr double kStepsPerLookup = 4.0;

/// Message number i of a family; all different unless the family says otherwise.
struct Family {
    std::string name;
    std::function<Envelope(std::int32_t)> message;
};

std::vector<Family> families() {
    return {
        {"same_key",
         [](std::int32_t) {
             return Envelope{0, 3, 3};
         }},
        {"tags_in_sequence",
         [](std::int32_t i) {
             return Envelope{0, 3, i};
         }},
        {"sources_in_sequence",
         [](std::int32_t i) {
             return Envelope{0, i, 3};
         }},
        {"contexts_in_sequence",
         [](std::int32_t i) {
             return Envelope{static_cast<std::uint32_t>(i), 3, 3};
         }},
        {"grid",
         [](std::int32_t i) {
             return Envelope{0, i % 316, i / 316};
         }},
        {"diagonal",
         [](std::int32_t i) {
             return Envelope{0, i, i};
         }},
        {"antidiagonal",
         [](std::int32_t i) {
             return Envelope{0, i, kPending - i};
         }},
        {"tags_in_high_bits",
         [](std::int32_t i) {
             return Envelope{0, i % 8, (i / 8) << 16};
         }},
        {"sources_in_steps_of_64",
         [](std::int32_t i) {
             return Envelope{0, 64 * (i / 100), i % 100};
         }},
    };
}

/// Runs `operation(i)` for all i and returns the steps each took on average.
template <class Operation>
double steps_each(const Matcher& matcher, const std::vector<std::int32_t>& order, Operation&& operation) {
    const std::uint64_t before = matcher.statistics().steps;
    for (const std::int32_t i : order) operation(i);
    return static_cast<double>(matcher.statistics().steps - before) / static_cast<double>(order.size());
}

std::vector<std::int32_t> shuffled() {
    std::vector<std::int32_t> order(kPending);
    for (std::int32_t i = 0; i < kPending; ++i) order[static_cast<std::size_t>(i)] = i;
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    return order;
}

class MatcherFlat : public testing::TestWithParam<Family> {
  protected:
    Envelope message(std::int32_t i) const { return GetParam().message(i); }
    std::vector<std::int32_t> order_ = shuffled();
    Matcher matcher_;
};

TEST_P(MatcherFlat, PostedExactReceives) {
    std::deque<PostedEntry> entries;
    const double post = steps_each(matcher_, order_,
                                   [&](std::int32_t i) { matcher_.post(entries.emplace_back(message(i))); });
    const double match = steps_each(
        matcher_, order_, [&](std::int32_t i) { ASSERT_NE(matcher_.match_arrival(message(i)), nullptr); });
    EXPECT_LE(post, 2 * kStepsPerLookup);  // growth moves each key about once more
    EXPECT_LE(match, kStepsPerLookup);
}

TEST_P(MatcherFlat, PostedReceivesOfAllClassesMixed) {
    std::deque<PostedEntry> entries;
    for (const std::int32_t i : order_)
        matcher_.post(entries.emplace_back(pattern_of(message(i), static_cast<PatternClass>(i % 4))));
    std::int32_t matched = 0;
    const double match = steps_each(
        matcher_, order_, [&](std::int32_t i) { matched += matcher_.match_arrival(message(i)) != nullptr; });
    EXPECT_LE(match, 4 * kStepsPerLookup);
    EXPECT_GT(matched, kPending / 4);
    matcher_.for_each_posted([&](PostedEntry& entry) { matcher_.remove(entry); });
}

TEST_P(MatcherFlat, CancelFromTheMiddle) {
    std::deque<PostedEntry> entries;
    for (std::int32_t i = 0; i < kPending; ++i) matcher_.post(entries.emplace_back(message(i)));
    const double cancel = steps_each(
        matcher_, order_, [&](std::int32_t i) { matcher_.remove(entries[static_cast<std::size_t>(i)]); });
    EXPECT_LE(cancel, kStepsPerLookup);
}

TEST_P(MatcherFlat, UnexpectedTakenByEachClassInTurn) {
    std::deque<UnexpectedEntry> entries;
    for (std::int32_t i = 0; i < kPending; ++i) matcher_.add_unexpected(entries.emplace_back(message(i)));
    for (unsigned at = 1; at < kPatternClasses; ++at)  // builds the three indexes
        ASSERT_NE(matcher_.find_unexpected(pattern_of(message(0), static_cast<PatternClass>(at))), nullptr);
    const double take = steps_each(matcher_, order_, [&](std::int32_t i) {
        const Envelope pattern = pattern_of(message(i), static_cast<PatternClass>(i % 4));
        if (matcher_.match_posted(pattern) != nullptr)
            matcher_.add_unexpected(entries.emplace_back(message(i)));
    });
    EXPECT_LE(take, 9 * kStepsPerLookup);  // one to find; four indexes to leave and four to enter
    const double drop = steps_each(matcher_, order_, [&](std::int32_t i) {
        UnexpectedEntry& entry = entries[static_cast<std::size_t>(i)];
        if (entry.queued()) matcher_.remove(entry);
    });
    EXPECT_LE(drop, 4 * kStepsPerLookup);
    matcher_.for_each_unexpected([&](UnexpectedEntry& entry) { matcher_.remove(entry); });
}

// No single lookup is long either: the longest run of taken slots stays short, whatever the keys.
TEST_P(MatcherFlat, LongestSingleMatch) {
    std::deque<PostedEntry> entries;
    for (const std::int32_t i : order_) matcher_.post(entries.emplace_back(message(i)));
    std::uint64_t longest = 0;
    for (const std::int32_t i : order_) {
        const std::uint64_t before = matcher_.statistics().steps;
        ASSERT_NE(matcher_.match_arrival(message(i)), nullptr);
        longest = std::max(longest, matcher_.statistics().steps - before);
    }
    EXPECT_LE(longest, 100U);
}

INSTANTIATE_TEST_SUITE_P(Families, MatcherFlat, testing::ValuesIn(families()),
                         [](const auto& family) { return family.param.name; });

// A program that keeps posting and receiving new keys must not wear the table out.
TEST(MatcherChurn, CostStaysTheSameAfterAMillionKeys) {
    Matcher matcher;
    std::deque<PostedEntry> window(1000);
    std::int32_t next = 0;
    for (PostedEntry& entry : window) {
        entry.envelope = {0, 1, next++};
        matcher.post(entry);
    }
    const std::uint64_t before = matcher.statistics().steps;
    for (; next < 1'000'000; ++next) {
        PostedEntry* const entry = matcher.match_arrival({0, 1, next - 1000});
        ASSERT_NE(entry, nullptr);
        entry->envelope.set_tag(next);
        matcher.post(*entry);
    }
    EXPECT_LE(static_cast<double>(matcher.statistics().steps - before) / 1e6, 2 * kStepsPerLookup);
    for (PostedEntry& entry : window) matcher.remove(entry);
}

}  // namespace
}  // namespace rb2::matching
