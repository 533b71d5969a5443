// The real ring under a seeded scheduler: every step of sender, receiver and fabric comes from one seed, so
// that thousands of interleavings are tried and each can be tried again: RB2_RING_SEED=<seed> runs only that
// one.

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "runtime/ring/fake_channel.hpp"
#include "tests/runtime/ring/message.hpp"

namespace rb2::ring::test {
namespace {

constexpr std::uint64_t kSeeds = 3000;
constexpr std::uint64_t kMessages = 60;
constexpr int kStepLimit = 100'000;

Parameters parameters_of(std::mt19937_64& dice) {
    const std::uint64_t slots = std::uint64_t{8} << dice() % 3;
    const std::uint64_t alpha = 1 + dice() % (slots / 2);
    const std::uint64_t near_wrap = (std::uint64_t{1} << 32) - dice() % 64;
    return {.slots = slots,
            .alpha = alpha,
            .beta = 1 + dice() % alpha,
            .gamma = 1 + dice() % (slots / 2),
            .start = dice() % 2 == 0 ? 0 : near_wrap};
}

fabric::fake::Options options_of(std::mt19937_64& dice) {
    return {.seed = dice(),
            .manual = true,
            .shuffle_bytes = dice() % 2 == 0,
            .hold_completions = dice() % 2 == 0,
            .queue_length = dice() % 2 == 0 ? 4 : std::size_t{1024}};
}

/// One run of kMessages from one seed.
template <class M>
class Schedule {
  public:
    explicit Schedule(std::uint64_t seed) : dice_(seed), pair_(parameters_of(dice_), options_of(dice_)) {}

    /// Empty when all messages came whole, once and in order; else what went wrong.
    [[nodiscard]] std::string run() {
        for (int step = 0; step < kStepLimit && received_ < kMessages && wrong_.empty(); ++step) move();
        if (wrong_.empty() && received_ < kMessages) return "stuck after " + std::to_string(received_);
        return wrong_;
    }

  private:
    void move() {
        switch (dice_() % 8) {
            case 0:
            case 1:
                return offer();
            case 2:
                return static_cast<void>(pair_.a().sender().flush());
            case 3:
                return static_cast<void>(pair_.a().sender().poll());
            case 4:
                return drain();
            case 5:
                return static_cast<void>(pair_.b().receiver().release());
            case 6:
                return pair_.link().a().release_completions();
            default:
                static_cast<void>(pair_.link().step());
        }
    }

    [[nodiscard]] std::uint32_t length_of(std::uint64_t number) {
        return static_cast<std::uint32_t>(mixed(number) % (pair_.a().sender().max_length() + 1));
    }

    void offer() {
        if (sent_ < kMessages && send(pair_.a().sender(), sent_, length_of(sent_))) ++sent_;
    }

    void drain() {
        const int count =
            pair_.b().receiver().drain(1 + static_cast<int>(dice_() % 3), [&](const Record& record) {
                if (dice_() % 8 == 0) return Verdict::keep;
                const bool good = record.word == received_ && record.payload.size() == length_of(received_) &&
                                  intact(received_, record.payload);
                if (!good) wrong_ = "message " + std::to_string(received_) + " is not what was sent";
                ++received_;
                return Verdict::consumed;
            });
        if (count == kCorrupt) wrong_ = "corrupt at message " + std::to_string(received_);
    }

    std::mt19937_64 dice_;
    FakePairOf<M> pair_;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    std::string wrong_;
};

TEST(Schedule, EverySeedDeliversEachMessageWholeOnceAndInOrder) {
    if (const char* const only = std::getenv("RB2_RING_SEED"); only != nullptr) {
        EXPECT_EQ(Schedule<mix::Rb2>(std::strtoull(only, nullptr, 10)).run(), "");
        return;
    }
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        ASSERT_EQ(Schedule<mix::Rb2>(seed).run(), "") << "again: RB2_RING_SEED=" << seed;
    }
}

/// The sender takes the whole ring for its own, read or not.
struct NoHead : head::LazyPush {
    template <fabric::Endpoint Endpoint>
    class Outbound : public head::LazyPush::Outbound<Endpoint> {
        using Base = head::LazyPush::Outbound<Endpoint>;

      public:
        using Base::Base;
        std::uint64_t refresh(std::uint64_t tail) noexcept { return ahead_ = tail; }
        [[nodiscard]] std::uint64_t cached() const noexcept { return ahead_; }

      private:
        std::uint64_t ahead_ = Base::cached();
    };
};

TEST(Schedule, ASenderThatTakesUnreadSlotsIsCaught) {
    using Broken = Mix<NoHead, tail::WriteTwice, batching::Adaptive, placement::Mirrored>;
    int caught = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) caught += Schedule<Broken>(seed).run().empty() ? 0 : 1;
    EXPECT_GT(caught, 10);
}

}  // namespace
}  // namespace rb2::ring::test
