// Every immediate finds a receive, however fast one side sends and however seldom the other one looks; where
// it finds none after all, it waits and is not lost.

#include <gtest/gtest.h>

#include <random>

#include "runtime/ring/fake_channel.hpp"
#include "tests/runtime/ring/message.hpp"

namespace rb2::ring::test {
namespace {

constexpr std::uint64_t kMessages = 2000;

/// A flood of messages of one to seven slots from one seed; the receiver looks now and then, for long or
/// short.
class Flood {
  public:
    Flood(std::uint64_t seed, std::size_t receives)
        : dice_(seed),
          pair_({.slots = 512, .alpha = 128, .beta = 64, .gamma = 128},
                {.seed = seed, .manual = true, .imm_receives = receives}) {}

    /// False if it stands still before all have arrived, whole and in order.
    [[nodiscard]] bool run() {
        for (int round = 0; round < 50'000 && received_ < kMessages; ++round) {
            if (dice_() % 4 != 0) offer();
            for (auto steps = dice_() % 8; steps != 0; --steps) static_cast<void>(pair_.link().step());
            if (round / 64 % 3 == 0) drain();
        }
        return received_ == kMessages;
    }
    [[nodiscard]] std::uint64_t not_ready() { return pair_.link().a().counters().not_ready; }
    [[nodiscard]] std::uint64_t immediates() { return pair_.link().a().counters().imms; }

  private:
    static std::uint32_t length_of(std::uint64_t number) {
        return static_cast<std::uint32_t>(mixed(number) % 400);
    }

    void offer() {
        auto& sender = pair_.a().sender();
        ASSERT_EQ(sender.poll(), Status::ok);
        if (sent_ < kMessages && send(sender, sent_, length_of(sent_))) ++sent_;
        ASSERT_NE(sender.flush(), Status::peer_lost);
    }

    void drain() {
        const auto budget = 1 + static_cast<int>(dice_() % 100);
        const int count = pair_.b().receiver().drain(budget, [&](const Record& record) {
            EXPECT_EQ(record.word, received_);
            EXPECT_TRUE(intact(received_, record.payload));
            ++received_;
            return Verdict::consumed;
        });
        ASSERT_NE(count, kCorrupt);
        if (dice_() % 16 == 0) static_cast<void>(pair_.b().receiver().release());
    }

    std::mt19937_64 dice_;
    FakePairOf<mix::Rb2Immediate> pair_;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
};

TEST(Receives, EveryImmediateFindsOne) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Flood flood(seed, 64);
        ASSERT_TRUE(flood.run()) << seed;
        ASSERT_EQ(flood.not_ready(), 0U) << seed;
        ASSERT_GT(flood.immediates(), kMessages / 20) << seed;
    }
}

TEST(Receives, WithFewerTheImmediatesWaitAndNothingIsLost) {
    std::uint64_t waited = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Flood flood(seed, 32);
        ASSERT_TRUE(flood.run()) << seed;
        waited += flood.not_ready();
    }
    EXPECT_GT(waited, 0U);
}

}  // namespace
}  // namespace rb2::ring::test
