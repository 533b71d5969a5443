// The matcher against two plain lists searched from their oldest entry: every short sequence of operations
// over a small alphabet, and long random ones over many mixes of keys, wildcards, cancels and probes.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "pt2pt/matching/matcher.hpp"

namespace rb2::matching {
namespace {

/// MPI's rule, written without the code under test.
bool may_take(const Envelope& pattern, const Envelope& message) {
    return pattern.context() == message.context() &&
           (pattern.source == -1 || pattern.source == message.source) &&
           (pattern.tag() == -2 || pattern.tag() == message.tag());
}

/// Drives a matcher and the two lists side by side and compares each result.
class Model {
  public:
    Model() = default;
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;
    ~Model() {
        while (!posted_.empty()) cancel(0);
        while (!unexpected_.empty()) drop(0);
        EXPECT_EQ(matcher_.posted_count() + matcher_.unexpected_count(), 0U);
    }

    /// A message arrives: taken by the oldest receive, else kept.
    void arrive(const Envelope& message) {
        const auto expected = std::find_if(posted_.begin(), posted_.end(), [&](const auto& entry) {
            return may_take(entry->envelope, message);
        });
        const PostedEntry* const taken = matcher_.match_arrival(message);
        ASSERT_EQ(taken, expected == posted_.end() ? nullptr : expected->get());
        if (taken == nullptr) return keep(message);
        ASSERT_FALSE(taken->queued());
        posted_.erase(expected);
    }

    /// A receive is made: takes the oldest message, else waits.
    void receive(const Envelope& pattern) {
        const auto expected = oldest_unexpected(pattern);
        const UnexpectedEntry* const taken = matcher_.match_posted(pattern);
        ASSERT_EQ(taken, expected == unexpected_.end() ? nullptr : expected->get());
        if (taken == nullptr) return post(pattern);
        ASSERT_FALSE(taken->queued());
        unexpected_.erase(expected);
    }

    void probe(const Envelope& pattern) {
        const auto expected = oldest_unexpected(pattern);
        ASSERT_EQ(matcher_.find_unexpected(pattern),
                  expected == unexpected_.end() ? nullptr : expected->get());
    }

    void matched_probe(const Envelope& pattern) {
        const auto expected = oldest_unexpected(pattern);
        UnexpectedEntry* const found = matcher_.find_unexpected(pattern);
        ASSERT_EQ(found, expected == unexpected_.end() ? nullptr : expected->get());
        if (found == nullptr) return;
        matcher_.remove(*found);
        unexpected_.erase(expected);
    }

    /// Messages of a stream arrive, at most so many.
    void take_stream(std::size_t most) {
        const bool one_pattern = !posted_.empty() && std::ranges::all_of(posted_, [&](const auto& entry) {
            return entry->envelope == posted_[0]->envelope;
        });
        if (matcher_.stream_count() == 0) return;
        ASSERT_TRUE(one_pattern);
        ASSERT_EQ(matcher_.stream_count(), posted_.size());
        std::vector<const PostedEntry*> taken;
        const std::size_t count = matcher_.take_stream([&](const PostedEntry& entry) {
            if (taken.size() == most) return false;
            taken.push_back(&entry);
            return true;
        });
        ASSERT_EQ(count, std::min(most, posted_.size()));
        ASSERT_TRUE(std::equal(taken.begin(), taken.end(), posted_.begin(),
                               [](const auto* got, const auto& wanted) { return got == wanted.get(); }));
        for (const PostedEntry* entry : taken) ASSERT_FALSE(entry->queued());
        posted_.erase(posted_.begin(), posted_.begin() + static_cast<std::ptrdiff_t>(count));
    }

    /// Without asking for a partner first: both queues may then hold entries that match each other.
    void post(const Envelope& pattern) {
        const bool at_once = matcher_.takes_at_once(pattern);
        const bool may = unexpected_.empty() && std::ranges::all_of(posted_, [&](const auto& entry) {
                             return entry->envelope == pattern;
                         });
        ASSERT_TRUE(may || !at_once);
        PostedEntry& entry = *posted_.emplace_back(std::make_unique<PostedEntry>(pattern));
        if (at_once)
            matcher_.post_at_once(entry);
        else
            matcher_.post(entry);
    }
    void keep(const Envelope& message) {
        matcher_.add_unexpected(*unexpected_.emplace_back(std::make_unique<UnexpectedEntry>(message)));
    }

