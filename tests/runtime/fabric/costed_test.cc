// What the costed fabric charges, and when what it carries lands: with a clock that only moves when it is
// waited for, so that every figure is exact.

#include <gtest/gtest.h>

#include "tests/runtime/fabric/sides.hpp"

namespace rb2::fabric::test {
namespace {

constexpr costed::Costs kCosts{.work_request_ns = 40,
                               .doorbell_ns = 120,
                               .completion_ns = 30,
                               .latency_ns = 1000,
                               .gigabits_per_second = 80};  // 10 bytes a nanosecond

class CostedTest : public testing::Test {
  protected:
    using Endpoint = costed::Endpoint<shm::Endpoint, ManualClock>;

    std::uint64_t elapsed() const { return now_; }
    void pass(std::uint64_t ns) { now_ += ns; }

    Source word(std::size_t at = 0) const { return sides_.memory_a.source(at, 8, 0); }

    std::uint64_t now_ = 0;
    ShmSides sides_;
    Endpoint a_{sides_.a, kCosts, ManualClock(now_)};
    Endpoint b_{sides_.b, kCosts, ManualClock(now_)};
};

TEST_F(CostedTest, ManyWritesAreChargedAsOftenAsTheyAreMany) {
    for (std::uint64_t n = 1; n <= 50; ++n) {
        ASSERT_EQ(a_.write(word(), Remote{0}), Status::ok);
        EXPECT_EQ(a_.charges().work_requests, n);
        EXPECT_EQ(elapsed(), n * 40);
    }
    EXPECT_EQ(a_.charges().doorbells, 0U);
}

TEST_F(CostedTest, ADoorbellCostsTheSameForOneRequestAndForMany) {
    ASSERT_EQ(a_.write(word(), Remote{0}), Status::ok);
    ASSERT_EQ(a_.flush(), Status::ok);
    EXPECT_EQ(elapsed(), 40U + 120U);
    for (int i = 0; i < 10; ++i) ASSERT_EQ(a_.write(word(), Remote{0}), Status::ok);
    ASSERT_EQ(a_.flush(), Status::ok);
    EXPECT_EQ(elapsed(), 11 * 40U + 2 * 120U);
    ASSERT_EQ(a_.flush(), Status::ok);
    EXPECT_EQ(elapsed(), 11 * 40U + 2 * 120U) << "nothing was posted: no doorbell";
    EXPECT_EQ(a_.charges(), (costed::Charges{.work_requests = 11, .doorbells = 2}));
}

TEST_F(CostedTest, AWriteLandsOneLatencyAfterItsLastByteHasLeft) {
    number_bytes(sides_.memory_a);
    ASSERT_EQ(a_.write(sides_.memory_a.source(0, 1000, 0), Remote{0}), Status::ok);
    ASSERT_EQ(a_.flush(), Status::ok);
    const std::uint64_t lands_at = elapsed() + 1000 / 10 + 1000;
    pass(lands_at - elapsed() - 1);
    a_.land();
    EXPECT_FALSE(a_.settled());
    EXPECT_EQ(sides_.memory_b.word(8), 0U);
    pass(1);
    a_.land();
    EXPECT_TRUE(a_.settled());
    EXPECT_EQ(sides_.memory_b.word(8), sides_.memory_a.word(8));
}

TEST_F(CostedTest, NothingLandsBeforeItsDoorbell) {
    sides_.memory_a.set_word(0, 7);
    ASSERT_EQ(a_.write(word(), Remote{0}), Status::ok);
    pass(1'000'000);
    a_.land();
    EXPECT_EQ(sides_.memory_b.word(0), 0U);
    EXPECT_FALSE(a_.settled());
}

TEST_F(CostedTest, TheWireSendsOneRequestAfterTheOther) {
    ASSERT_EQ(a_.write(sides_.memory_a.source(0, 1000, 0), Remote{0}), Status::ok);
    ASSERT_EQ(a_.write(sides_.memory_a.source(0, 500, 0), Remote{1000}, Signal{1}), Status::ok);
    ASSERT_EQ(a_.flush(), Status::ok);
    const std::uint64_t rung = elapsed();
    pass(150 + 1000 + 1000 - 1);
    EXPECT_TRUE(completions(a_).empty());
    pass(1);
    EXPECT_EQ(completions(a_).size(), 1U);
    EXPECT_EQ(elapsed(), rung + 150 + 2000 + 30) << "and taking a completion costs";
}

TEST_F(CostedTest, CompletionsComeInOrderOneLatencyAfterTheLanding) {
    for (std::uint64_t ticket = 1; ticket <= 3; ++ticket) {
        ASSERT_EQ(a_.write(word(), Remote{0}, Signal{ticket}), Status::ok);
        ASSERT_EQ(a_.flush(), Status::ok);
    }
    pass(2001);  // the first rung 320 ns before the last
    const auto done = completions(a_);
    ASSERT_EQ(done.size(), 3U);
    for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(done[i].ticket, i + 1);
    EXPECT_EQ(a_.charges().completions, 3U);
}

TEST_F(CostedTest, AnImmediateCostsTheReceiverACompletionAndAReceive) {
    ASSERT_EQ(a_.write_with_imm(word(), Remote{0}, 5), Status::ok);
    ASSERT_EQ(a_.flush(), Status::ok);
    pass(1001);
    a_.land();
    const std::uint64_t before = elapsed();
    const auto arrived = completions(b_);
    ASSERT_EQ(arrived.size(), 1U);
    EXPECT_EQ(arrived[0].imm, 5U);
    EXPECT_EQ(elapsed() - before, 30U + 40U);
    EXPECT_EQ(b_.charges(), (costed::Charges{.completions = 1, .receives = 1}));
}

TEST_F(CostedTest, EmptyPollsAreFree) {
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(completions(a_).empty());
    EXPECT_EQ(elapsed(), 0U);
}

TEST_F(CostedTest, AFullQueueBlocksUntilSomethingLands) {
    for (std::size_t i = 0; i < Endpoint::kQueueLength; ++i) {
        ASSERT_EQ(a_.write(word(), Remote{0}), Status::ok);
    }
    EXPECT_EQ(a_.write(word(), Remote{0}), Status::would_block);
    EXPECT_EQ(a_.charges().work_requests, Endpoint::kQueueLength) << "what was not posted is not charged";
    ASSERT_EQ(a_.flush(), Status::ok);
    EXPECT_EQ(a_.write(word(), Remote{0}), Status::would_block);
    pass(5000);
    EXPECT_EQ(a_.write(word(), Remote{0}), Status::ok);
}

TEST_F(CostedTest, CompletionsThatNobodyPollsBlockFurtherTickets) {
    std::size_t signalled = 0;
    while (a_.write(word(), Remote{0}, Signal{1}) == Status::ok) {
        ++signalled;
        ASSERT_EQ(a_.flush(), Status::ok);
        pass(5000);
        ASSERT_LE(signalled, Endpoint::kQueueLength);
    }
    std::size_t taken = 0;
    while (taken < signalled || !a_.settled()) {
        const std::size_t now = completions(a_).size();
        pass(5000);
        taken += now;
        ASSERT_LE(taken, signalled);
    }
    EXPECT_EQ(taken, signalled);
    EXPECT_EQ(a_.write(word(), Remote{0}, Signal{1}), Status::ok);
}

TEST_F(CostedTest, AnErrorAtThePeerBreaksTheEndpoint) {
    ASSERT_EQ(a_.write(word(), Remote{kWindowBytes}), Status::ok);
    ASSERT_EQ(a_.flush(), Status::ok);
    pass(2000);
    a_.land();
    EXPECT_EQ(a_.write(word(), Remote{0}), Status::peer_lost);
    EXPECT_EQ(a_.flush(), Status::peer_lost);
}

TEST_F(CostedTest, ASourceThatIsNotInlineIsReadWhenItLands) {
    number_bytes(sides_.memory_a);
    ASSERT_EQ(a_.write(word(), Remote{0}), Status::ok);
    ASSERT_EQ(a_.write(sides_.memory_a.source(64, 64, 0), Remote{64}), Status::ok);
    ASSERT_EQ(a_.flush(), Status::ok);
    const std::uint64_t inlined = sides_.memory_a.word(0);
    sides_.memory_a.set_word(0, 1);
    sides_.memory_a.set_word(64, 2);
    pass(2000);
    a_.land();
    EXPECT_EQ(sides_.memory_b.word(0), inlined);
    EXPECT_EQ(sides_.memory_b.word(64), 2U);
}

TEST(Costed, TheProcessorsClockCountsNanoseconds) {
    const costed::TscClock clock;
    const std::uint64_t start = costed::TscClock::now();
    costed::TscClock::wait_until(start + clock.ticks(1000));
    EXPECT_GE(clock.nanoseconds(costed::TscClock::now() - start), 999.0);
}

}  // namespace
}  // namespace rb2::fabric::test
