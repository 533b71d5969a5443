#include "tests/runtime/channel/behaviour.hpp"
#include "tests/runtime/channel/rows_read.hpp"

namespace rb2::channel::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(ReadRing, Behaviour, CasesOfAll<ReadRingRows>::type);
INSTANTIATE_TYPED_TEST_SUITE_P(ReadRingPrefetch, Behaviour, CasesOfAll<PrefetchRows>::type);

constexpr Parameters kSmall{.slots = 4, .message_bytes = 96, .ring_bytes = 512};

/// One ring, three receivers. Channel::Wire as for Behaviour.
template <class T>
class Broadcast : public testing::Test {
  protected:
    using C = typename T::Channel;
    using Wire = typename T::Wire;
    static constexpr std::size_t kReceivers = 3;

    void SetUp() override {
        for (auto& pair : fan_.pairs) inboxes_.emplace_back(*pair, fan_.b, pair->sender.max_bytes());
    }
    /// Sends the next message to all.
    Status send() {
        const std::size_t bytes = length_of<C>(sent_, 96);
        const Status status = fan_[sent_ % kReceivers].send(sent_, bytes);
        sent_ += status == Status::ok ? 1 : 0;
        progress();
        return status;
    }
    void progress() {
        Ticket newest = 0;
        if (sent_ != 0) newest = sent_;
        for (auto& pair : fan_.pairs) static_cast<void>(pair->sender.test(newest));
    }
    /// All that receiver `i` finds now.
    void drain(std::size_t i) {
        std::vector<std::byte> bytes;
        for (int idle = 0; idle < 4;) {
            const Status status = inboxes_[i].take(bytes);
            ASSERT_NE(status, Status::peer_lost);
            if (status != Status::ok) {
                ++idle;
                continue;
            }
            idle = 0;
            ASSERT_TRUE(is_message(received_[i], bytes)) << received_[i];
            ASSERT_EQ(bytes.size(), length_of<C>(received_[i], 96));
            ++received_[i];
        }
    }

    Fan<C, Wire> fan_{kReceivers, kSmall, {}, true};
    std::deque<Inbox<C, Wire>> inboxes_;
    std::uint32_t sent_ = 0;
    std::array<std::uint32_t, kReceivers> received_{};
};

using RingRows = decltype(std::tuple_cat(std::declval<ReadRingRows>(), std::declval<PrefetchRows>()));
TYPED_TEST_SUITE(Broadcast, CasesOfAll<RingRows>::type);

TYPED_TEST(Broadcast, EveryReceiverGetsEveryMessage) {
    std::mt19937_64 dice(3);
    while (this->sent_ < 500) {
        ASSERT_NE(this->send(), Status::peer_lost);
        ASSERT_NO_FATAL_FAILURE(this->drain(dice() % 3));
    }
    for (std::size_t i = 0; i < 3; ++i) {
        ASSERT_NO_FATAL_FAILURE(this->drain(i));
        EXPECT_EQ(this->received_[i], 500U) << i;
    }
}

TYPED_TEST(Broadcast, TheSlowestReceiverHoldsTheRing) {
    for (int round = 0; round < 200; ++round) {
        if (this->send() == Status::would_block) break;
        ASSERT_NO_FATAL_FAILURE(this->drain(0));
        ASSERT_NO_FATAL_FAILURE(this->drain(1));
    }
    ASSERT_EQ(this->send(), Status::would_block) << "the third has read nothing";
    EXPECT_EQ(this->received_[0], this->sent_);
    ASSERT_NO_FATAL_FAILURE(this->drain(2));
    EXPECT_EQ(this->received_[2], this->sent_);
    EXPECT_EQ(this->send(), Status::ok);
}

TEST(ReadRing, AReceiverThatComesLateAndOneTooManyAreRefused) {
    Window window;
    ReadRing ring(window.take(ReadRingShape(kSmall).memory_bytes()), kSmall);
    std::uint64_t read = 0;
    for (std::size_t i = 0; i < Readers::kMost; ++i) ring.attach(&read);
    EXPECT_THROW(ring.attach(&read), StartupError);

    ReadRing other(window.take(ReadRingShape(kSmall).memory_bytes()), kSmall);
    ASSERT_EQ(other.append({}), Status::ok);
    EXPECT_THROW(other.attach(&read), StartupError);
    EXPECT_THROW(ReadRing(window.take(100), kSmall), StartupError);
}

TEST(ReadRing, AReportOfMoreThanWasSentIsIgnored) {
    Window window;
    ReadRing ring(window.take(ReadRingShape(kSmall).memory_bytes()), kSmall);
    std::uint64_t read = 1000;
    ring.attach(&read);
    const std::span<std::byte> message = window.take(96);
    std::uint32_t sent = 0;
    while (sent < 100 && ring.append({message.data(), message.size(), 0}) == Status::ok) ++sent;
    EXPECT_EQ(sent, 4U) << "104 bytes each, and a word behind the last";
    read = 1;
    EXPECT_EQ(ring.append({message.data(), message.size(), 0}), Status::ok);
}

TEST(ReadRingDetachedBell, ABellThatCannotBeIsAPeerLost) {
    Fan<ReadRingDetachedBell, OrderedWire> fan(1, kSmall);
    const std::uint64_t word = ReadRing::pack_bell(1024, 8);  // more than the ring
    std::memcpy(fan.sender_pools[0]->pool.memory().data(), &word, sizeof word);
    const std::span<std::byte> sink = fan.b.take(96);
    const auto region = fan[0].wire.data_b().register_memory(sink);
    std::size_t bytes = 0;
    Status status = Status::would_block;
    for (int i = 0; i < 10 && status == Status::would_block; ++i)
        status = fan[0].receiver().receive_into({sink.data(), sink.size(), region.key()}, bytes);
    EXPECT_EQ(status, Status::peer_lost);
}

}  // namespace
}  // namespace rb2::channel::test
