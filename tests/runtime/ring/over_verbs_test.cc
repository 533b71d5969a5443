// Rings over a real RDMA device, each side on a thread of its own: order, wholeness, and what a message
// costs.

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "runtime/ring/fake_channel.hpp"
#include "tests/runtime/fabric/verbs/sides.hpp"
#include "tests/runtime/ring/message.hpp"

namespace rb2::ring::test {
namespace {

namespace verbs = fabric::verbs;
using fabric::test::eventually;
using fabric::test::verbs_device;

/// One side: its block, registered, and its end of the connection.
class End {
  public:
    End(const BlockLayout& layout, std::uint32_t requests)
        : layout_(layout),
          memory_(layout),
          queue_(verbs_device()),
          endpoint_(queue_, {.requests = requests}),
          region_(endpoint_.register_memory(memory_.bytes())) {}

    [[nodiscard]] verbs::Endpoint& endpoint() noexcept { return endpoint_; }
    [[nodiscard]] std::span<std::byte> memory() noexcept { return memory_.bytes(); }
    [[nodiscard]] BlockPair blocks(const End& peer) noexcept {
        return {.own = memory_.bytes().data(),
                .own_layout = layout_,
                .own_key = region_.key(),
                .peer = peer.region_.remote()};
    }

  private:
    BlockLayout layout_;
    RingMemory memory_;
    verbs::CompletionQueue queue_;
    verbs::Endpoint endpoint_;
    verbs::Region region_;
};

template <class M>
class VerbsPair {
  public:
    explicit VerbsPair(const Parameters& parameters, std::uint32_t requests = 128)
        : end_a_(block_layout<M, RingMemory>(parameters), requests),
          end_b_(block_layout<M, RingMemory>(parameters), requests),
          a_(formatted(end_a_, parameters).endpoint(), end_a_.blocks(end_b_), parameters, parameters),
          b_(formatted(end_b_, parameters).endpoint(), end_b_.blocks(end_a_), parameters, parameters) {
        end_a_.endpoint().connect(end_b_.endpoint().card());
        end_b_.endpoint().connect(end_a_.endpoint().card());
    }

    [[nodiscard]] RingChannel<M, verbs::Endpoint>& a() noexcept { return a_; }
    [[nodiscard]] RingChannel<M, verbs::Endpoint>& b() noexcept { return b_; }
    [[nodiscard]] verbs::Endpoint& endpoint_a() noexcept { return end_a_.endpoint(); }
    [[nodiscard]] verbs::Endpoint& endpoint_b() noexcept { return end_b_.endpoint(); }

  private:
    static End& formatted(End& end, const Parameters& parameters) {
        format<M>(end.memory(), block_layout<M, RingMemory>(parameters), parameters);
        return end;
    }

