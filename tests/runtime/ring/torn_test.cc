// A reader never sees part of a message: not when the bytes of a write land in random order (field reports
// 8), not when the sender copies backwards or in random chunks (field report 7), not when old payload looks
// like a bell.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "runtime/ring/fake_channel.hpp"
#include "tests/runtime/ring/message.hpp"
#include "tests/runtime/ring/shm_pair.hpp"

namespace rb2::ring::test {
namespace {

constexpr int kAll = 1 << 20;

/// Expects whole messages in order, and counts them.
class Checker {
  public:
    explicit Checker(std::uint32_t limit) : limit_(limit) {}

    [[nodiscard]] std::uint32_t length(std::uint64_t number) const {
        return static_cast<std::uint32_t>(mixed(number) % (limit_ + 1));
    }
    Verdict operator()(const Record& record) {
        EXPECT_EQ(record.word, next_);
        EXPECT_EQ(record.kind, kind_of(next_));
        EXPECT_EQ(record.payload.size(), length(next_));
        EXPECT_TRUE(intact(next_, record.payload));
        ++next_;
        return Verdict::consumed;
    }
    [[nodiscard]] std::uint64_t received() const { return next_; }

  private:
    std::uint32_t limit_;
    std::uint64_t next_ = 0;
};

class RandomByteOrder : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomByteOrder, WriteTwiceShowsOnlyWholeMessages) {
    constexpr std::uint64_t messages = 400;
    FakePair pair({.slots = 16, .alpha = 4, .beta = 2, .gamma = 4},
                  {.seed = GetParam(), .manual = true, .shuffle_bytes = true});
    std::mt19937_64 dice(GetParam());
    Checker checker(pair.a().sender().max_length());
    for (std::uint64_t sent = 0; checker.received() < messages;) {
        if (sent < messages && send(pair.a().sender(), sent, checker.length(sent))) ++sent;
        if (dice() % 4 == 0) {
            ASSERT_EQ(pair.a().sender().flush(), Status::ok);
        }
        if (dice() % 4 == 0) {
            ASSERT_EQ(pair.a().sender().poll(), Status::ok);
        }
        for (std::uint64_t steps = dice() % 40; steps > 0; --steps) {
            pair.link().step();
            ASSERT_GE(pair.b().receiver().drain(kAll, checker), 0)
                << "looked at after every piece that lands";
        }
    }
    EXPECT_TRUE(pair.b().receiver().empty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomByteOrder, testing::Range<std::uint64_t>(1, 9));

/// A copy that keeps to no order, and lets the reader look after every byte or chunk.
template <class Look>
void copy_backwards(std::byte* to, const std::vector<std::byte>& from, const Look& look) {
    for (std::size_t at = from.size(); at-- > 0;) {
        to[at] = from[at];
        look();
    }
}

template <class Look>
void copy_in_random_chunks(std::byte* to, const std::vector<std::byte>& from, std::mt19937_64& dice,
                           const Look& look) {
    std::vector<std::size_t> starts;
    for (std::size_t at = 0; at < from.size(); at += 7) starts.push_back(at);
    std::ranges::shuffle(starts, dice);
    for (const std::size_t at : starts) {
        std::memcpy(to + at, from.data() + at, std::min<std::size_t>(7, from.size() - at));
        look();
    }
}

class AnyCopyOrder : public testing::TestWithParam<bool> {};

TEST_P(AnyCopyOrder, InPlaceShowsOnlyWholeMessages) {
    ShmPair pair({.slots = 16, .gamma = 4});
    std::mt19937_64 dice(1);
    Checker checker(pair.a().sender().max_length());
    const auto look = [&] { ASSERT_GE(pair.b().receiver().drain(kAll, checker), 0); };
    for (std::uint64_t number = 0; number < 500; ++number) {
        const std::uint32_t length = checker.length(number);
        std::vector<std::byte> message(length);
        fill(number, message);
        Claim claim = pair.a().sender().try_claim(length);
        ASSERT_TRUE(claim);
        if (GetParam()) {
            copy_backwards(claim.payload, message, look);
        } else {
            copy_in_random_chunks(claim.payload, message, dice, look);
        }
        ASSERT_EQ(checker.received(), number) << "nothing shows before the commit";
        ASSERT_EQ(pair.a().sender().commit(claim, kind_of(number), number, length), Status::ok);
        look();
        ASSERT_EQ(checker.received(), number + 1);
    }
}

INSTANTIATE_TEST_SUITE_P(Orders, AnyCopyOrder, testing::Bool());

/// Fills a claim so that every aligned word that may become a record's mark is the bell of the position it
/// would have, `laps` laps from now.
void imitate_bells(Claim& claim, std::uint64_t position, std::uint64_t slots, std::uint64_t laps) {
    for (std::uint32_t at = kLinePayloadBytes; at + 8 <= claim.length; at += kLineBytes) {
        const std::uint64_t slot = position + (at + sizeof(RecordHeader)) / kLineBytes;
        const std::uint64_t mark = Mark::pack(slot + laps * slots, 8, 1);
        std::memcpy(claim.payload + at, &mark, sizeof mark);
    }
}

enum class Fate { committed, shortened, aborted };

class OldPayload : public testing::TestWithParam<std::tuple<std::uint64_t, Fate>> {};

TEST_P(OldPayload, ThatLooksLikeABellIsNeverTakenForOne) {
    const auto [laps, fate] = GetParam();
    constexpr std::uint64_t slots = 16;
    ShmPair pair({.slots = slots, .gamma = 1});
    auto& sender = pair.a().sender();
    std::mt19937_64 dice(3);
    std::uint64_t committed = 0;
    std::uint64_t received = 0;
    for (int round = 0; round < 4000; ++round) {
        const auto length = static_cast<std::uint32_t>(dice() % (sender.max_length() + 1));
        if (Claim claim = sender.try_claim(length); claim) {
            imitate_bells(claim, sender.tail(), slots, laps);
            const std::uint32_t kept = fate == Fate::shortened ? length / 3 : length;
            if (fate == Fate::aborted && dice() % 2 == 0) {
                sender.abort(claim);
            } else {
                ASSERT_EQ(sender.commit(claim, 1, committed++, kept), Status::ok);
            }
        }
        const int budget = static_cast<int>(dice() % 3);
        const int count = pair.b().receiver().drain(budget, [&](const Record& record) {
            EXPECT_EQ(record.word, received++);
            return Verdict::consumed;
        });
        ASSERT_GE(count, 0);
        ASSERT_LE(received, committed);
    }
    EXPECT_GE(pair.b().receiver().drain(kAll, [&](const Record&) { return ++received, Verdict::consumed; }),
              0);
    EXPECT_EQ(received, committed);
    EXPECT_GT(committed, 1000U);
}

INSTANTIATE_TEST_SUITE_P(LapsAhead, OldPayload,
                         testing::Combine(testing::Values(0, 1, 2, 3),
                                          testing::Values(Fate::committed, Fate::shortened, Fate::aborted)));

}  // namespace
}  // namespace rb2::ring::test
