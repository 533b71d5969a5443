// Two ranks come to have a connection by words that are lost, doubled and late; nothing is sent to a side
// that has not connected, whoever began.
#include "runtime/network/introduction.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "runtime/network/channel_over.hpp"
#include "runtime/network/hello.hpp"
#include "runtime/ring/fake_channel.hpp"

namespace rb2::network {
namespace {

using Clock = Introduction::Clock;
using std::chrono::milliseconds;

/// What a bad network may do to each word.
struct Weather {
    unsigned lost_of_ten = 0;
    unsigned doubled_of_ten = 0;
    unsigned latest_ms = 1;  ///< words overtake each other
};

/// Two sides, one millisecond a step.
class Strangers {
  public:
    Strangers(unsigned seed, const Weather& weather) : random_(seed), weather_(weather) {}

    Introduction& side(std::size_t which) { return sides_[which]; }
    void begin(std::size_t which) { side(which).begin(now_); }
    void deafen(std::size_t which, milliseconds until) { deaf_until_[which] = now_ + until; }

    void step() {
        now_ += milliseconds(1);
        for (std::size_t own : {0U, 1U}) {
            if (now_ < deaf_until_[own]) continue;
            for (const Introduction::Word& word : arrivals(own)) {
                if (side(own).heard(word, now_)) say(own);
            }
            if (side(own).due(now_)) say(own);
            // What a sure side sends over the connection meets a peer that has connected.
            ASSERT_TRUE(!side(own).sure() || side(1 - own).connected());
        }
    }
    [[nodiscard]] bool both_sure() { return side(0).sure() && side(1).sure(); }
    /// Steps until both are sure; none: it took longer than `most`.
    std::optional<int> until_sure(int most = 100000) {
        for (int steps = 0; steps < most; ++steps) {
            if (both_sure()) return steps;
            step();
        }
        return std::nullopt;
    }
    [[nodiscard]] int said() const { return said_; }

  private:
    struct Flying {
        std::size_t to;
        Introduction::Word word;
        Clock::time_point at;
    };

    unsigned up_to(unsigned most) { return std::uniform_int_distribution<unsigned>(0, most)(random_); }

    void say(std::size_t own) {
        ++said_;
        if (up_to(9) < weather_.lost_of_ten) return;
        const int copies = up_to(9) < weather_.doubled_of_ten ? 2 : 1;
        for (int copy = 0; copy < copies; ++copy)
            flying_.push_back(
                {1 - own, side(own).word(), now_ + milliseconds(1 + up_to(weather_.latest_ms))});
    }

    std::vector<Introduction::Word> arrivals(std::size_t own) {
        std::vector<Introduction::Word> words;
        std::erase_if(flying_, [&](const Flying& one) {
            if (one.to != own || one.at > now_) return false;
            words.push_back(one.word);
            return true;
        });
        return words;
    }

