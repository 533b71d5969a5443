// What WriteTwice is for: a ring whose one write ends with its bell works where the bytes of a write land
// front to back, and shows torn records where they land in any order, as fabric.hpp allows (rb2 paper, §V-A
// on FaRM).

#include <gtest/gtest.h>

#include <atomic>
#include <random>

#include "runtime/ring/fake_channel.hpp"
#include "tests/runtime/ring/message.hpp"

namespace rb2::ring::test {
namespace {

/// Slots with eight bytes behind the payload for the bell.
struct WithTrailer : layout::SlotToSlot<> {
    [[nodiscard]] static constexpr std::uint64_t slots_for(std::uint32_t length) noexcept {
        return layout::SlotToSlot<>::slots_for(length + 8);
    }
};

/// Poll message: the record's last word is its bell. Breaks the contract of fabric.hpp on purpose.
struct TrailingBell : tail::WriteTwice {
    static std::uint64_t& trailer(const RecordHeader& header, std::uint64_t slots) {
        auto* const first = reinterpret_cast<std::uint64_t*>(const_cast<RecordHeader*>(&header));
        return first[slots * kLineBytes / 8 - 1];
    }

    template <fabric::Endpoint Endpoint, class Placement, class Batching, class Layout>
    class Outbound : public tail::WriteTwice::Outbound<Endpoint, Placement, Batching, Layout> {
        using Base = tail::WriteTwice::Outbound<Endpoint, Placement, Batching, Layout>;

      public:
        using Base::Base;
        Status publish(const Slots<Layout>& slots, std::uint64_t position, std::uint64_t mark,
                       std::uint64_t tail, std::uint64_t room_end) noexcept {
            trailer(slots.header(position), tail - position) = position + 1;
            return Base::publish(slots, position, mark, tail, room_end);
        }
    };

    class Inbound {
      public:
        Inbound(const ReceiverWiring&, const Parameters&) noexcept {}
        bool ready(const RecordHeader& header, std::uint64_t head, std::uint64_t& mark) noexcept {
            mark = std::atomic_ref(const_cast<RecordHeader&>(header).mark).load(std::memory_order_acquire);
            const Mark fields = Mark::unpack(mark);
            if (fields.bell != bell_at(head)) return false;
            return trailer(header, WithTrailer::slots_for(fields.length)) == head + 1;
        }
        [[nodiscard]] std::uint64_t published(std::uint64_t, std::uint64_t slots) const noexcept {
            return slots;
        }
    };
};

using OneWrite = Mix<head::LazyPush, TrailingBell, batching::None, placement::Mirrored, WithTrailer>;
using TwoWrites = Mix<head::LazyPush, tail::WriteTwice, batching::None, placement::Mirrored>;

/// Messages of up to two slots that were not what was sent, of 300 looked for after every piece that lands.
/// Two slots divide the lap, so there is no padding.
template <class M>
int torn(const fabric::fake::Options& options) {
    FakePairOf<M> pair({.slots = 16, .alpha = 4, .beta = 2, .gamma = 4}, options);
    std::mt19937_64 dice(options.seed);
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    int wrong = 0;
    while (received < 300) {
        if (dice() % 4 == 0 && send(pair.a().sender(), sent, 80)) ++sent;
        pair.link().step();
        const int count = pair.b().receiver().drain(8, [&](const Record& record) {
            wrong += record.word == received && intact(received, record.payload) ? 0 : 1;
            ++received;
            return Verdict::consumed;
        });
        if (count == kCorrupt) return wrong + 1;
    }
    return wrong;
}

TEST(OrderedBytes, ATrailingBellWorksFrontToBackAndTearsInAnyOtherOrder) {
    int seeds_torn = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        EXPECT_EQ(torn<OneWrite>({.seed = seed, .manual = true, .front_to_back = true}), 0) << seed;
        seeds_torn += torn<OneWrite>({.seed = seed, .manual = true, .shuffle_bytes = true}) > 0 ? 1 : 0;
    }
    EXPECT_GT(seeds_torn, 15);
}

TEST(OrderedBytes, WriteTwiceSurvivesBoth) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        EXPECT_EQ(torn<TwoWrites>({.seed = seed, .manual = true, .front_to_back = true}), 0) << seed;
        EXPECT_EQ(torn<TwoWrites>({.seed = seed, .manual = true, .shuffle_bytes = true}), 0) << seed;
    }
}

}  // namespace
}  // namespace rb2::ring::test
