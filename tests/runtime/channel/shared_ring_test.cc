#include "tests/runtime/channel/behaviour.hpp"
#include "tests/runtime/channel/rows_read.hpp"

namespace rb2::channel::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(SharedRing, Behaviour, CasesOfAll<SharedRingRows>::type);

static_assert(!Supported<SharedRingInlinedBell, fabric::fake::Endpoint>);
static_assert(!Supported<SharedRingInlinedBell, fabric::shm::Endpoint>);
static_assert(Supported<SharedRingInlinedBell, fabric::shm::MessageEndpoint>);

/// Claims ordered bytes and scatters them.
using LyingWire = FakeWire<fabric::fake::OrderingEndpoint<Order{.messages = true, .bytes = true},
                                                          Order{.messages = true, .bytes = false}>>;

TEST(SharedRingInlinedBell, IsTornWhereBytesScatter) {
    int torn = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        fabric::fake::Options options{.seed = seed, .manual = true, .shuffle_bytes = true};
        Fan<SharedRingInlinedBell, LyingWire> fan(2, {.slots = 4, .message_bytes = 96, .ring_bytes = 512},
                                                  options);
        torn += Drive<SharedRingInlinedBell, LyingWire>(fan, 100, seed).run().good() ? 0 : 1;
    }
    EXPECT_GT(torn, 0);
}

/// Two senders, of which the first reserves its place first and writes last.
template <class C>
class SlowSender : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(fan_[0].send(0, 40), Status::ok);
        fan_[0].wire.data.deliver();  // the place is reserved, and its owner does not look
        ASSERT_EQ(fan_[1].send(0, 40), Status::ok);
        for (int i = 0; i < 4; ++i) {
            fan_[1].wire.data.deliver();
            static_cast<void>(fan_[1].progress_sender());
        }
    }
    Status receive(std::size_t i) {
        Message message;
        const Status status = fan_[i].receiver().receive(message);
        EXPECT_TRUE(status != Status::ok || is_message(0, message.bytes));
        return status;
    }
    void finish_first() {
        static_cast<void>(fan_[0].progress_sender());
        fan_[0].wire.data.deliver();
    }

    Fan<C, OrderedWire> fan_{2, {.slots = 4, .message_bytes = 96, .ring_bytes = 512}, {.manual = true}};
};

using SlowSenderImm = SlowSender<SharedRingImm>;
using SlowSenderBell = SlowSender<SharedRingInlinedBell>;

TEST_F(SlowSenderImm, DoesNotHoldUpTheOthersMessages) {
    EXPECT_EQ(receive(1), Status::ok);
    EXPECT_EQ(receive(0), Status::would_block);
    finish_first();
    EXPECT_EQ(receive(0), Status::ok);
}

TEST_F(SlowSenderBell, HoldsUpAllBehindItsPlace) {
    EXPECT_EQ(receive(1), Status::would_block);
    EXPECT_EQ(receive(0), Status::would_block);
    finish_first();
    EXPECT_EQ(receive(1), Status::would_block) << "the first in the ring is the other's";
    EXPECT_EQ(receive(0), Status::ok);
    EXPECT_EQ(receive(1), Status::ok);
}

TEST(SharedRing, WhatNoSenderCanWriteIsAPeerLost) {
    Fan<SharedRingInlinedBell, OrderedWire> fan(1, {.slots = 4, .message_bytes = 96, .ring_bytes = 512});
    const auto first_word = [&](std::uint64_t word) {
        std::memcpy(fan.pool.pool.at(0), &word, sizeof word);
        Message message;
        return fan[0].receiver().receive(message);
    };
    EXPECT_EQ(first_word(SharedRingInlinedBell::front(97, 0)), Status::peer_lost) << "too long";
    EXPECT_EQ(first_word(SharedRingInlinedBell::front(8, 1)), Status::peer_lost) << "no such sender";
    EXPECT_EQ(first_word(8), Status::peer_lost) << "no sender at all";
    EXPECT_EQ(first_word(SharedRingInlinedBell::front(8, 0)), Status::would_block) << "not all there yet";
}

TEST(SharedRing, ATailThatCannotBeIsIgnored) {
    // Ring for five of these. A tail ahead of what was ever reserved would let the sender overwrite.
    Fan<SharedRingImm, OrderedWire> fan(1, {.slots = 4, .message_bytes = 96, .ring_bytes = 512});
    const std::uint64_t lie = 4096;
    std::memcpy(fan.pool.pool.memory().data() + SharedRingShape::kTail, &lie, sizeof lie);
    for (std::uint32_t number = 0; number < 8; ++number) {
        ASSERT_EQ(fan[0].send(number, 96), Status::ok) << "reserved";
    }
    for (int i = 0; i < 10; ++i) static_cast<void>(fan[0].progress_sender());
    Message message;
    std::uint32_t received = 0;
    while (fan[0].receiver().receive(message) == Status::ok)
        EXPECT_TRUE(is_message(received++, message.bytes));
    EXPECT_EQ(received, 5U);
}

}  // namespace
}  // namespace rb2::channel::test
