// Sizes that are promised: objects per peer, memory layout; which mixes compile; parameters that are refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "runtime/ring/fake_channel.hpp"
#include "tests/runtime/ring/shm_pair.hpp"

namespace rb2::ring::test {
namespace {

using fabric::fake::Endpoint;
using ShmEndpoint = fabric::shm::Endpoint;

// One for each rule of mix.hpp; the negative compile test shows that the reason is printed.
static_assert(LegalMix<mix::Rb2, Endpoint> && LegalMix<mix::Rb2, ShmEndpoint>);
static_assert(LegalMix<mix::Rb2InPlace, ShmEndpoint>);
static_assert(!LegalMix<mix::Rb2InPlace, Endpoint>, "in place needs a mapped endpoint");
using MirroredBell = Mix<head::LazyPush, tail::InlinedBell, batching::None, placement::Mirrored>;
static_assert(!LegalMix<MirroredBell, ShmEndpoint>, "a bell in front needs stores, not a write");
using BatchedBell = Mix<head::LazyPush, tail::InlinedBell, batching::Adaptive, placement::InPlace>;
static_assert(!LegalMix<BatchedBell, ShmEndpoint>, "a bell publishes at once");

struct NoInlineEndpoint : Endpoint {
    static constexpr fabric::Capabilities kCapabilities{.inline_bytes = 0};
};
static_assert(fabric::Endpoint<NoInlineEndpoint> && !LegalMix<mix::Rb2, NoInlineEndpoint>);

TEST(ObjectSize, OfBothSidesOfAPeer) {
    EXPECT_EQ(sizeof(Sender<mix::Rb2InPlace, ShmEndpoint>), 128U);
    EXPECT_EQ(sizeof(Receiver<mix::Rb2InPlace, ShmEndpoint>), 64U);
    EXPECT_EQ(sizeof(Sender<mix::Rb2, Endpoint>), 192U);
    EXPECT_EQ(sizeof(Receiver<mix::Rb2, Endpoint>), 128U);
    EXPECT_EQ(alignof(Sender<mix::Rb2InPlace, ShmEndpoint>), kLineBytes);
    EXPECT_LE(sizeof(ShmChannel), 768U);
}

TEST(Layout, OfABlock) {
    constexpr BlockLayout both{.inbound_slots = 128, .mirror_slots = 64};
    EXPECT_EQ(BlockLayout::kLocalHead, 0U);
    EXPECT_EQ(BlockLayout::kLocalTail, 128U);
    EXPECT_EQ(BlockLayout::kSlots, 256U);
    EXPECT_EQ(both.mirror(), 256U + 128 * 64);
    EXPECT_EQ(both.bytes(), 256U + 192 * 64);
    EXPECT_EQ(ShmChannel::block_bytes(1024), 256U + 65536);
}

TEST(Record, ARecordOfOneLineHoldsFortyEightBytes) {
    using Layout = layout::SlotToSlot<>;
    EXPECT_EQ(kLinePayloadBytes, 48U);
    EXPECT_EQ(Layout::slots_for(0), 1U);
    EXPECT_EQ(Layout::slots_for(48), 1U);
    EXPECT_EQ(Layout::slots_for(49), 2U);
    EXPECT_EQ(Layout::slots_for(112), 2U);
    EXPECT_EQ(Layout::slots_for(113), 3U);
    EXPECT_EQ(layout::SlotToSlot<256>::slots_for(241), 2U);
}

TEST(Record, TheMarkKeepsItsFields) {
    const Mark mark = Mark::unpack(Mark::pack(0x1'2345'6789, 0xabcdef, 0x7f));
    EXPECT_EQ(mark.bell, 0x2345678aU);
    EXPECT_EQ(mark.length, 0xabcdefU);
    EXPECT_EQ(mark.kind, 0x7f);
}

TEST(Record, ASilentMarkIsNeverTheBell) {
    for (const std::uint64_t position :
         {0ULL, 1ULL, 0x7ffffffeULL, 0x7fffffffULL, 0xfffffffeULL, 0xffffffffULL, 1ULL << 63}) {
        EXPECT_NE(Mark::unpack(silent_mark(position)).bell, bell_at(position)) << position;
    }
}

TEST(MaxRecord, LeavesRoomForPaddingAndUnreturnedSlots) {
    for (std::uint64_t slots = 8; slots <= 4096; slots *= 2) {
        for (std::uint64_t gamma = 1; gamma <= slots / 2; gamma *= 2) {
            const Parameters parameters{.slots = slots, .gamma = gamma};
            const std::uint64_t most = parameters.max_record_slots();
            EXPECT_LE(2 * most - 1, slots - gamma) << slots << ' ' << gamma;
            EXPECT_GE(most, 2U) << "a record may always span slots";
        }
    }
    EXPECT_EQ(Parameters::messaging(1024).max_record_slots(), 384U);
}

std::string refusal(const Parameters& parameters) {
    try {
        const FakePair pair(parameters);
    } catch (const StartupError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(BadParameters, AreNamedWithValueAndRule) {
    using testing::HasSubstr;
    EXPECT_EQ(refusal({}), "accepted");
    EXPECT_THAT(refusal({.slots = 100}), HasSubstr("slots = 100 must be a power of two"));
    EXPECT_THAT(refusal({.slots = 4, .alpha = 2, .beta = 1, .gamma = 1}), HasSubstr("slots = 4"));
    EXPECT_THAT(refusal({.gamma = 65}), HasSubstr("gamma = 65 must be between 1 and half the slots"));
    EXPECT_THAT(refusal({.gamma = 0}), HasSubstr("gamma = 0"));
    EXPECT_THAT(refusal({.alpha = 65}), HasSubstr("alpha = 65"));
    EXPECT_THAT(refusal({.alpha = 16, .beta = 17}), HasSubstr("beta = 17 must be between 1 and alpha"));
    EXPECT_NO_THROW(ShmPair({.slots = 8, .gamma = 2}))
        << "alpha and beta mean nothing to a mix without batching";
}

TEST(BadParameters, ABlockTooSmallForItsRingIsRefused) {
    Block small(ShmChannel::block_bytes(64) - 1);
    Block enough(ShmChannel::block_bytes(64));
    const Parameters parameters = Parameters::messaging(64);
    EXPECT_THROW(ShmChannel(small.bytes(), enough.bytes(), parameters, parameters), StartupError);
    EXPECT_THROW(ShmChannel(enough.bytes(), small.bytes(), parameters, parameters), StartupError);
    EXPECT_THROW(ShmChannel(enough.bytes().subspan(64), enough.bytes(), parameters, parameters),
                 StartupError);
    EXPECT_NO_THROW(ShmChannel(enough.bytes(), enough.bytes(), parameters, parameters));
}

}  // namespace
}  // namespace rb2::ring::test