    std::array<Introduction, 2> sides_;
    std::array<Clock::time_point, 2> deaf_until_{};
    std::vector<Flying> flying_;
    Clock::time_point now_{std::chrono::hours(1)};
    std::mt19937 random_;
    Weather weather_;
    int said_ = 0;
};

TEST(Introduction, ThreeWordsIfOneSideBegins) {
    Strangers two(1, {.latest_ms = 0});
    two.begin(0);
    ASSERT_TRUE(two.until_sure());
    for (int i = 0; i < 2000; ++i) two.step();
    EXPECT_EQ(two.said(), 3);
}

TEST(Introduction, SixIfBothBeginAtOnce) {
    Strangers two(1, {.latest_ms = 0});
    two.begin(0);
    two.begin(1);
    ASSERT_TRUE(two.until_sure());
    for (int i = 0; i < 2000; ++i) two.step();
    EXPECT_EQ(two.said(), 6);
}

TEST(Introduction, NothingIsSaidThatNobodyWants) {
    Strangers two(1, {});
    for (int i = 0; i < 2000; ++i) two.step();
    EXPECT_EQ(two.said(), 0);
}

TEST(Introduction, InAnyWeatherWhoeverBegins) {
    for (unsigned seed = 0; seed < 400; ++seed) {
        Strangers two(seed, {.lost_of_ten = seed % 8, .doubled_of_ten = seed % 5, .latest_ms = seed % 60});
        two.begin(seed % 2);
        for (unsigned i = 0; i < seed % 37; ++i) two.step();
        if (seed % 3 == 0) two.begin(1 - seed % 2);
        ASSERT_TRUE(two.until_sure()) << "seed " << seed;
        const int then = two.said();
        for (int i = 0; i < 2000; ++i) two.step();
        EXPECT_LE(two.said() - then, 12) << "seed " << seed << ": both are sure, and go on talking";
        if (HasFatalFailure()) FAIL() << "seed " << seed;
    }
}

TEST(Introduction, APeerThatComputesForMinutesIsNoDeadOne) {
    Strangers two(1, {});
    two.deafen(1, std::chrono::minutes(10));
    two.begin(0);
    EXPECT_FALSE(two.until_sure(10 * 60 * 1000 - 1000));
    EXPECT_LT(two.said(), 1300) << "asked ever more seldom";
    EXPECT_TRUE(two.until_sure(2000));
}

class RegistersNothing final : public Registrar {
    std::unique_ptr<Pin> pin(std::span<const std::byte>, Access) noexcept override { return nullptr; }
};

TEST(Introduction, AChannelOpenedBySureSidesCarriesRecordsBothWays) {
    using Endpoint = fabric::fake::Endpoint;
    using Channel = ChannelOver<ring::mix::Rb2, Endpoint>;
    constexpr auto parameters = ring::Parameters::messaging(256);
    fabric::fake::LinkOf<Endpoint> link{{}};
    const std::array<Endpoint*, 2> ends{&link.a(), &link.b()};
    const auto layout = ring::block_layout<ring::mix::Rb2, ring::RingMemory>(parameters);
    std::array<ring::RingMemory, 2> memory{ring::RingMemory(layout), ring::RingMemory(layout)};
    std::vector<fabric::fake::Region> regions;
    RegistersNothing registrar;
    std::vector<std::unique_ptr<Channel>> channels;
    for (std::size_t i : {0U, 1U}) regions.push_back(ends[i]->register_memory(memory[i].bytes()));
    for (std::size_t i : {0U, 1U})
        channels.push_back(std::make_unique<Channel>(*ends[i], registrar,
                                                     ring::BlockPair{.own = memory[i].bytes().data(),
                                                                     .own_layout = layout,
                                                                     .own_key = regions[i].key(),
                                                                     .peer = {}},
                                                     parameters, parameters, DirectParameters{}));

    Strangers two(3, {.lost_of_ten = 4, .latest_ms = 9});
    std::array<int, 2> heard{};
    std::array<bool, 2> sent{};
    for (std::size_t i : {0U, 1U}) {
        EXPECT_FALSE(channels[i]->try_claim(8));
        EXPECT_TRUE(channels[i]->wanted());
        two.begin(i);
    }
    for (int step = 0; step < 5000 && heard != std::array{1, 1}; ++step) {
        two.step();
        for (std::size_t i : {0U, 1U}) {
            if (two.side(i).sure() && !channels[i]->open()) channels[i]->open_to(regions[1 - i].remote());
            if (!sent[i]) {
                ring::Claim claim = channels[i]->try_claim(8);
                sent[i] = claim && channels[i]->commit(claim, 1, 0, 8) == Status::ok;
            }
            const int records = channels[i]->drain(
                8, {[](void*, const ring::Record&) { return ring::Verdict::consumed; }, nullptr});
            ASSERT_GE(records, 0);
            heard[i] += records;
        }
    }
    EXPECT_EQ(heard, (std::array{1, 1}));
}

// --- What a word is written as

Hello hello(std::uint32_t from, std::uint32_t to) {
    Hello made{.job = 7, .from = from, .to = to, .memory = {4096, 5}, .pair_count = 2};
    made.pairs[0] = {11, 12};
    made.pairs[1] = {13, 14};
    made.mailbox.address.lid = 9;
    return made;
}

std::optional<Hello> read(const Hello& written, std::uint32_t rank = 1) {
    return read_hello(std::as_bytes(std::span(&written, 1)), 7, rank, 4);
}

TEST(Hello, CarriesACardForEachQueuePair) {
    const auto got = read(hello(0, 1));
    ASSERT_TRUE(got);
    const LineCard line = got->card();
    ASSERT_EQ(line.pairs_per_rail(), 2U);
    EXPECT_EQ(line.card(0).queue_pair, 11U);
    EXPECT_EQ(line.memory.address, 4096U);
    EXPECT_EQ(line.card(1).first_packet, 14U);
    EXPECT_EQ(line.card(1).address.lid, 9U);
}

TEST(Hello, CarriesFurtherRails) {
    LineCard line = hello(0, 1).card();
    line.further = {{.mtu = 4, .lid = 21}, {.mtu = 5, .lid = 22}};
    line.pairs = {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 77}};
    Hello words = hello(0, 1);
    words.set_card(line);
    const auto got = read(words);
    ASSERT_TRUE(got);
    const LineCard heard = got->card();
    ASSERT_EQ(heard.rails(), 3U);
    ASSERT_EQ(heard.pairs_per_rail(), 2U);
    EXPECT_EQ(heard.number(2, 1), 5U);
    EXPECT_EQ(heard.card(1).address.lid, 9U);
    EXPECT_EQ(heard.card(2).address.lid, 21);
    EXPECT_EQ(heard.card(5).address.lid, 22);
    EXPECT_EQ(heard.card(5).first_packet, 77U);
}

TEST(Hello, TellsNothingOfTheSecret) {
    std::array<std::byte, 32> secret{};
    for (std::size_t i = 0; i < secret.size(); ++i) secret[i] = static_cast<std::byte>(i);
    const JobKeys keys(secret);
    for (std::size_t i = 0; i + sizeof keys.job <= secret.size(); ++i)
        EXPECT_NE(std::memcmp(&keys.job, &secret[i], sizeof keys.job), 0);
    EXPECT_EQ(JobKeys(secret).job, keys.job) << "the same for all ranks";
    secret[31] = std::byte{0};
    EXPECT_NE(JobKeys(secret).job, keys.job);
    EXPECT_NE(JobKeys(secret).datagrams, keys.datagrams);
}

TEST(Hello, OnlyThisJobsForThisRank) {
    EXPECT_FALSE(read(hello(0, 1), 2)) << "for another rank";
    EXPECT_FALSE(read(hello(1, 1))) << "from itself";
    EXPECT_FALSE(read(hello(4, 1))) << "from a rank that the job does not have";
    Hello wrong = hello(0, 1);
    wrong.job = 8;
    EXPECT_FALSE(read(wrong)) << "of another job";
    wrong = hello(0, 1);
    wrong.pair_count = 17;
    EXPECT_FALSE(read(wrong)) << "more queue pairs than fit";
    wrong = hello(0, 1);
    wrong.further_count = 4;
    EXPECT_FALSE(read(wrong)) << "more rails than fit";
    wrong.further_count = 2;
    EXPECT_FALSE(read(wrong)) << "not as many queue pairs on each";
    wrong.further_count = 0;
    wrong.pair_count = 0;
    EXPECT_FALSE(read(wrong)) << "none";
    wrong.flags = Hello::kRefused;
    EXPECT_TRUE(read(wrong)) << "a refusal names none";
    const Hello whole = hello(0, 1);
    EXPECT_FALSE(read_hello(std::as_bytes(std::span(&whole, 1)).first(100), 7, 1, 4)) << "cut off";
}

}  // namespace
}  // namespace rb2::network
