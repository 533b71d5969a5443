// The read ring whose receivers fetch a bell together with what lies behind it. What it does as every channel
// does is tested in read_ring_test.cc.
#include "runtime/channel/read_ring_prefetch.hpp"

#include <gtest/gtest.h>

#include "runtime/channel/read_ring_inlined_bell.hpp"
#include "tests/runtime/channel/drive.hpp"

namespace rb2::channel::test {
namespace {

using ReadsInOrder = FakeWireOf<Order{.reads = true}>;

/// READs of the receiver until it has taken `count` messages of `bytes` bytes that were there before.
template <class C>
std::uint64_t reads_of(std::uint32_t count, std::size_t bytes) {
    constexpr Parameters parameters{.message_bytes = 96, .ring_bytes = 1024};
    Fan<C, ReadsInOrder> fan(1, parameters);
    Inbox<C, ReadsInOrder> inbox(fan[0], fan.b, parameters.message_bytes);
    for (std::uint32_t i = 0; i < count; ++i) EXPECT_EQ(fan[0].send(i, bytes), Status::ok);
    fan[0].wire.data_b().reset_counters();
    std::vector<std::byte> message;
    for (std::uint32_t received = 0, looks = 0; received < count && looks < 100; ++looks) {
        if (inbox.take(message) != Status::ok) continue;
        EXPECT_TRUE(is_message(received, message)) << received;
        EXPECT_EQ(message.size(), bytes);
        ++received;
    }
    return fan[0].wire.data_b().counters().reads;
}

TEST(ReadRingPrefetch, AllThatLiesInTheBytesFetchedComesWithOneRead) {
    EXPECT_EQ(reads_of<ReadRingInlinedBell>(8, 24), 16U) << "a bell and a message each";
    EXPECT_EQ(reads_of<ReadRingPrefetch<256>>(8, 24), 1U);
    EXPECT_EQ(reads_of<ReadRingPrefetch<256>>(9, 24), 2U);
}

TEST(ReadRingPrefetch, WhatDoesNotLieThereWholeIsFetchedByItself) {
    EXPECT_EQ(reads_of<ReadRingPrefetch<64>>(1, 56), 1U);
    EXPECT_EQ(reads_of<ReadRingPrefetch<64>>(1, 57), 2U);
    EXPECT_EQ(reads_of<ReadRingPrefetch<64>>(3, 40), 3U) << "the second one lies there in part";
}

/// Whether all messages arrive whole over a fabric that claims the order and keeps `Kept`.
template <Order Kept>
bool survives(std::uint64_t seeds) {
    using C = ReadRingPrefetch<256>;
    using Wire = FakeWire<fabric::fake::OrderingEndpoint<Order{.reads = true}, Kept>>;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        Fan<C, Wire> fan(1, {.slots = 4, .message_bytes = 96, .ring_bytes = 512},
                         {.seed = seed, .manual = true, .shuffle_bytes = true});
        const Outcome outcome = Drive<C, Wire>(fan, 200, seed).run();
        if (outcome.received != 200 || !outcome.good()) return false;
    }
    return true;
}

TEST(ReadRingPrefetch, ReadsInTheOrderOfAddressesAreNeeded) {
    EXPECT_TRUE(survives<Order{.reads = true}>(40));
    EXPECT_FALSE(survives<Order{.reads = false}>(300));
}

}  // namespace
}  // namespace rb2::channel::test
