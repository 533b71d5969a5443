// A peer that writes what it likes: no message may be handed out that lies outside the receiver's memory, and
// both sides end with peer_lost or go on, whatever they find. Run under ASan as well.

#include "tests/runtime/channel/drive.hpp"
#include "tests/runtime/channel/rows_write.hpp"

namespace rb2::channel::test {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t kSeeds = 60;  // each takes ten times as long
#else
constexpr std::uint64_t kSeeds = 300;
#endif
constexpr Parameters kSmall{.slots = 4, .message_bytes = 96, .ring_bytes = 512};

template <class C>
class Hostile : public testing::Test {
  protected:
    using Wire = WeakestWire<C>;

    /// A word that looks like a bell, a length, a position, or nothing.
    static std::uint64_t garbage(std::mt19937_64& random) {
        const std::uint64_t small = random() % 700;
        switch (random() % 4) {
            case 0:
                return Bell::pack(random() % 4, small);
            case 1:
                return small / 8 * 8;
            case 2:
                return random();
            default:
                return std::uint64_t{1} << random() % 64;
        }
    }

    /// Writes words anywhere into `target`, and immediate values.
    template <class E>
    static void pester(E& endpoint, fabric::Remote target, std::size_t bytes, std::mt19937_64& random) {
        for (int i = 0; i < 8 && bytes != 0; ++i) {
            const std::uint64_t word = garbage(random);
            static_cast<void>(endpoint.write({reinterpret_cast<const std::byte*>(&word), sizeof word},
                                             target + random() % (bytes / kWordBytes) * kWordBytes));
        }
        static_cast<void>(endpoint.write_with_imm({}, {}, static_cast<std::uint32_t>(garbage(random))));
        static_cast<void>(endpoint.send({}, static_cast<std::uint32_t>(random())));
        static_cast<void>(endpoint.flush());
    }
};

TYPED_TEST_SUITE(Hostile, AsTypes<WriteRows>::type);

TYPED_TEST(Hostile, TheReceiverHandsOutNothingOutsideItsMemory) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        std::mt19937_64 random(seed);
        Fan<TypeParam, WeakestWire<TypeParam>> fan(1, kSmall);
        auto& pair = fan[0];
        const std::size_t reach = TypeParam::receiver_needs(kSmall).data;
        std::vector<Message> held;
        Status status = Status::ok;
        for (int round = 0; round < 30 && status != Status::peer_lost; ++round) {
            TestFixture::pester(pair.wire.data_a(), pair.receiver().card().data, reach, random);
            static_cast<void>(pair.send(static_cast<std::uint32_t>(round), pair.sender.max_bytes()));
            Message message;
            for (int i = 0; i < 8 && (status = pair.receiver().receive(message)) == Status::ok; ++i) {
                const std::span<std::byte> all = fan.b.all();
                const bool in_window = message.bytes.data() >= all.data() &&
                                       message.bytes.data() + message.bytes.size() <= all.data() + all.size();
                ASSERT_TRUE(in_window || message.bytes.size() == sizeof(std::uint32_t)) << "seed " << seed;
                held.push_back(message);
            }
            if (!held.empty() && random() % 2 == 0) {
                const Status freed = pair.receiver().free(held.back());
                // A record that lies inside another goes back with it.
                const bool nested = freed == Status::invalid_argument && TypeParam::kTraits.variable_size;
                EXPECT_TRUE(freed == Status::ok || nested) << "seed " << seed;
                held.pop_back();
            }
        }
    }
}

TYPED_TEST(Hostile, TheSenderGoesOnOrSaysThatThePeerIsLost) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        std::mt19937_64 random(seed);
        Fan<TypeParam, WeakestWire<TypeParam>> fan(1, kSmall);
        auto& pair = fan[0];
        Status status = Status::ok;
        for (std::uint32_t number = 0; number < 30 && status != Status::peer_lost; ++number) {
            const fabric::Remote word = pair.sender.card().credit;
            TestFixture::pester(pair.wire.credit_b(), word, word.key == 0 ? 0 : kWordBytes, random);
            TestFixture::pester(pair.wire.data_b(), {}, 0, random);
            status = pair.send(number, pair.sender.max_bytes());
            EXPECT_TRUE(status == Status::ok || status == Status::would_block || status == Status::peer_lost);
        }
    }
}

TYPED_TEST(Hostile, AfterAFailedOperationBothSendAndTestSayPeerLost) {
    Fan<TypeParam, WeakestWire<TypeParam>> fan(1, kSmall);
    auto& pair = fan[0];
    ASSERT_EQ(pair.send(0, pair.sender.max_bytes()), Status::ok);
    const fabric::Source word{fan.a.all().data(), kWordBytes, 0};
    ASSERT_EQ(pair.wire.data_a().write(word, {.address = 8, .key = 12345}), Status::ok);
    ASSERT_EQ(pair.wire.data_a().flush(), Status::ok);
    Ticket ticket = 0;
    EXPECT_EQ(pair.sender.send(pair.region(1, pair.sender.max_bytes()), ticket), Status::peer_lost);
}

}  // namespace
}  // namespace rb2::channel::test