    void cancel(std::size_t at) {
        matcher_.remove(*posted_[at]);
        posted_.erase(posted_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    void drop(std::size_t at) {
        matcher_.remove(*unexpected_[at]);
        unexpected_.erase(unexpected_.begin() + static_cast<std::ptrdiff_t>(at));
    }

    std::size_t posted_count() const { return posted_.size(); }
    std::size_t unexpected_count() const { return unexpected_.size(); }

    void check_counts() const {
        ASSERT_EQ(matcher_.posted_count(), posted_.size());
        ASSERT_EQ(matcher_.unexpected_count(), unexpected_.size());
    }

    /// Order of both queues, and for each source whether a receive may still take something from it.
    void check_contents(std::int32_t sources) const {
        std::vector<const PostedEntry*> posted;
        matcher_.for_each_posted([&](const PostedEntry& entry) { posted.push_back(&entry); });
        ASSERT_TRUE(
            std::ranges::equal(posted, posted_, {}, {}, [](const auto& entry) { return entry.get(); }));
        std::vector<const UnexpectedEntry*> kept;
        matcher_.for_each_unexpected([&](const UnexpectedEntry& entry) { kept.push_back(&entry); });
        ASSERT_TRUE(
            std::ranges::equal(kept, unexpected_, {}, {}, [](const auto& entry) { return entry.get(); }));
        for (std::int32_t source = 0; source <= sources; ++source) {
            const bool expected = std::ranges::any_of(posted_, [&](const auto& entry) {
                return entry->envelope.source == -1 || entry->envelope.source == source;
            });
            ASSERT_EQ(matcher_.could_match_from(source), expected) << "source " << source;
        }
    }

  private:
    std::vector<std::unique_ptr<UnexpectedEntry>>::iterator oldest_unexpected(const Envelope& pattern) {
        return std::find_if(unexpected_.begin(), unexpected_.end(),
                            [&](const auto& entry) { return may_take(pattern, entry->envelope); });
    }

    Matcher matcher_;
    std::vector<std::unique_ptr<PostedEntry>> posted_;          // oldest first
    std::vector<std::unique_ptr<UnexpectedEntry>> unexpected_;  // oldest first
};

// Two sources, two tags: 4 possible messages and 9 possible receives make 13 operations; all 13^5 sequences.
TEST(MatcherModel, EverySequenceOfFiveOperations) {
    constexpr int operations = 13;
    constexpr int length = 5;
    const auto apply = [](Model& model, int operation) {
        if (operation < 4) return model.arrive({3, operation % 2, operation / 2});
        const int pattern = operation - 4;
        model.receive({3, pattern % 3 - 1, pattern / 3 == 2 ? kAnyTag : pattern / 3});
    };
    int sequences = 1;
    for (int i = 0; i < length; ++i) sequences *= operations;
    for (int sequence = 0; sequence < sequences; ++sequence) {
        Model model;
        for (int rest = sequence, i = 0; i < length; ++i, rest /= operations) apply(model, rest % operations);
        model.check_counts();
        if (HasFatalFailure()) FAIL() << "sequence " << sequence << " in base 13, least digit first";
    }
}

/// How a random run draws its keys and operations.
struct Mix {
    int contexts, sources, tags;
    int any_source_percent, any_tag_percent;
    int receive_weight, arrive_weight, other_weight;  // other: post, keep, probe, matched probe, cancel, drop
};

class RandomRun {
  public:
    RandomRun(const Mix& mix, unsigned seed) : mix_(mix), random_(seed) {}

    void run(int operations) {
        for (int i = 0; i < operations; ++i) {
            step();
            model_.check_counts();
            if (testing::Test::HasFatalFailure()) return;
        }
        model_.check_contents(mix_.sources);
    }

  private:
    int draw(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

    Envelope message() {
        // Factor 1009: tags and sources need not be dense.
        return {static_cast<std::uint32_t>(draw(mix_.contexts)), draw(mix_.sources), 1009 * draw(mix_.tags)};
    }
    Envelope pattern() {
        Envelope envelope = message();
        if (draw(100) < mix_.any_source_percent) envelope.source = kAnySource;
        if (draw(100) < mix_.any_tag_percent) envelope.set_tag(kAnyTag);
        return envelope;
    }

    void step() {
        const int choice = draw(mix_.receive_weight + mix_.arrive_weight + mix_.other_weight);
        if (choice < mix_.receive_weight) return model_.receive(pattern());
        if (choice < mix_.receive_weight + mix_.arrive_weight) return model_.arrive(message());
        switch (draw(7)) {
            case 0:
                return model_.post(pattern());
            case 1:
                return model_.keep(message());
            case 2:
                return model_.probe(pattern());
            case 3:
                return model_.matched_probe(pattern());
            case 4:
                return model_.take_stream(static_cast<std::size_t>(draw(6)));
            case 5:
                if (model_.posted_count() > 0)
                    model_.cancel(static_cast<std::size_t>(draw(int(model_.posted_count()))));
                return;
            default:
                if (model_.unexpected_count() > 0)
                    model_.drop(static_cast<std::size_t>(draw(int(model_.unexpected_count()))));
        }
    }

    Mix mix_;
    std::mt19937 random_;
    Model model_;
};

class MatcherRandom : public testing::TestWithParam<Mix> {};

TEST_P(MatcherRandom, AgreesWithLists) {
    for (unsigned seed = 0; seed < 500; ++seed) {
        RandomRun(GetParam(), seed).run(400);
        if (HasFatalFailure()) FAIL() << "seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Mixes, MatcherRandom,
                         testing::Values(Mix{1, 1, 1, 0, 0, 1, 1, 1},      // one key
                                         Mix{1, 2, 2, 30, 30, 2, 2, 1},    // few keys, all classes
                                         Mix{2, 3, 3, 30, 30, 6, 2, 1},    // posted queue grows
                                         Mix{2, 3, 3, 30, 30, 2, 6, 1},    // unexpected queue grows
                                         Mix{1, 4, 50, 50, 0, 2, 4, 1},    // any source only
                                         Mix{1, 50, 4, 0, 50, 2, 4, 1},    // any tag only
                                         Mix{3, 4, 4, 100, 100, 3, 4, 1},  // nothing but (any, any)
                                         Mix{4, 300, 300, 5, 5, 4, 1, 1},  // posted table grows
                                         Mix{4, 300, 300, 5, 5, 1, 4, 1},  // unexpected table grows
                                         Mix{1, 8, 8, 10, 10, 1, 1, 6}));  // mostly cancels, probes, drops

}  // namespace
}  // namespace rb2::matching
