#include "tests/runtime/channel/behaviour.hpp"
#include "tests/runtime/channel/rows_read.hpp"

namespace rb2::channel::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(ReadSlot, Behaviour, CasesOfAll<ReadSlotRows>::type);

constexpr Parameters kSmall{.slots = 4, .message_bytes = 96, .ring_bytes = 512};

TEST(Offer, IsWholeOrNone) {
    const Offer offer{.place = {0x7fff'1234'5678, 0xdeadbeef}, .bytes = kMaxMessageBytes};
    for (const std::uint64_t number : {0ULL, 254ULL, 255ULL, 65535ULL, 1ULL << 40}) {
        const OfferWords words = pack(offer, number);
        Offer seen{};
        ASSERT_TRUE(unpack(words, number, seen)) << number;
        EXPECT_EQ(seen.place, offer.place);
        EXPECT_EQ(seen.bytes, offer.bytes);
        for (std::uint64_t places = 1; places <= kMaxSlots; ++places) {
            // What the place held before, in one word or both.
            const OfferWords old = number < places ? OfferWords{} : pack(offer, number - places);
            EXPECT_FALSE(unpack(old, number, seen)) << number;
            EXPECT_FALSE(unpack({{words.words[0], old.words[1]}}, number, seen)) << number;
            EXPECT_FALSE(unpack({{old.words[0], words.words[1]}}, number, seen)) << number;
        }
    }
}

/// One message of an inlined bell, built in its slot and fetched into a sink with room for the bell.
class InPlace : public testing::Test {
  protected:
    using Wire = FakeWireOf<Order{}>;

    Status receive(std::size_t& bytes) {
        Status status = Status::would_block;
        for (int i = 0; i < 10 && status == Status::would_block; ++i)
            status = fan_[0].receiver().receive_into({sink_.data(), sink_.size(), region_.key()}, bytes);
        return status;
    }

    Fan<ReadSlotInlinedBell, Wire> fan_{1, kSmall};
    std::span<std::byte> sink_ = fan_.b.take(fan_[0].receiver().fetch_bytes());
    Wire::Endpoint::Region region_ = fan_[0].wire.data_b().register_memory(sink_);
};

TEST_F(InPlace, NothingIsCopiedAndATornMessageIsNotTaken) {
    auto& sender = fan_[0].sender;
    const std::span<std::byte> place = sender.next_place();
    ASSERT_EQ(place.size(), 96U);
    write_message(1, place);
    Ticket ticket = 0;
    ASSERT_EQ(sender.send({place.data(), 90, 0}, ticket), Status::ok);
    // What is fetched is the place itself; while its bytes are not those the bell was rung for, it is torn.
    place[17] ^= std::byte{1};
    std::size_t bytes = 0;
    EXPECT_EQ(receive(bytes), Status::would_block);
    place[17] ^= std::byte{1};
    EXPECT_EQ(sender.test(ticket), Status::would_block);
    ASSERT_EQ(receive(bytes), Status::ok);
    EXPECT_EQ(bytes, 90U);
    EXPECT_TRUE(std::ranges::equal(place.first(90), sink_.first(90)));
    EXPECT_EQ(sender.test(ticket), Status::ok);
    EXPECT_NE(sender.next_place().data(), place.data());
}

TEST_F(InPlace, ALengthThatCannotBeIsAPeerLost) {
    auto& sender = fan_[0].sender;
    const std::span<std::byte> place = sender.next_place();
    const ReadSlotInlinedBell::Bell bell{.word = ReadSlotInlinedBell::Bell::ring(0, 97), .sum = 0};
    std::memcpy(place.data() + 96, &bell, sizeof bell);
    std::size_t bytes = 0;
    EXPECT_EQ(receive(bytes), Status::peer_lost);
}

TEST(Checksum, ChangesWithEveryByteAndTheNumber) {
    std::array<std::byte, 50> bytes{};
    for (std::size_t length = 0; length <= bytes.size(); ++length) {
        const std::uint64_t sum = checksum(bytes.data(), length, 7);
        EXPECT_NE(sum, checksum(bytes.data(), length, 8));
        for (std::size_t at = 0; at < length; ++at) {
            bytes[at] = std::byte{0x80};
            EXPECT_NE(sum, checksum(bytes.data(), length, 7)) << at << " of " << length;
            bytes[at] = std::byte{0};
        }
    }
}

/// Claims that messages stay in order and lets them overtake each other.
using LyingWire = FakeWire<
    fabric::fake::OrderingEndpoint<Order{.messages = true}, Order{.messages = false, .bytes = false}>>;

static_assert(!Supported<IndirectRead<DetachedAnswer>, fabric::fake::UnorderedEndpoint>);
static_assert(Supported<IndirectRead<ImmediateAnswer>, fabric::fake::UnorderedEndpoint>);

TEST(IndirectReadDetached, IsTornWhereTheBellOvertakesTheMessage) {
    using C = IndirectRead<DetachedAnswer>;
    int torn = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        fabric::fake::Options options{.seed = seed, .manual = true, .shuffle_bytes = true};
        Fan<C, LyingWire> fan(1, kSmall, options);
        torn += Drive<C, LyingWire>(fan, 100, seed).run().good() ? 0 : 1;
    }
    EXPECT_GT(torn, 0);
}

template <class C>
class ShortSink : public testing::Test {};
TYPED_TEST_SUITE(ShortSink, AsTypes<ReadSlotRows>::type);

TYPED_TEST(ShortSink, HoldsTheFrontAndSaysSo) {
    using Wire = WeakestWire<TypeParam>;
    Fan<TypeParam, Wire> fan(1, kSmall);
    auto& pair = fan[0];
    const std::span<std::byte> sink = fan.b.take(64);
    const auto region = pair.wire.data_b().register_memory(sink);
    ASSERT_EQ(pair.send(3, 96), Status::ok);
    std::size_t bytes = 0;
    Status status = Status::would_block;
    for (int i = 0; i < 20 && status == Status::would_block; ++i) {
        status = pair.receiver().receive_into({sink.data(), 40, region.key()}, bytes);
        static_cast<void>(pair.progress_sender());
    }
    EXPECT_EQ(status, Status::truncated);
    EXPECT_EQ(bytes, 96U);
    std::vector<std::byte> expected(96);
    write_message(3, expected);
    EXPECT_TRUE(std::equal(sink.begin(), sink.begin() + 40, expected.begin()));
    EXPECT_EQ(sink[40], std::byte{0});
}

}  // namespace
}  // namespace rb2::channel::test
