// The room rule, wrap-around, sizes, far positions, claims, corruption and back-pressure.

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <vector>

#include "runtime/ring/fake_channel.hpp"
#include "tests/runtime/ring/message.hpp"
#include "tests/runtime/ring/shm_pair.hpp"

namespace rb2::ring::test {
namespace {

constexpr int kAll = 1 << 20;
constexpr std::uint64_t kFourGiPositions = std::uint64_t{1} << 32;
constexpr std::uint64_t kHalfOfAll = std::uint64_t{1} << 63;

struct RoomCase {
    std::uint64_t tail, head, slots, free;
};

class RoomRule : public testing::TestWithParam<RoomCase> {};

TEST_P(RoomRule, LeavesOneSlotFree) {
    const auto [tail, head, slots, free] = GetParam();
    EXPECT_EQ(free_slots(tail, head, slots), free);
}

INSTANTIATE_TEST_SUITE_P(
    Edges, RoomRule,
    testing::Values(RoomCase{0, 0, 8, 7}, RoomCase{1, 0, 8, 6}, RoomCase{6, 0, 8, 1}, RoomCase{7, 0, 8, 0},
                    RoomCase{8, 1, 8, 0}, RoomCase{8, 8, 8, 7}, RoomCase{15, 8, 8, 0}, RoomCase{15, 9, 8, 1},
                    RoomCase{kFourGiPositions, kFourGiPositions - 1, 128, 126},
                    RoomCase{kFourGiPositions + 126, kFourGiPositions - 1, 128, 0},
                    RoomCase{kHalfOfAll + 3, kHalfOfAll - 4, 8, 0}, RoomCase{kHalfOfAll, kHalfOfAll, 8, 7},
                    RoomCase{2, ~std::uint64_t{0}, 8, 4}, RoomCase{0, ~std::uint64_t{0} - 6, 8, 0}));

/// One thread, both sides in turn, on either mix.
template <class Pair>
class Edges : public testing::Test {
  protected:
    void open(const Parameters& parameters) { pair_.emplace(parameters); }
    auto& sender() { return pair_->a().sender(); }
    auto& receiver() { return pair_->b().receiver(); }

    [[nodiscard]] bool send_now(std::uint64_t number, std::uint32_t length) {
        return send(sender(), number, length) && sender().flush() == Status::ok;
    }

    /// Expects exactly message `number` of `length` bytes.
    void expect_one(std::uint64_t number, std::uint32_t length) {
        int seen = 0;
        EXPECT_EQ(receiver().drain(kAll,
                                   [&](const Record& record) {
                                       ++seen;
                                       EXPECT_EQ(record.word, number);
                                       EXPECT_EQ(record.kind, kind_of(number));
                                       EXPECT_EQ(record.payload.size(), length);
                                       EXPECT_TRUE(intact(number, record.payload));
                                       return Verdict::consumed;
                                   }),
                  1);
        EXPECT_EQ(seen, 1);
    }

