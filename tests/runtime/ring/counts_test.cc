// Exact numbers of fabric operations, and Algorithm 1 step by step, on the counting fabric.

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "runtime/ring/fake_channel.hpp"
#include "tests/runtime/ring/message.hpp"

namespace rb2::ring::test {
namespace {

constexpr int kAll = 1 << 20;

/// Drains `budget` records; the numbers of those received.
template <class Channel>
std::vector<std::uint64_t> receive(Channel& channel, int budget = kAll) {
    std::vector<std::uint64_t> numbers;
    const int count = channel.receiver().drain(budget, [&](const Record& record) {
        EXPECT_TRUE(intact(record.word, record.payload));
        numbers.push_back(record.word);
        return Verdict::consumed;
    });
    EXPECT_EQ(count, static_cast<int>(numbers.size()));
    return numbers;
}

struct Thresholds {
    std::uint64_t alpha, beta, gamma;
};

class SteadyState : public testing::TestWithParam<Thresholds> {};

TEST_P(SteadyState, WritesPerMessageAreOneOverBetaPlusOneOverAlphaAndOneOverGamma) {
    constexpr std::uint64_t messages = 1280;
    const auto [alpha, beta, gamma] = GetParam();
    FakePair pair({.slots = 128, .alpha = alpha, .beta = beta, .gamma = gamma});
    pair.link().a().reset_counters();
    for (std::uint64_t number = 0; number < messages; ++number) {
        ASSERT_TRUE(send(pair.a().sender(), number, 48));
        receive(pair.b());
    }
    const std::uint64_t advances = messages / alpha;
    const std::uint64_t transmissions = messages / beta;
    const auto& sender = pair.link().a().counters();
    EXPECT_EQ(sender.writes, transmissions + advances);
    EXPECT_EQ(sender.write_bytes, messages * kLineBytes + advances * 8);
    EXPECT_EQ(sender.doorbells, transmissions) << "an advancement shares the doorbell of its transmission";
    EXPECT_EQ(sender.completions, advances - 1) << "each advancement polls the one before it";
    EXPECT_EQ(sender.reads + sender.atomics + sender.imms, 0U);
    const auto& receiver = pair.link().b().counters();
    EXPECT_EQ(receiver.writes, messages / gamma);
    EXPECT_EQ(receiver.write_bytes, messages / gamma * 8);
}

INSTANTIATE_TEST_SUITE_P(PaperDefaultsAndOthers, SteadyState,
                         testing::Values(Thresholds{32, 16, 32}, Thresholds{32, 8, 16},
                                         Thresholds{64, 16, 64}, Thresholds{16, 16, 1}, Thresholds{4, 1, 2}));

using FixedMix = Mix<head::LazyPush, tail::WriteTwice, batching::Fixed, placement::Mirrored>;
using AheadMix = Mix<head::LazyPush, tail::WriteTwice, batching::SyncAhead, placement::Mirrored>;
using UnbatchedMix = Mix<head::LazyPush, tail::WriteTwice, batching::None, placement::Mirrored>;

TEST(Batching, FixedWritesTwicePerBatchAndSignalsNothing) {
    FakePairOf<FixedMix> pair({.slots = 128, .alpha = 16, .beta = 16, .gamma = 32});
    for (std::uint64_t number = 0; number < 256; ++number) {
        ASSERT_TRUE(send(pair.a().sender(), number, 48));
        EXPECT_EQ(receive(pair.b()).size(), number % 16 == 15 ? 16U : 0U);
    }
    EXPECT_EQ(pair.link().a().counters().writes, 2U * 256 / 16);
    std::array<fabric::Completion, 4> none;
    EXPECT_EQ(pair.link().a().poll(none), 0U);
}

TEST(Batching, SyncAheadWritesAsAdaptiveDoesButWaitsForNoCompletion) {
    constexpr std::uint64_t messages = 1280;
    FakePairOf<AheadMix> pair({.slots = 128, .alpha = 32, .beta = 16, .gamma = 32},
                              {.hold_completions = true});
    for (std::uint64_t number = 0; number < messages; ++number) {
        ASSERT_TRUE(send(pair.a().sender(), number, 48));
        EXPECT_EQ(receive(pair.b()).size(), number % 32 == 31 ? 32U : 0U);
    }
    EXPECT_EQ(pair.link().a().counters().writes, messages / 16 + messages / 32);
    pair.link().a().release_completions();
    std::array<fabric::Completion, 4> none;
    EXPECT_EQ(pair.link().a().poll(none), 0U);
}

TEST(Batching, NoneWritesTwicePerMessage) {
    FakePairOf<UnbatchedMix> pair({.slots = 128});
    for (std::uint64_t number = 0; number < 256; ++number) {
        ASSERT_TRUE(send(pair.a().sender(), number, 48));
        EXPECT_EQ(receive(pair.b()), std::vector{number});
    }
    EXPECT_EQ(pair.link().a().counters().writes, 2U * 256);
    EXPECT_EQ(pair.link().a().counters().doorbells, 256U);
}

TEST(Flush, OneMessageCostsTwoWritesAndOneDoorbell) {
    FakePair pair({});
    ASSERT_TRUE(send(pair.a().sender(), 7, 48));
    EXPECT_TRUE(pair.b().receiver().empty());
    EXPECT_EQ(pair.link().a().counters().writes, 0U);
    EXPECT_EQ(pair.a().sender().flush(), Status::ok);
    EXPECT_EQ(pair.link().a().counters().writes, 2U);
    EXPECT_EQ(pair.link().a().counters().write_bytes, kLineBytes + 8);
    EXPECT_EQ(pair.link().a().counters().doorbells, 1U);
    EXPECT_EQ(receive(pair.b()), std::vector<std::uint64_t>{7});
    EXPECT_EQ(pair.a().sender().flush(), Status::ok);
    EXPECT_EQ(pair.link().a().counters().writes, 2U) << "nothing new: a flush is free";
}

TEST(Flush, WhoFlushesEveryCommitSignalsNothing) {
    constexpr std::uint64_t messages = 100;
    FakePairOf<mix::Rb2Flushed> pair({.slots = 128, .alpha = 32, .beta = 16, .gamma = 32});
    pair.link().a().reset_counters();
    for (std::uint64_t number = 0; number < messages; ++number) {
        Claim claim = pair.a().sender().try_claim(48);
        fill(number, {claim.payload, 48});
        ASSERT_EQ(pair.a().sender().commit_and_flush(claim, kind_of(number), number, 48), Status::ok);
        ASSERT_EQ(receive(pair.b()), std::vector{number});
        ASSERT_EQ(pair.a().sender().poll(), Status::ok);
    }
    EXPECT_EQ(pair.link().a().counters().writes, messages);
    EXPECT_EQ(pair.link().a().counters().imms, messages);
    EXPECT_EQ(pair.link().a().counters().completions, 0U);
}

TEST(Flush, ALapEndInsideTheBatchCostsOneMoreWrite) {
    FakePair pair({.slots = 128, .alpha = 64, .beta = 64, .gamma = 1});
    for (std::uint64_t number = 0; number < 127; ++number) {
        ASSERT_TRUE(send(pair.a().sender(), number, 48));
    }
    ASSERT_EQ(pair.a().sender().flush(), Status::ok);
    EXPECT_EQ(receive(pair.b()).size(), 127U);
    pair.link().a().reset_counters();
    ASSERT_TRUE(send(pair.a().sender(), 127, 48));
    ASSERT_TRUE(send(pair.a().sender(), 128, 48));
    ASSERT_EQ(pair.a().sender().flush(), Status::ok);
    EXPECT_EQ(pair.link().a().counters().writes, 3U);
    EXPECT_EQ(receive(pair.b()), (std::vector<std::uint64_t>{127, 128}));
}

/// Laps of 128 slots, two records of 43 slots in each, and an end of 42 slots, which is beyond every
/// threshold.
template <class M>
fabric::fake::Counters two_records_a_lap(std::uint64_t messages) {
    FakePairOf<M> pair({.slots = 128, .alpha = 32, .beta = 16, .gamma = 32});
    constexpr std::uint32_t length = 43 * kLineBytes - sizeof(RecordHeader);
    for (std::uint64_t number = 0; number < messages; ++number) {
        auto claim = pair.a().sender().try_claim(length);
        EXPECT_TRUE(claim);
        fill(number, {claim.payload, length});
        EXPECT_EQ(pair.a().sender().commit_and_flush(claim, kind_of(number), number, length), Status::ok);
        EXPECT_EQ(receive(pair.b()), std::vector{number});
    }
    return pair.link().a().counters();
}

TEST(Padding, OnlyItsMarkIsWrittenWithTheRecordBehindIt) {
    constexpr std::uint64_t messages = 301;
    constexpr std::uint64_t laps = (messages - 1) / 2;
    constexpr std::uint64_t record_bytes = 43 * kLineBytes;
    const auto twice = two_records_a_lap<mix::Rb2>(messages);
    EXPECT_EQ(twice.write_bytes, messages * (record_bytes + 8) + laps * 8);
    EXPECT_EQ(twice.writes, messages * 2 + laps);
    EXPECT_EQ(twice.doorbells, messages);
    const auto once = two_records_a_lap<mix::Rb2Immediate>(messages);
    EXPECT_EQ(once.write_bytes, messages * record_bytes + laps * 8);
    EXPECT_EQ(once.imms, messages) << "padding beyond the thresholds does not make the batch an old one";
    EXPECT_EQ(once.writes, messages + laps);
    EXPECT_EQ(once.doorbells, messages);
}

TEST(LastRecord, OnlyTheBytesThatItHasAreWritten) {
    FakePairOf<mix::Rb2Immediate> pair({});
    auto& sender = pair.a().sender();
    std::uint64_t number = 0;
    std::uint64_t bytes = 0;
    for (const std::uint32_t length : {0U, 8U, 47U, 48U, 49U, 800U}) {
        // A first record of 8 bytes leaves the rest of its slot to go with the last one.
        ASSERT_TRUE(send(sender, number, 8));
        ASSERT_TRUE(send(sender, number + 1, length));
        ASSERT_EQ(sender.flush(), Status::ok);
        EXPECT_EQ(receive(pair.b()), (std::vector{number, number + 1}));
        number += 2;
        bytes += kLineBytes + sizeof(RecordHeader) + length;
        EXPECT_EQ(pair.link().a().counters().write_bytes, bytes) << length;
    }
}

/// The words of a block as the peer sees them.
std::uint64_t word(std::span<std::byte> block, std::size_t offset) {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(block.data() + offset)).load();
}

TEST(PaperExample, Figure4StepByStep) {
    // rb2 paper, §IV-B, "Example": N = 8, alpha = 4, beta = 2, gamma = 2.
    FakePair pair({.slots = 8, .alpha = 4, .beta = 2, .gamma = 2});
    auto& sender = pair.a().sender();
    const auto writes = [&] { return pair.link().a().counters().writes; };
    const auto local_tail = [&] { return word(pair.block_b(), BlockLayout::kLocalTail); };
    const auto local_head = [&] { return word(pair.block_a(), BlockLayout::kLocalHead); };

    // Up to Fig. 4(a): four messages are visible, one of them read, a fifth is written but not sent.
    for (std::uint64_t number = 0; number < 4; ++number) ASSERT_TRUE(send(sender, number, 48));
    EXPECT_EQ(writes(), 3U) << "two transmissions and one advancement";
    EXPECT_EQ(receive(pair.b(), 1), std::vector<std::uint64_t>{0});
    ASSERT_TRUE(send(sender, 4, 48));
    EXPECT_EQ(writes(), 3U);
    EXPECT_EQ(local_tail(), 4U);
    EXPECT_EQ(local_head(), 0U);

    // 4(a) -> 4(b): one more message makes two slots, which are transmitted ahead of the tail.
    ASSERT_TRUE(send(sender, 5, 48));
    EXPECT_EQ(writes(), 4U);
    EXPECT_EQ(local_tail(), 4U);

    // 4(b) -> 4(c): of two messages read, the first triggers the lazy push, the second only advances the
    // head.
    EXPECT_EQ(receive(pair.b(), 1), std::vector<std::uint64_t>{1});
    EXPECT_EQ(local_head(), 2U);
    EXPECT_EQ(receive(pair.b(), 1), std::vector<std::uint64_t>{2});
    EXPECT_EQ(local_head(), 2U);
    EXPECT_EQ(pair.link().b().counters().writes, 1U);

    // 4(c) -> 4(d): two messages trigger the pointer advancement; local_tail moves by four.
    ASSERT_TRUE(send(sender, 6, 48));
    EXPECT_EQ(writes(), 4U);
    ASSERT_TRUE(send(sender, 7, 48));
    EXPECT_EQ(writes(), 6U);
    EXPECT_EQ(local_tail(), 8U);
    EXPECT_EQ(receive(pair.b()), (std::vector<std::uint64_t>{3, 4, 5, 6, 7}));
}

class Elastic : public testing::Test {
  protected:
    /// Eight messages; the completion of the first advancement is still on its way when the second is due.
    void SetUp() override {
        for (std::uint64_t number = 0; number < 8; ++number) ASSERT_TRUE(send(pair.a().sender(), number, 48));
        ASSERT_EQ(receive(pair.b()).size(), 4U);
        ASSERT_EQ(pair.link().a().counters().writes, 5U) << "four transmissions, one advancement";
        ASSERT_EQ(pair.link().a().pending(), 0U) << "everything that was posted has its doorbell";
    }

