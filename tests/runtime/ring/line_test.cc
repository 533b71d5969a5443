// Records of one line put in one go, and a receiver that looks ahead, on the ring of shared memory.

#include <gtest/gtest.h>

#include "tests/runtime/ring/message.hpp"
#include "tests/runtime/ring/shm_pair.hpp"

namespace rb2::ring::test {
namespace {

constexpr std::uint64_t kSlots = 64;
constexpr std::uint8_t kKind = 3;

class Line : public ::testing::Test {
  protected:
    /// As the caller of put_line() must: only with room and where nothing must be silenced.
    bool put(std::uint64_t number, std::uint32_t length) {
        if (!sender().has_room_for(length) || !sender().clean()) return false;
        sender().put_line(kKind, number, length, [&](std::byte* to) { fill(number, {to, length}); });
        return true;
    }
    bool commit(std::uint64_t number, std::uint32_t length) { return send(sender(), number, length); }
    /// Takes one record, which must be whole; its number.
    std::uint64_t take() {
        std::uint64_t number = ~std::uint64_t{0};
        EXPECT_EQ(receiver().drain(1,
                                   [&](const Record& record) {
                                       number = record.word;
                                       EXPECT_TRUE(intact(number, record.payload));
                                       return Verdict::consumed;
                                   }),
                  1);
        return number;
    }
    ShmSender& sender() { return pair_.a().sender(); }
    ShmReceiver& receiver() { return pair_.b().receiver(); }

    ShmPair pair_{Parameters::messaging(kSlots)};
};

TEST_F(Line, ArrivesLikeACommittedRecordWhateverItsLength) {
    std::uint64_t number = 0;
    for (std::uint64_t lap = 0; lap < 3; ++lap) {
        for (std::uint32_t length = 0; length <= kLinePayloadBytes; ++length, ++number) {
            // The first look at a lap and at the head is try_claim()'s.
            if (!put(number, length)) {
                ASSERT_TRUE(commit(number, length)) << number;
            }
            ASSERT_EQ(take(), number);
        }
    }
}

TEST_F(Line, HasNoRoomBeforeAClaimHasLookedForIt) {
    EXPECT_FALSE(sender().has_room_for(8)) << "a new ring's limit is its start";
    ASSERT_TRUE(commit(0, 8));
    EXPECT_TRUE(sender().has_room_for(8));
}

TEST_F(Line, OverwritesNothingThatHasNotBeenTaken) {
    std::uint64_t sent = 0;
    std::uint64_t taken = 0;
    const auto send_all = [&] {
        std::uint64_t put_in = 0;
        while (put(sent, 8) ? ++put_in != 0 : commit(sent, 8)) ++sent;
        return put_in;
    };
    EXPECT_EQ(send_all(), 0U) << "before the first lap ends, what a slot holds is not known";
    EXPECT_EQ(sent, kSlots - 1);
    for (int round = 0; round < 10; ++round) {
        for (int i = 0; i < 40; ++i) ASSERT_EQ(take(), taken++);
        ASSERT_EQ(receiver().release(), Status::ok);
        EXPECT_GT(send_all(), 0U);
        EXPECT_EQ(sent - taken, kSlots - 1) << "filled as a claim fills it";
    }
    while (taken < sent) ASSERT_EQ(take(), taken++);
}

TEST_F(Line, ARecordOfSeveralSlotsMakesALapUnclean) {
    std::uint64_t number = 0;
    const auto pass = [&](std::uint32_t length) {
        ASSERT_TRUE(commit(number, length));
        ASSERT_EQ(take(), number++);
    };
    while (number < 2 * kSlots) pass(8);
    ASSERT_TRUE(sender().clean());
    pass(200);
    const std::uint64_t until = sender().tail() + kSlots;
    for (; sender().tail() + 1 < until; pass(8)) ASSERT_FALSE(sender().clean()) << sender().tail();
    EXPECT_TRUE(sender().clean());
}

TEST_F(Line, AGlimpseSeesARecordBehindOthersAndTakesNothing) {
    for (std::uint64_t number = 0; number < 4; ++number) ASSERT_TRUE(commit(number, 100));
    const std::uint64_t each = receiver().slots_for(100);
    EXPECT_EQ(each, 2U);
    EXPECT_TRUE(receiver().glimpse(3 * each));
    EXPECT_FALSE(receiver().glimpse(4 * each));
    receiver().prefetch(4 * each);
    for (std::uint64_t number = 0; number < 4; ++number) EXPECT_EQ(take(), number);
}

TEST_F(Line, RecordsArePeekedAtInPlaceAndSkippedTogether) {
    const std::uint32_t lengths[] = {8, 100, 0, 48};
    for (std::uint64_t number = 0; number < 4; ++number) ASSERT_TRUE(commit(number, lengths[number]));
    auto place = receiver().peek();
    std::uint64_t ahead = 0;
    for (std::uint64_t number = 0; number < 4; ++number) {
        const Record record = *place;
        EXPECT_NE(record.kind, kPadding);
        EXPECT_EQ(record.word, number);
        EXPECT_EQ(record.payload.size(), lengths[number]);
        EXPECT_TRUE(intact(number, record.payload));
        const std::uint64_t slots = receiver().slots_for(lengths[number]);
        place += slots;
        ahead += slots;
    }
    EXPECT_EQ((*place).kind, kPadding) << "no more has come";
    receiver().skip(ahead - 1);
    EXPECT_EQ(take(), 3U) << "what was not skipped is still there";
    EXPECT_TRUE(receiver().empty());
}

TEST_F(Line, SkippedSlotsGoBackToTheSender) {
    std::uint64_t number = 0;
    while (commit(number, 8)) ++number;
    EXPECT_EQ(sender().room(), 0U);
    receiver().skip(kSlots / 2);
    EXPECT_GE(sender().room(), kSlots / 4);
}

TEST_F(Line, TheReceiverKnowsHowFarTheNextRecordsCanReach) {
    EXPECT_EQ(receiver().within_reach(), kSlots / 2) << "a sender may know of no more";
    for (std::uint64_t number = 0; number < kSlots - 3; ++number) {
        ASSERT_TRUE(commit(number, 8));
        take();
    }
    EXPECT_EQ(receiver().within_reach(), 3U) << "none crosses the end of a lap";
}

}  // namespace
}  // namespace rb2::ring::test
