// What a message costs on the wire when a network carries it: exact numbers of requests and doorbells.

#include "runtime/network/channel_over.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "runtime/ring/fake_channel.hpp"

namespace rb2::network {
namespace {

using ring::mix::Rb2;
using ring::mix::Rb2Immediate;

/// These tests write nothing directly.
class NoRegistrar final : public Registrar {
  public:
    std::unique_ptr<Pin> pin(std::span<const std::byte>, Access) noexcept override { return nullptr; }
};

template <class M>
class Pair {
  public:
    using Endpoint = fabric::fake::Endpoint;

    Pair()
        : a_(link_.a(), registrar_, end_a_.blocks(end_b_), kParameters, kParameters, {}),
          b_(link_.b(), registrar_, end_b_.blocks(end_a_), kParameters, kParameters, {}) {
        a_.open_to(end_b_.region.remote());
        b_.open_to(end_a_.region.remote());
    }

    /// A message of `bytes`, sent and read.
    void pass(Channel& from, Channel& to, std::uint32_t bytes) {
        ring::Claim claim = from.try_claim(bytes);
        ASSERT_TRUE(claim);
        std::memset(claim.payload, 1, bytes);
        ASSERT_EQ(from.commit(claim, 1, 0, bytes), Status::ok);
        std::uint64_t read = 0;
        const auto handler = [](void* object, const ring::Record& record) {
            *static_cast<std::uint64_t*>(object) += record.payload.size();
            return ring::Verdict::consumed;
        };
        ASSERT_EQ(to.drain(1, {handler, &read}), 1);
        ASSERT_EQ(read, bytes);
    }

    Channel& a() { return a_; }
    Channel& b() { return b_; }
    fabric::fake::LinkOf<Endpoint>& link() { return link_; }

  private:
    static constexpr ring::Parameters kParameters = ring::Parameters::messaging(4096);

    struct End {
        explicit End(Endpoint& endpoint) : region(endpoint.register_memory(memory.bytes())) {}
        ring::BlockPair blocks(const End& peer) {
            return {.own = memory.bytes().data(),
                    .own_layout = layout,
                    .own_key = region.key(),
                    .peer = peer.region.remote()};
        }

        ring::BlockLayout layout = ring::block_layout<M, ring::RingMemory>(kParameters);
        ring::RingMemory memory{layout};
        fabric::fake::Region region;
    };

    fabric::fake::LinkOf<Endpoint> link_{{}};
    NoRegistrar registrar_;
    End end_a_{link_.a()};
    End end_b_{link_.b()};
    ChannelOver<M, Endpoint> a_;
    ChannelOver<M, Endpoint> b_;
};

TEST(WholePackets, AreWhatARecordAndItsHeaderFill) {
    EXPECT_EQ(whole_packets(16384 + 80), 16384U - 16);
    EXPECT_EQ(whole_packets(16384 - 16), 16384U - 16);
    EXPECT_EQ(whole_packets(16384 - 17), 12288U - 16);
    EXPECT_EQ(whole_packets(4096 - 16), 4096U - 16);
    EXPECT_EQ(whole_packets(4096 - 17), 4096U - 17) << "less than a packet";
    EXPECT_EQ(whole_packets(48), 48U);
}

constexpr int kRoundTrips = 240;

/// Requests and doorbells of one side in a ping-pong of messages of `bytes`.
template <class M>
fabric::fake::Counters ping_pong(std::uint32_t bytes) {
    Pair<M> pair;
    for (int i = 0; i < kRoundTrips; ++i) {
        pair.pass(pair.a(), pair.b(), bytes);
        pair.pass(pair.b(), pair.a(), bytes);
    }
    return pair.link().a().counters();
}

/// 8 and 1024 bytes; one slot and 17; one that alone reaches the transmission threshold of 512 slots.
class Message : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Bytes, Message, testing::Values(8, 1024, 8192, 40000));

TEST_P(Message, TakesOneRequestAndOneDoorbellByImmediate) {
    const auto counters = ping_pong<Rb2Immediate>(GetParam());
    const auto slots = kRoundTrips * ((GetParam() + 16 + 63) / 64);
    const auto heads = std::max<std::uint64_t>(kRoundTrips / 24, slots / 1024);
    const auto laps = slots / 4096 + 1;  // a padding record each at most, which may cost a request
    EXPECT_GE(counters.imms, kRoundTrips);
    EXPECT_LE(counters.writes, kRoundTrips + heads + laps);
    EXPECT_LE(counters.doorbells, kRoundTrips + heads + laps);
}

TEST_P(Message, TakesOneDoorbellByWriteTwice) {
    const auto counters = ping_pong<Rb2>(GetParam());
    const auto slots = kRoundTrips * ((GetParam() + 16 + 63) / 64);
    EXPECT_LE(counters.doorbells, kRoundTrips + slots / 1024 + slots / 4096 + 1);
}

}  // namespace
}  // namespace rb2::network
