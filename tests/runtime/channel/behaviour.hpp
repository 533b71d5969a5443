#pragma once
// What every channel does, over every fabric that can carry it. A file for each family instantiates it.

#include <gtest/gtest.h>

#include <tuple>

#include "runtime/channel/supported.hpp"
#include "tests/runtime/channel/drive.hpp"

namespace rb2::channel::test {

template <class C, class W>
struct Case {
    using Channel = C;
    using Wire = W;
    static_assert(channel::Channel<C, typename W::Endpoint>);
};

/// The weakest fabric by Table 2, and shared memory.
template <class C>
using CasesOf =
    std::conditional_t<Supported<C, fabric::shm::Endpoint>,
                       std::tuple<Case<C, WeakestWire<C>>, Case<C, ShmWire>, Case<C, PlainShmWire>>,
                       std::tuple<Case<C, WeakestWire<C>>, Case<C, ShmWire>>>;

/// The cases of all channels of a tuple, as GoogleTest wants them.
template <class Tuple>
struct CasesOfAll;
template <class... C>
struct CasesOfAll<std::tuple<C...>> : AsTypes<decltype(std::tuple_cat(std::declval<CasesOf<C>>()...))> {};

template <class T>
class Behaviour : public testing::Test {
  protected:
    static constexpr Parameters kSmall{.slots = 4, .message_bytes = 96, .ring_bytes = 512};
    static constexpr fabric::fake::Options kScattered{.manual = true, .shuffle_bytes = true};

    static Outcome drive(std::size_t pairs, const Parameters& parameters, std::uint32_t count,
                         std::uint64_t seed) {
        fabric::fake::Options options = kScattered;
        options.seed = seed;
        Fan<typename T::Channel, typename T::Wire> fan(pairs, parameters, options);
        return Drive<typename T::Channel, typename T::Wire>(fan, count, seed).run();
    }
};

TYPED_TEST_SUITE_P(Behaviour);

TYPED_TEST_P(Behaviour, EveryMessageArrivesOnceAndWholeWhateverTheInterleaving) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const Outcome outcome = this->drive(1, this->kSmall, 200, seed);
        ASSERT_EQ(outcome.received, 200U) << "seed " << seed << (outcome.stuck ? ", stuck" : "");
        ASSERT_TRUE(outcome.good()) << "seed " << seed;
    }
}

TYPED_TEST_P(Behaviour, SendersToOneReceiverDoNotDisturbEachOther) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Outcome outcome = this->drive(3, this->kSmall, 100, seed);
        ASSERT_EQ(outcome.received, 300U) << "seed " << seed << (outcome.stuck ? ", stuck" : "");
        ASSERT_TRUE(outcome.good()) << "seed " << seed;
    }
}

TYPED_TEST_P(Behaviour, OneSlotAndOneCreditALapAreEnough) {
    const Parameters one{.slots = 1, .message_bytes = 8, .ring_bytes = 48, .credits_per_lap = 1};
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Outcome outcome = this->drive(1, one, 100, seed);
        ASSERT_EQ(outcome.received, 100U) << "seed " << seed << (outcome.stuck ? ", stuck" : "");
        ASSERT_TRUE(outcome.good()) << "seed " << seed;
    }
}

TYPED_TEST_P(Behaviour, AFullChannelBlocksAndGoesOnWhenMemoryIsFreed) {
    using C = typename TypeParam::Channel;
    Fan<C, typename TypeParam::Wire> fan(1, this->kSmall);
    auto& pair = fan[0];
    Inbox<C, typename TypeParam::Wire> inbox(pair, fan.b, pair.sender.max_bytes());
    const std::size_t bytes = pair.sender.max_bytes();
    std::uint32_t sent = 0;
    Status status = Status::ok;
    while (sent < 5000 && (status = pair.send(sent, bytes)) == Status::ok) ++sent;
    ASSERT_EQ(status, Status::would_block);
    ASSERT_GT(sent, 0U);
    std::vector<std::byte> taken;
    std::uint32_t next = sent;
    for (std::uint32_t received = 0; received < sent + 10;) {
        static_cast<void>(pair.progress_sender());
        status = inbox.take(taken);
        if (status == Status::ok) {
            const std::uint32_t number = kInOrder<typename TypeParam::Wire> ? received : number_of(taken);
            ASSERT_TRUE(is_message(number, taken)) << number;
            ++received;
            ASSERT_EQ(inbox.give_back(0), Status::ok);
        } else {
            ASSERT_EQ(status, Status::would_block);
            ASSERT_LT(received, sent + 10);
        }
        if (received == next && next < sent + 10) {
            status = pair.send(next, bytes);
            ASSERT_TRUE(status == Status::ok || status == Status::would_block);
            next += status == Status::ok ? 1 : 0;
        }
    }
}

TYPED_TEST_P(Behaviour, BadArgumentsAreRefusedAndChangeNothing) {
    using C = typename TypeParam::Channel;
    Fan<C, typename TypeParam::Wire> fan(1, this->kSmall);
    auto& pair = fan[0];
    Ticket ticket = 0;
    EXPECT_EQ(pair.sender.send(pair.region(0, pair.sender.max_bytes() + 1), ticket),
              Status::invalid_argument);
    EXPECT_EQ(pair.sender.test(0), Status::invalid_argument);
    EXPECT_EQ(pair.sender.test(1), Status::invalid_argument) << "never given";
    if constexpr (ReceiverChannel<typename Pair<C, typename TypeParam::Wire>::Receiver>) {
        EXPECT_EQ(pair.receiver().free({.bytes = {}, .place = 0}), Status::invalid_argument) << "not held";
        EXPECT_EQ(pair.receiver().free({.bytes = {}, .place = ~std::uint64_t{0}}), Status::invalid_argument);
        ASSERT_EQ(pair.send(0, pair.sender.max_bytes()), Status::ok);
        Message message;
        Status status = Status::would_block;
        for (int i = 0; i < 100 && status == Status::would_block; ++i) {
            static_cast<void>(pair.progress_sender());
            status = pair.receiver().receive(message);
        }
        ASSERT_EQ(status, Status::ok);
        EXPECT_TRUE(is_message(0, message.bytes));
        EXPECT_EQ(pair.receiver().free(message), Status::ok);
        EXPECT_EQ(pair.receiver().free(message), Status::invalid_argument) << "freed twice";
    }
}

REGISTER_TYPED_TEST_SUITE_P(Behaviour, EveryMessageArrivesOnceAndWholeWhateverTheInterleaving,
                            SendersToOneReceiverDoNotDisturbEachOther, OneSlotAndOneCreditALapAreEnough,
                            AFullChannelBlocksAndGoesOnWhenMemoryIsFreed,
                            BadArgumentsAreRefusedAndChangeNothing);

}  // namespace rb2::channel::test
