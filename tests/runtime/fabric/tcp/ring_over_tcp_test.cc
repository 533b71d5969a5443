// RB² and other mixes over a TCP connection: whole, in order, whatever the kernel does to the stream.

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "runtime/ring/fake_channel.hpp"
#include "tests/runtime/content.hpp"
#include "tests/runtime/fabric/tcp/cut_io.hpp"
#include "tests/runtime/fabric/tcp/ring_pair.hpp"

namespace rb2::fabric::tcp::test {
namespace {

using ring::Parameters;
using ring::Record;
using ring::Verdict;

std::uint32_t length_of(std::uint64_t number, std::uint32_t limit) {
    const std::uint64_t dice = rb2::test::mixed(number + 1);
    return static_cast<std::uint32_t>((dice >> 8) % ((dice % 16 == 0 ? limit : 100) + 1));
}

/// One way of a channel, a step at a time.
template <class Channel>
class Flow {
  public:
    Flow(Channel& from, Channel& to, std::uint64_t count)
        : from_(&from), to_(&to), count_(count), limit_(from.sender().max_length()) {}

    void send(unsigned most) {
        for (; most != 0 && sent_ < count_; --most) {
            const std::uint32_t length = length_of(sent_, limit_);
            ring::Claim claim = from_->sender().try_claim(length);
            if (!claim) break;
            rb2::test::fill(sent_, {claim.payload, length});
            ASSERT_EQ(from_->sender().commit(claim, 1, sent_, length), Status::ok);
            ++sent_;
        }
        static_cast<void>(from_->sender().flush());
        ASSERT_EQ(from_->sender().poll(), Status::ok);
    }
    void receive(int most) {
        const int taken = to_->receiver().drain(most, [&](const Record& record) {
            EXPECT_EQ(record.word, received_);
            EXPECT_EQ(record.payload.size(), length_of(received_, limit_));
            EXPECT_TRUE(rb2::test::intact(received_, record.payload));
            ++received_;
            return Verdict::consumed;
        });
        ASSERT_NE(taken, ring::kCorrupt);
    }
    [[nodiscard]] bool done() const { return received_ == count_; }
    [[nodiscard]] std::uint64_t received() const { return received_; }

