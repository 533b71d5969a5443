// Records whose payload never lies in the sender's ring: commit_from(), among others that do, over a fabric
// that is late and full.

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "runtime/ring/fake_channel.hpp"
#include "tests/runtime/ring/message.hpp"

namespace rb2::ring::test {
namespace {

constexpr std::uint64_t kMessages = 3000;
constexpr std::size_t kSources = 3;
constexpr std::size_t kSourceBytes = 1000;

/// Messages of one to sixteen slots, every other of which is lent on average. Sources are overwritten as soon
/// as the fabric has done all that it was asked for.
template <class M>
class Lending {
  public:
    Lending(std::uint64_t seed, std::size_t queue_length)
        : dice_(seed),
          pair_({.slots = 128, .alpha = 32, .beta = 16, .gamma = 32},
                {.seed = seed, .manual = true, .queue_length = queue_length}),
          memory_(kSources * kSourceBytes),
          region_(pair_.link().a().register_memory(memory_)) {}

    /// False if it stands still before all have arrived, whole and in order.
    [[nodiscard]] bool run() {
        for (int round = 0; round < 100'000 && received_ < kMessages; ++round) {
            if (dice_() % 4 != 0 && sent_ < kMessages && offer()) ++sent_;
            EXPECT_EQ(pair_.a().sender().poll(), Status::ok);
            if (dice_() % 3 == 0) deliver();
            if (dice_() % 3 == 0) drain();
        }
        return received_ == kMessages;
    }
    [[nodiscard]] std::uint64_t lent() const { return lent_; }
    /// Lent ones that had to wait for the fabric.
    [[nodiscard]] std::uint64_t late() const { return late_; }
    [[nodiscard]] fabric::fake::Counters counters() { return pair_.link().a().counters(); }

  private:
    bool offer() {
        auto& sender = pair_.a().sender();
        const auto length = static_cast<std::uint32_t>(mixed(sent_) % kSourceBytes);
        Claim claim = sender.try_claim(length);
        if (!claim) return false;
        if (dice_() % 2 == 0 && used_ < kSources && lend(claim, length)) return true;
        fill(sent_, {claim.payload, length});
        return sender.commit_and_flush(claim, kind_of(sent_), sent_, length) == Status::ok;
    }

    bool lend(Claim& claim, std::uint32_t length) {
        const std::span source(memory_.data() + used_ * kSourceBytes, length);
        fill(sent_, source);
        if (!pair_.a().sender().commit_from(claim, kind_of(sent_), sent_,
                                            {source.data(), length, region_.key()}, fabric::Signal{1})) {
            EXPECT_TRUE(claim) << "it is still there";
            return false;
        }
        EXPECT_FALSE(claim);
        ++used_;
        ++lent_;
        late_ += pair_.a().sender().flush() == Status::would_block ? 1 : 0;
        return true;
    }

    void deliver() {
        for (auto steps = dice_() % 12; steps != 0; --steps)
            if (!pair_.link().step()) return reuse_sources();
    }

    void reuse_sources() {
        std::ranges::fill(memory_, std::byte{0xee});
        used_ = 0;
    }

    void drain() {
        const int count =
            pair_.b().receiver().drain(1 + static_cast<int>(dice_() % 8), [&](const Record& record) {
                EXPECT_EQ(record.word, received_);
                EXPECT_EQ(record.kind, kind_of(received_));
                EXPECT_TRUE(intact(received_, record.payload)) << received_;
                ++received_;
                return Verdict::consumed;
            });
        ASSERT_NE(count, kCorrupt);
    }

    std::mt19937_64 dice_;
    FakePairOf<M> pair_;
    std::vector<std::byte> memory_;
    fabric::fake::Region region_;
    std::size_t used_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t lent_ = 0;
    std::uint64_t late_ = 0;
};

template <class M>
class Lends : public testing::Test {};
using Mixes = testing::Types<mix::Rb2Flushed, mix::Rb2>;
TYPED_TEST_SUITE(Lends, Mixes);

TYPED_TEST(Lends, WhatIsLentArrivesAmongWhatIsCopied) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        Lending<TypeParam> lending(seed, 1024);
        ASSERT_TRUE(lending.run()) << seed;
        ASSERT_GT(lending.lent(), kMessages / 20) << seed;
        ASSERT_EQ(lending.late(), 0U) << seed;
    }
}

TYPED_TEST(Lends, AHeaderThatWaitsForTheFabricLeavesWithItsPayload) {
    std::uint64_t late = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        Lending<TypeParam> lending(seed, 4);
        ASSERT_TRUE(lending.run()) << seed;
        late += lending.late();
    }
    EXPECT_GT(late, 100U);
}

TEST(Lending, TheMirrorSendsNoMoreThanTheHeader) {
    FakePairOf<mix::Rb2Flushed> pair({.slots = 128, .alpha = 32, .beta = 16, .gamma = 32});
    std::vector<std::byte> memory(1000);
    const auto region = pair.link().a().register_memory(memory);
    fill(0, memory);
    Claim claim = pair.a().sender().try_claim(1000);
    ASSERT_TRUE(pair.a().sender().commit_from(claim, kind_of(0), 0, {memory.data(), 1000, region.key()}, {}));
    EXPECT_EQ(pair.link().a().counters().writes, 2U) << "payload; header, which announces both";
    EXPECT_EQ(pair.link().a().counters().imms, 1U);
    EXPECT_EQ(pair.link().a().counters().write_bytes, 1000U + sizeof(RecordHeader));
    EXPECT_EQ(pair.link().a().counters().doorbells, 1U);
}

}  // namespace
}  // namespace rb2::ring::test