    FakePair pair{{.slots = 32, .alpha = 4, .beta = 2, .gamma = 2}, {.hold_completions = true}};
};

TEST_F(Elastic, DeferredAdvancementHappensInPollWithoutAnotherWrite) {
    EXPECT_EQ(pair.a().sender().poll(), Status::ok);
    EXPECT_TRUE(pair.b().receiver().empty()) << "the first advancement is still in flight";
    pair.link().a().release_completions();
    EXPECT_EQ(pair.a().sender().poll(), Status::ok);
    EXPECT_EQ(pair.link().a().counters().writes, 6U);
    EXPECT_EQ(receive(pair.b()), (std::vector<std::uint64_t>{4, 5, 6, 7}));
    EXPECT_EQ(pair.a().sender().poll(), Status::ok);
    EXPECT_EQ(pair.link().a().counters().writes, 6U) << "it happens once";
}

TEST_F(Elastic, FlushDoesNotWaitForTheCompletion) {
    EXPECT_EQ(pair.a().sender().flush(), Status::ok);
    EXPECT_EQ(receive(pair.b()), (std::vector<std::uint64_t>{4, 5, 6, 7}));
    pair.link().a().release_completions();
    EXPECT_EQ(pair.a().sender().poll(), Status::ok);
    EXPECT_EQ(pair.link().a().counters().writes, 6U);
}

TEST_F(Elastic, TheThresholdCountsAnewAfterADeferral) {
    pair.link().a().release_completions();
    for (std::uint64_t number = 8; number < 11; ++number) ASSERT_TRUE(send(pair.a().sender(), number, 48));
    EXPECT_TRUE(pair.b().receiver().empty());
    ASSERT_TRUE(send(pair.a().sender(), 11, 48));
    EXPECT_EQ(receive(pair.b()).size(), 8U);
}

TEST(FullQueue, ABlockedFlushIsFinishedByPoll) {
    FakePair pair({}, {.manual = true, .queue_length = 1});
    ASSERT_TRUE(send(pair.a().sender(), 1, 48));
    EXPECT_EQ(pair.a().sender().flush(), Status::would_block) << "the slots fit, the tail does not";
    pair.link().deliver();
    EXPECT_TRUE(pair.b().receiver().empty());
    EXPECT_EQ(pair.a().sender().poll(), Status::ok);
    pair.link().deliver();
    EXPECT_EQ(receive(pair.b()), std::vector<std::uint64_t>{1});
}

/// The sender has no room without the head that the receiver's full queue refused, so no record follows it.
TEST(FullQueue, ARefusedHeadIsWrittenThoughNothingMoreArrives) {
    constexpr std::uint32_t three_slots = 3 * kLineBytes - sizeof(RecordHeader);
    FakePair pair({.slots = 8, .alpha = 1, .beta = 1, .gamma = 2}, {.manual = true, .queue_length = 1});
    for (std::uint64_t number = 0; number < 2; ++number) {
        ASSERT_TRUE(send(pair.a().sender(), number, three_slots));
        while (pair.a().sender().flush() != Status::ok) pair.link().deliver();
        pair.link().deliver();
    }
    EXPECT_EQ(receive(pair.b()).size(), 2U) << "two heads, of which the queue took one";
    pair.link().deliver();
    EXPECT_FALSE(send(pair.a().sender(), 2, three_slots));
    EXPECT_TRUE(receive(pair.b()).empty());
    pair.link().deliver();
    EXPECT_TRUE(send(pair.a().sender(), 2, three_slots));
}

}  // namespace
}  // namespace rb2::ring::test