  private:
    Channel* from_;
    Channel* to_;
    std::uint64_t count_;
    std::uint32_t limit_;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
};

template <class M>
void exchange(const Parameters& parameters, std::uint64_t count, const Io& io) {
    Options options_a = options(0);
    Options options_b = options(1);
    options_a.io = options_b.io = &io;
    RingPair<M> pair(parameters, std::move(options_a), std::move(options_b));
    Flow there(pair.a(), pair.b(), count);
    Flow back(pair.b(), pair.a(), count);
    unsigned round = 0;
    ASSERT_TRUE(step_until({&pair.link().a, &pair.link().b},
                           [&] {
                               there.send(1 + round % 7);
                               back.send(1 + round % 3);
                               there.receive(16);
                               back.receive(5);
                               ++round;
                               return (there.done() && back.done()) || testing::Test::HasFatalFailure();
                           }))
        << there.received() << " and " << back.received() << " of " << count;
    EXPECT_EQ(pair.link().end_a().cause(), "");
    EXPECT_EQ(pair.link().end_b().cause(), "");
}

TEST(RingOverTcp, DeliversBothWays) {
    exchange<ring::mix::Rb2>(Parameters::messaging(64), 20'000, kKernelIo);
}

TEST(RingOverTcp, DeliversThroughAStreamCutAtAnyByte) {
    for (const auto& [most, count] : {std::pair(3, 100), std::pair(50, 500), std::pair(5000, 800)}) {
        cuts = {.most = static_cast<std::size_t>(most), .refused = 20};
        exchange<ring::mix::Rb2>(Parameters::messaging(64), static_cast<std::uint64_t>(count), kCutIo);
    }
    cuts = {};
}

TEST(RingOverTcp, SlotsLongerThanABufferedFrameToo) {
    cuts = {.most = 3000, .refused = 10};
    exchange<ring::mix::Rb2>(Parameters::messaging(1024), 500, kCutIo);
    cuts = {};
}

TEST(RingOverTcp, PollMessageMayTrustTheOrderOfBytes) {
    cuts = {.most = 700, .refused = 10};
    exchange<ring::Mix<ring::head::LazyPush, ring::tail::PollMessage, ring::batching::None,
                       ring::placement::Mirrored>>(Parameters::messaging(512), 500, kCutIo);
    cuts = {};
}

TEST(RingOverTcp, ImmediatesAnnounceRecords) {
    exchange<ring::mix::SocksDirect>(Parameters::messaging(256), 2000, kKernelIo);
}

TEST(RingOverTcp, HeadsCanBePulled) {
    exchange<ring::Mix<ring::head::LazyPull, ring::tail::WriteTwice, ring::batching::Adaptive,
                       ring::placement::Mirrored>>(Parameters::messaging(64), 2000, kKernelIo);
}

TEST(RingOverTcp, AResetInTheMiddleOfAFrameEndsTheRingWithPeerLost) {
    for (std::uint64_t calls = 1; calls < 40; ++calls) {
        Options options_a = options(0);
        options_a.io = &kCutIo;
        RingPair<ring::mix::Rb2> pair(Parameters::messaging(64), std::move(options_a));
        cuts = {.most = 40, .calls_left = calls};
        std::uint64_t received = 0;
        ASSERT_TRUE(step_until({&pair.link().a, &pair.link().b}, [&] {
            ring::Claim claim = pair.a().sender().try_claim(1000);
            if (claim) static_cast<void>(pair.a().sender().commit(claim, 1, 0, 1000));
            static_cast<void>(pair.a().sender().flush());
            const int taken = pair.b().receiver().drain(8, [&](const Record& record) {
                EXPECT_EQ(record.payload.size(), 1000U);
                return Verdict::consumed;
            });
            received += static_cast<std::uint64_t>(std::max(taken, 0));
            return pair.a().sender().poll() == Status::peer_lost &&
                   pair.link().end_b().status() == Status::peer_lost;
        })) << calls;
        EXPECT_NE(pair.link().end_a().cause().find("reset"), std::string::npos)
            << pair.link().end_a().cause();
        cuts = {};
    }
}

/// The promise that a send call gives on: ok means that the kernel has it all.
TEST(RingOverTcp, FlushIsOkOnlyOnceTheKernelHasEverything) {
    RingPair<ring::mix::Rb2> pair(Parameters::messaging(std::uint64_t{1} << 17));
    auto& sender = pair.a().sender();
    const auto unsent = [&] { return pair.link().end_a().unsent(); };
    for (int i = 0; i < 1000 && unsent() == 0; ++i) {
        ring::Claim claim = sender.try_claim(100'000);
        if (!claim) break;
        ASSERT_EQ(sender.commit(claim, 1, 0, 100'000), Status::ok);
        const Status flushed = sender.flush();
        ASSERT_EQ(flushed == Status::ok, unsent() == 0);
    }
    ASSERT_GT(unsent(), 0U) << "the kernel took a whole ring";
    EXPECT_EQ(sender.flush(), Status::would_block);
    EXPECT_EQ(sender.poll(), Status::ok);
    EXPECT_EQ(sender.flush(), Status::would_block);
    ASSERT_TRUE(step_until({&pair.link().b, &pair.link().a}, [&] { return unsent() == 0; }));
    EXPECT_EQ(sender.flush(), Status::ok);
}

/// What a message costs on an idle wire.
TEST(RingOverTcp, AMessageAndItsAnswerTakeTwoFramesAndOneCallEach) {
    RingPair<ring::mix::Rb2> pair(Parameters::messaging(64));
    ASSERT_TRUE(pair.link().settle());
    const Counters before = pair.link().a.counters();
    constexpr std::uint64_t count = 10;
    for (std::uint64_t i = 0; i < count; ++i) {
        ring::Claim claim = pair.a().sender().try_claim(8);
        ASSERT_EQ(pair.a().sender().commit(claim, 1, i, 8), Status::ok);
        ASSERT_EQ(pair.a().sender().flush(), Status::ok);
    }
    EXPECT_EQ(pair.link().a.counters().frames - before.frames, 2 * count);
    EXPECT_EQ(pair.link().a.counters().sends - before.sends, count);
    // Of the slot its header and the 8 bytes; then the announcement.
    EXPECT_EQ(pair.link().a.counters().sent_bytes - before.sent_bytes, count * (24 + 16 + 8 + 24 + 8));
}

TEST(RingOverTcp, TwoThreadsEachWithItsOwnContext) {
    constexpr std::uint64_t count = 5000;
    RingPair<ring::mix::Rb2> pair(Parameters::messaging(64));
    Flow there(pair.a(), pair.b(), count);
    std::jthread sender([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            there.send(5);
            pair.link().a.progress();
        }
    });
    const auto end = Clock::now() + std::chrono::seconds(60);
    while (!there.done() && Clock::now() < end) {
        pair.link().b.progress();
        there.receive(64);
    }
    EXPECT_TRUE(there.done()) << there.received();
}

}  // namespace
}  // namespace rb2::fabric::tcp::test
