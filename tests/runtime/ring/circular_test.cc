// What a ring gains by being mapped twice in a row: no padding, no split writes, larger records. That it
// delivers like the others is in rivals_test.cc. For pages of 4 KiB: 16 slots of 256 bytes.

#include <gtest/gtest.h>

#include <atomic>
#include <utility>

#include "runtime/ring/fake_channel.hpp"
#include "tests/runtime/ring/circular_block.hpp"
#include "tests/runtime/ring/message.hpp"
#include "tests/runtime/ring/shm_pair.hpp"

namespace rb2::ring::test {
namespace {

constexpr int kAll = 1 << 20;
constexpr Parameters kParameters{.slots = 16, .alpha = 4, .beta = 2, .gamma = 4};

template <class Layout>
using Twice = Mix<head::LazyPush, tail::WriteTwice, batching::None, placement::Mirrored, Layout>;
using OnceMapped = Twice<layout::SlotToSlot<256>>;
using Circular = Twice<layout::Circular<layout::SlotToSlot<256>>>;
using CircularPair = FakePairOf<Circular, fabric::fake::Endpoint, CircularBlock>;

/// Writes and end position of 160 records of three slots.
template <class Pair>
std::pair<std::uint64_t, std::uint64_t> cost(Pair&& pair) {
    pair.link().a().reset_counters();
    for (std::uint64_t number = 0; number < 160; ++number) {
        EXPECT_TRUE(send(pair.a().sender(), number, 600));
        EXPECT_EQ(pair.b().receiver().drain(kAll,
                                            [&](const Record& record) {
                                                EXPECT_TRUE(intact(number, record.payload));
                                                return Verdict::consumed;
                                            }),
                  1);
    }
    return {pair.link().a().counters().writes, pair.a().sender().tail()};
}

TEST(CircularRing, PadsNothingAndSplitsNothing) {
    const auto [writes, end] = cost(CircularPair(kParameters));
    EXPECT_EQ(writes, 160U * 2);
    EXPECT_EQ(end, 160U * 3);
    const auto [padded_writes, padded_end] = cost(FakePairOf<OnceMapped>(kParameters));
    EXPECT_GT(padded_writes, writes) << "a padding record is published too";
    EXPECT_GT(padded_end, end);
}

TEST(CircularRing, TakesARecordOfAllButWhatTheReceiverHoldsBack) {
    CircularPair pair(kParameters);
    EXPECT_EQ(pair.a().sender().max_length(), 12U * 256 - 16);
    EXPECT_EQ(FakePairOf<OnceMapped>(kParameters).a().sender().max_length(), 6U * 256 - 16);
}

TEST(CircularRing, HasNoPaddingRecords) {
    using InPlace = Mix<head::LazyPush, tail::InlinedBell, batching::None, placement::InPlace,
                        layout::Circular<layout::SlotToSlot<256>>>;
    ShmPairOf<InPlace, CircularBlock> pair(kParameters);
    Claim claim = pair.a().sender().try_claim(8);
    ASSERT_TRUE(claim);
    auto& header = *reinterpret_cast<RecordHeader*>(claim.payload - sizeof(RecordHeader));
    ASSERT_EQ(pair.a().sender().commit(claim, 1, 0, 8), Status::ok);
    std::atomic_ref(header.mark).store(Mark::pack(0, 0, kPadding));
    EXPECT_EQ(pair.b().receiver().drain(kAll, [](const Record&) { return Verdict::consumed; }), kCorrupt)
        << "it would give a whole lap away";
}

TEST(CircularRing, ItsBlockHasAPageForTheWordsAndEachRingTwice) {
    constexpr BlockLayout layout{
        .inbound_slots = 16, .mirror_slots = 32, .slot_bytes = 256, .page_bytes = 4096};
    EXPECT_EQ(layout.slots(), 4096U);
    EXPECT_EQ(layout.mirror(), 4096U + 2 * 4096);
    EXPECT_EQ(layout.bytes(), 4096U + 2 * 4096 + 2 * 8192);
    EXPECT_EQ(mapped_bytes<Circular::Layout>(16), 2U * 4096);
    EXPECT_EQ(mapped_bytes<OnceMapped::Layout>(16), 4096U);
}

TEST(CircularRing, OfHalfAPageIsRefused) {
    EXPECT_THROW(CircularPair({.slots = 8, .alpha = 4, .beta = 2, .gamma = 4}), StartupError);
}

}  // namespace
}  // namespace rb2::ring::test
