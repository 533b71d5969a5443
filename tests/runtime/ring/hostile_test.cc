// The RB² mix over a fabric that is as unkind as its contract allows, and over one that breaks.

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "runtime/fabric/fault/endpoint.hpp"
#include "runtime/ring/channel.hpp"
#include "tests/runtime/ring/message.hpp"
#include "tests/runtime/ring/shm_pair.hpp"

namespace rb2::ring::test {
namespace {

constexpr int kAll = 1 << 20;

/// Mirrored rings over decorated shared memory.
class HostilePair {
  public:
    using Endpoint = fabric::fault::Endpoint<fabric::shm::Endpoint>;
    using Channel = RingChannel<mix::Rb2, Endpoint>;

    HostilePair(const Parameters& parameters, const fabric::fault::Plan& sending,
                const fabric::fault::Plan& receiving, CompletionSink sink = {})
        : layout_{.inbound_slots = parameters.slots, .mirror_slots = parameters.slots},
          memory_a_(layout_.bytes()),
          memory_b_(layout_.bytes()),
          shm_a_({.own = memory_a_.bytes(), .peer = memory_b_.bytes()}),
          shm_b_({.own = memory_b_.bytes(), .peer = memory_a_.bytes()}),
          a_(shm_a_, sending),
          b_(shm_b_, receiving),
          sender_(a_, blocks(memory_a_).sender(sink), parameters),
          receiver_(b_, blocks(memory_b_).receiver(), parameters) {}

    [[nodiscard]] auto& sender() noexcept { return sender_; }
    [[nodiscard]] auto& receiver() noexcept { return receiver_; }
    [[nodiscard]] Endpoint& sending() noexcept { return a_; }
    [[nodiscard]] Endpoint& receiving() noexcept { return b_; }

  private:
    [[nodiscard]] BlockPair blocks(Block& own) const {
        return {.own = own.bytes().data(), .own_layout = layout_, .own_key = 0, .peer = {}};
    }

    BlockLayout layout_;
    Block memory_a_;
    Block memory_b_;
    fabric::shm::Endpoint shm_a_;
    fabric::shm::Endpoint shm_b_;
    Endpoint a_;
    Endpoint b_;
    Sender<mix::Rb2, Endpoint> sender_;
    Receiver<mix::Rb2, Endpoint> receiver_;
};

TEST(Hostile, DelaysInBothDirectionsLoseNothing) {
    constexpr std::uint64_t messages = 2000;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const fabric::fault::Plan plan{.seed = seed, .delay = true, .shuffle_bytes = true, .reorder = true};
        HostilePair pair({.slots = 16, .alpha = 4, .beta = 2, .gamma = 4}, plan, plan);
        std::mt19937_64 dice(seed);
        std::uint64_t sent = 0;
        std::uint64_t received = 0;
        while (received < messages) {
            const auto length = static_cast<std::uint32_t>(mixed(sent) % (pair.sender().max_length() + 1));
            if (sent < messages && send(pair.sender(), sent, length)) ++sent;
            if (sent == messages) static_cast<void>(pair.sender().flush());
            ASSERT_EQ(pair.sender().poll(), Status::ok);
            if (dice() % 2 == 0) pair.sending().step();
            if (dice() % 2 == 0) pair.receiving().step();
            ASSERT_GE(pair.receiver().drain(kAll,
                                            [&](const Record& record) {
                                                EXPECT_EQ(record.word, received);
                                                EXPECT_TRUE(intact(received++, record.payload));
                                                return Verdict::consumed;
                                            }),
                      0);
        }
    }
}

TEST(Hostile, WhicheverOperationFailsTheSenderSaysSoAndWhatArrivedIsWhole) {
    constexpr std::uint64_t messages = 64;
    for (std::uint64_t nth = 0; nth < 20; ++nth) {
        HostilePair pair({.slots = 128, .alpha = 8, .beta = 4, .gamma = 64}, {.fail_at = nth}, {});
        std::uint64_t accepted = 0;
        while (accepted < messages && send(pair.sender(), accepted, 40)) ++accepted;
        EXPECT_LT(accepted, messages) << nth;
        EXPECT_EQ(pair.sender().status(), Status::peer_lost);
        EXPECT_EQ(pair.sender().flush(), Status::peer_lost);
        EXPECT_EQ(pair.sender().poll(), Status::peer_lost);
        std::uint64_t received = 0;
        const int count = pair.receiver().drain(kAll, [&](const Record& record) {
            EXPECT_TRUE(intact(received++, record.payload));
            return Verdict::consumed;
        });
        EXPECT_LE(static_cast<std::uint64_t>(count), accepted);
    }
}

TEST(Hostile, AFailedHeadPushIsReportedByRelease) {
    HostilePair pair({.slots = 16, .alpha = 4, .beta = 2, .gamma = 4}, {}, {.fail_at = 1});
    for (const Status expected : {Status::ok, Status::peer_lost}) {
        ASSERT_TRUE(send(pair.sender(), 0, 8));
        ASSERT_EQ(pair.sender().flush(), Status::ok);
        ASSERT_EQ(pair.receiver().drain(kAll, [](const Record&) { return Verdict::consumed; }), 1);
        EXPECT_EQ(pair.receiver().release(), expected);
    }
    EXPECT_EQ(pair.sender().room(), 14U) << "the second push never arrived";
}

TEST(CompletionSink, GetsWhatIsNotTheRings) {
    std::vector<std::uint64_t> others;
    HostilePair pair({.slots = 16, .alpha = 4, .beta = 2, .gamma = 4}, {}, {},
                     {.take =
                          [](void* owner, const fabric::Completion& done) {
                              static_cast<std::vector<std::uint64_t>*>(owner)->push_back(done.ticket);
                          },
                      .owner = &others});
    const std::uint64_t word = 0;
    const fabric::Source source{reinterpret_cast<const std::byte*>(&word), 8};
    ASSERT_EQ(pair.sending().write(source, {}, fabric::Signal{42}), Status::ok);
    ASSERT_TRUE(send(pair.sender(), 0, 8));
    ASSERT_EQ(pair.sender().flush(), Status::ok);
    ASSERT_EQ(pair.sender().poll(), Status::ok);
    EXPECT_EQ(others, std::vector<std::uint64_t>{42});
}

}  // namespace
}  // namespace rb2::ring::test