    End end_a_;
    End end_b_;
    RingChannel<M, verbs::Endpoint> a_;
    RingChannel<M, verbs::Endpoint> b_;
};

/// Mostly short, sometimes long, never above `limit`.
std::uint32_t length_of(std::uint64_t number, std::uint32_t limit) {
    const std::uint64_t dice = mixed(number + 1);
    const std::uint64_t range = dice % 16 == 0 ? limit : std::min<std::uint64_t>(limit, 100);
    return static_cast<std::uint32_t>((dice >> 8) % (range + 1));
}

template <class Channel>
void send_all(Channel& channel, std::uint64_t messages, const std::stop_token& stop) {
    auto& sender = channel.sender();
    for (std::uint64_t number = 0; number < messages && !stop.stop_requested();) {
        if (send(sender, number, length_of(number, sender.max_length()))) {
            ++number;
        } else if (sender.poll() != Status::ok) {
            return;
        }
    }
    while (!stop.stop_requested() && sender.flush() == Status::would_block && sender.poll() == Status::ok)
        continue;
}

/// How many messages were wrong.
template <class Channel>
std::uint64_t receive_all(Channel& channel, std::uint64_t messages, std::uint32_t limit) {
    std::uint64_t next = 0;
    std::uint64_t wrong = 0;
    const bool all = eventually(
        [&] {
            const int count = channel.receiver().drain(64, [&](const Record& record) {
                const bool good = record.word == next && record.kind == kind_of(next) &&
                                  record.payload.size() == length_of(next, limit) &&
                                  intact(next, record.payload);
                wrong += good ? 0 : 1;
                ++next;
                return Verdict::consumed;
            });
            wrong += count == kCorrupt ? messages : 0;
            return next == messages || wrong >= messages;
        },
        std::chrono::seconds(60));
    EXPECT_TRUE(all) << next << " of " << messages << " arrived";
    return wrong;
}

template <class M>
class RingOverVerbs : public testing::Test {};

using PulledMix = Mix<head::LazyPull, tail::WriteTwice, batching::Adaptive, placement::Mirrored>;
using Mixes =
    testing::Types<mix::Rb2, mix::SocksDirect, mix::FarmTwice, mix::L5, PulledMix, mix::Rb2Immediate>;
TYPED_TEST_SUITE(RingOverVerbs, Mixes);

TYPED_TEST(RingOverVerbs, DeliversEveryMessageWholeAndInOrder) {
    for (const std::uint64_t slots : {8, 256}) {
        const std::uint64_t messages = slots == 8 ? 300 : 3000;
        VerbsPair<TypeParam> pair(Parameters::messaging(slots), 32);
        const std::uint32_t limit = pair.a().sender().max_length();
        std::jthread sender([&](const std::stop_token& stop) { send_all(pair.a(), messages, stop); });
        EXPECT_EQ(receive_all(pair.b(), messages, limit), 0U) << slots << " slots";
        sender.request_stop();  // whatever happened, it ends
        sender.join();
        EXPECT_EQ(pair.endpoint_a().status(), Status::ok) << pair.endpoint_a().failure();
    }
}

TEST(Rb2OverVerbs, BothWaysAtOnce) {
    constexpr std::uint64_t messages = 1500;
    VerbsPair<mix::Rb2> pair(Parameters::messaging(64));
    const std::uint32_t limit = pair.a().sender().max_length();
    const auto both = [&](auto& channel, std::uint64_t& wrong) {
        std::uint64_t sent = 0;
        std::uint64_t next = 0;
        EXPECT_TRUE(eventually(
            [&] {
                if (sent < messages && send(channel.sender(), sent, length_of(sent, limit))) ++sent;
                if (sent == messages) static_cast<void>(channel.sender().flush());
                static_cast<void>(channel.sender().poll());
                channel.receiver().drain(16, [&](const Record& record) {
                    wrong += record.word == next && intact(next, record.payload) ? 0 : 1;
                    ++next;
                    return Verdict::consumed;
                });
                return sent == messages && next == messages && channel.sender().flush() == Status::ok;
            },
            std::chrono::seconds(60)));
    };
    std::uint64_t wrong_a = 0;
    std::uint64_t wrong_b = 0;
    {
        std::jthread other([&] { both(pair.b(), wrong_b); });
        both(pair.a(), wrong_a);
    }
    EXPECT_EQ(wrong_a + wrong_b, 0U);
}

/// The bounds that tests/runtime/ring/counts_test.cc shows exactly, on a card that completes when it likes:
/// never more than that, and only pointer advancements signalled, but for one in 32 of the others.
TEST(Rb2OverVerbs, AMessageCostsNoMoreThanOnTheCountingFabric) {
    constexpr std::uint64_t messages = 2048;
    const Parameters parameters{.slots = 128, .alpha = 32, .beta = 16, .gamma = 32};
    VerbsPair<mix::Rb2> pair(parameters);
    std::uint64_t received = 0;
    for (std::uint64_t number = 0; number < messages;) {
        if (send(pair.a().sender(), number, 48)) ++number;
        received += static_cast<std::uint64_t>(
            pair.b().receiver().drain(64, [](const Record&) { return Verdict::consumed; }));
    }
    ASSERT_TRUE(eventually([&] {
        static_cast<void>(pair.a().sender().flush());
        static_cast<void>(pair.a().sender().poll());
        received += static_cast<std::uint64_t>(
            pair.b().receiver().drain(64, [](const Record&) { return Verdict::consumed; }));
        return received == messages;
    })) << received;
    const verbs::Counters& sender = pair.endpoint_a().counters();
    const verbs::Counters& receiver = pair.endpoint_b().counters();
    // A sender that finds the ring full flushes, which may advance the pointer once more a lap.
    const std::uint64_t transmissions = messages / parameters.beta;
    const std::uint64_t advances = messages / parameters.alpha + messages / parameters.slots;
    EXPECT_LE(sender.requests, transmissions + 2 * advances);
    EXPECT_LE(sender.doorbells, transmissions + advances);
    EXPECT_LE(sender.signalled, advances + sender.requests / 32 + 1);
    EXPECT_LE(receiver.requests, messages / parameters.gamma);
    EXPECT_LE(receiver.signalled, receiver.requests / 32);
    EXPECT_EQ(receiver.arrivals, 0U) << "rings need no receives";
}

TEST(Rb2OverVerbs, APeerThatIsGoneIsReported) {
    verbs::Options hasty;
    hasty.timeout = 8;
    hasty.retries = 2;
    verbs::Device device(hasty);
    const Parameters parameters = Parameters::messaging(64);
    const BlockLayout layout = block_layout<mix::Rb2, RingMemory>(parameters);
    RingMemory own(layout);
    RingMemory peers(layout);
    verbs::CompletionQueue queue(device);
    verbs::Endpoint endpoint(queue);
    auto peer = std::make_unique<verbs::Endpoint>(queue);
    const verbs::Region region = endpoint.register_memory(own.bytes());
    const verbs::Region theirs = endpoint.register_memory(peers.bytes());
    endpoint.connect(peer->card());
    peer->connect(endpoint.card());
    RingChannel<mix::Rb2, verbs::Endpoint> channel(
        endpoint,
        {.own = own.bytes().data(), .own_layout = layout, .own_key = region.key(), .peer = theirs.remote()},
        parameters, parameters);
    peer.reset();
    ASSERT_TRUE(send(channel.sender(), 0, 8));
    static_cast<void>(channel.sender().flush());
    EXPECT_TRUE(eventually([&] { return channel.sender().poll() == Status::peer_lost; }));
}

}  // namespace
}  // namespace rb2::ring::test