    std::optional<Pair> pair_;
};

using Pairs = testing::Types<ShmPair, FakePair>;
TYPED_TEST_SUITE(Edges, Pairs);

TYPED_TEST(Edges, FillsAllSlotsButOneAndNoMore) {
    this->open({.slots = 8, .alpha = 4, .beta = 2, .gamma = 1});
    for (std::uint64_t number = 0; number < 7; ++number) {
        EXPECT_EQ(this->sender().room(), 7 - number);
        ASSERT_TRUE(this->send_now(number, 48));
    }
    EXPECT_EQ(this->sender().room(), 0U);
    EXPECT_FALSE(this->sender().try_claim(0));
    EXPECT_EQ(this->receiver().drain(1, [](const Record&) { return Verdict::consumed; }), 1);
    EXPECT_EQ(this->sender().room(), 1U);
    EXPECT_TRUE(this->send_now(7, 48));
    EXPECT_FALSE(this->sender().try_claim(0));
}

TYPED_TEST(Edges, EveryLengthFromNothingToTheLargestAtEverySlot) {
    const Parameters parameters{.slots = 16, .alpha = 4, .beta = 2, .gamma = 4};
    this->open(parameters);
    const std::uint32_t limit = this->sender().max_length();
    EXPECT_EQ(limit, parameters.max_record_slots() * kLineBytes - sizeof(RecordHeader));
    std::uint64_t number = 0;
    for (std::uint32_t length = 0; length <= limit; ++length) {
        for (std::uint64_t shift = 0; shift < 2; ++shift, ++number) {
            ASSERT_TRUE(this->send_now(number, length))
                << "an idle ring takes the largest record at any slot";
            this->expect_one(number, length);
        }
        ASSERT_TRUE(this->send_now(number, 0));  // moves the next record by one slot
        this->expect_one(number++, 0);
    }
    EXPECT_FALSE(this->sender().try_claim(limit + 1));
    EXPECT_FALSE(this->sender().try_claim(kLengthLimit));
}

TYPED_TEST(Edges, WrapsAtEverySlotWithEverySlotCount) {
    for (std::uint64_t offset = 0; offset < 16; ++offset) {
        for (std::uint32_t slots = 1; slots <= 6; ++slots) {
            this->open({.slots = 16, .alpha = 4, .beta = 2, .gamma = 4, .start = offset});
            for (std::uint64_t number = 0; number < 40; ++number) {
                ASSERT_TRUE(this->send_now(number, slots * 64 - 16))
                    << offset << ' ' << slots << ' ' << number;
                this->expect_one(number, slots * 64 - 16);
            }
        }
    }
}

TYPED_TEST(Edges, PositionsCrossPowersOfTwoThatBellsAndSignsWrapAt) {
    for (const std::uint64_t middle : {kFourGiPositions, kHalfOfAll, kFourGiPositions / 2}) {
        for (std::uint64_t before = 1; before <= 20; ++before) {
            this->open({.slots = 8, .alpha = 4, .beta = 2, .gamma = 2, .start = middle - before});
            EXPECT_TRUE(this->receiver().empty()) << "an empty ring is empty wherever it starts";
            for (std::uint64_t number = 0; number < 40; ++number) {
                const std::uint32_t length = number % 3 == 0 ? 150 : 20;
                ASSERT_TRUE(this->send_now(number, length));
                this->expect_one(number, length);
            }
        }
    }
}

TYPED_TEST(Edges, AnAbortedClaimLeavesNoTrace) {
    this->open({.slots = 8, .alpha = 4, .beta = 2, .gamma = 1});
    for (std::uint64_t number = 0; number < 30; ++number) {
        for (const std::uint32_t length : {0U, 48U, 200U}) {
            Claim claim = this->sender().try_claim(length);
            ASSERT_TRUE(claim);
            fill(~number, {claim.payload, length});
            this->sender().abort(claim);
            EXPECT_FALSE(claim);
            EXPECT_EQ(this->sender().flush(), Status::ok);
            EXPECT_TRUE(this->receiver().empty() ||
                        this->receiver().drain(kAll, [](const Record&) { return Verdict::consumed; }) == 0)
                << "at most padding";
        }
        ASSERT_TRUE(this->send_now(number, 30));
        this->expect_one(number, 30);
    }
}

TYPED_TEST(Edges, AShortenedRecordGivesTheRestBack) {
    this->open({.slots = 8, .alpha = 4, .beta = 2, .gamma = 1});
    for (std::uint64_t number = 0; number < 50; ++number) {
        Claim claim = this->sender().try_claim(170);
        ASSERT_TRUE(claim);
        const auto length = static_cast<std::uint32_t>(mixed(number) % 171);
        fill(~number, {claim.payload, 170});
        fill(number, {claim.payload, length});
        const std::uint64_t before = this->sender().tail();
        ASSERT_EQ(this->sender().commit(claim, kind_of(number), number, length), Status::ok);
        EXPECT_EQ(this->sender().tail() - before, (16 + length + 63) / 64);
        ASSERT_EQ(this->sender().flush(), Status::ok);
        this->expect_one(number, length);
    }
}

TYPED_TEST(Edges, KeepLeavesTheRecordFirstAndHoldsTheSenderBack) {
    this->open({.slots = 8, .alpha = 4, .beta = 2, .gamma = 1});
    std::uint64_t sent = 0;
    while (this->send_now(sent, 48)) ++sent;
    EXPECT_EQ(sent, 7U);
    for (int again = 0; again < 3; ++again) {
        int seen = 0;
        const auto keep_third = [&](const Record& record) {
            EXPECT_EQ(record.word, again == 0 ? static_cast<std::uint64_t>(seen) : 2U);
            ++seen;
            return record.word == 2 ? Verdict::keep : Verdict::consumed;
        };
        EXPECT_EQ(this->receiver().drain(kAll, keep_third), again == 0 ? 2 : 0);
    }
    EXPECT_FALSE(this->receiver().empty());
    EXPECT_EQ(this->sender().room(), 2U);
    EXPECT_EQ(this->receiver().drain(kAll, [](const Record&) { return Verdict::consumed; }), 5);
    EXPECT_TRUE(this->receiver().empty());
}

TYPED_TEST(Edges, DrainStopsAtItsBudget) {
    this->open({.slots = 8, .alpha = 4, .beta = 2, .gamma = 4});
    for (std::uint64_t number = 0; number < 5; ++number) ASSERT_TRUE(this->send_now(number, 48));
    const auto consume = [](const Record&) { return Verdict::consumed; };
    EXPECT_EQ(this->receiver().drain(0, consume), 0);
    EXPECT_EQ(this->receiver().drain(3, consume), 3);
    EXPECT_EQ(this->sender().room(), 2U) << "three consumed slots are below gamma";
    EXPECT_EQ(this->receiver().release(), Status::ok);
    EXPECT_EQ(this->sender().room(), 5U);
    EXPECT_EQ(this->receiver().drain(kAll, consume), 2);
    EXPECT_EQ(this->receiver().drain(kAll, consume), 0);
}

/// Overwrites the mark of the record at position `at` in the receiver's ring.
template <class Pair>
void corrupt(Pair& pair, std::uint64_t at, std::uint64_t mark) {
    auto* const slot = pair.block_b().data() + BlockLayout::kSlots + at * kLineBytes;
    std::atomic_ref(reinterpret_cast<RecordHeader*>(slot)->mark).store(mark);
}

TYPED_TEST(Edges, ALengthThatLeavesTheRingIsReportedAndNeverUsed) {
    for (const std::uint32_t length : {8U * 64, 6U * 64 - 15, kLengthLimit}) {
        this->open({.slots = 8, .alpha = 4, .beta = 2, .gamma = 4});
        for (std::uint64_t number = 0; number < 3; ++number) ASSERT_TRUE(this->send_now(number, 48));
        corrupt(*this->pair_, 2, Mark::pack(2, length, 1));
        int seen = 0;
        const auto count_them = [&](const Record&) { return ++seen, Verdict::consumed; };
        EXPECT_EQ(this->receiver().drain(kAll, count_them), 2) << "the good ones before it";
        EXPECT_EQ(this->receiver().drain(kAll, count_them), kCorrupt);
        EXPECT_EQ(this->receiver().drain(kAll, count_them), kCorrupt);
        EXPECT_EQ(seen, 2);
    }
}

TEST(Corruption, WriteTwiceRefusesAWrongBellAndARecordBeyondTheTail) {
    for (const std::uint64_t mark : {Mark::pack(1, 8, 1), Mark::pack(0, 100, 1)}) {
        FakePair pair({.slots = 8, .alpha = 4, .beta = 2, .gamma = 4});
        ASSERT_TRUE(send(pair.a().sender(), 0, 48));
        ASSERT_EQ(pair.a().sender().flush(), Status::ok);
        corrupt(pair, 0, mark);
        EXPECT_EQ(pair.b().receiver().drain(kAll, [](const Record&) { return Verdict::consumed; }), kCorrupt);
    }
}

TEST(Corruption, WriteTwiceRefusesATailFarAhead) {
    FakePair pair({.slots = 8, .alpha = 4, .beta = 2, .gamma = 4});
    ASSERT_TRUE(send(pair.a().sender(), 0, 48));
    ASSERT_EQ(pair.a().sender().flush(), Status::ok);
    reinterpret_cast<Words*>(pair.block_b().data())->local_tail = 9;
    EXPECT_EQ(pair.b().receiver().drain(kAll, [](const Record&) { return Verdict::consumed; }), kCorrupt);
}

TYPED_TEST(Edges, AHeadThatCannotBeIsIgnored) {
    this->open({.slots = 8, .alpha = 4, .beta = 2, .gamma = 4});
    for (std::uint64_t number = 0; number < 3; ++number) ASSERT_TRUE(this->send_now(number, 48));
    auto* const words = reinterpret_cast<Words*>(this->pair_->block_a().data());
    for (const std::uint64_t head : {std::uint64_t{4}, std::uint64_t{1000}, ~std::uint64_t{0}}) {
        words->local_head = head;
        EXPECT_EQ(this->sender().room(), 4U) << head;
    }
    words->local_head = 3;
    EXPECT_EQ(this->sender().room(), 7U);
}

}  // namespace
}  // namespace rb2::ring::test
