// Every mix through the same edges: wrap-around at every slot, all lengths, far positions, back-pressure,
// aborted claims, random traffic, bytes that land piece by piece, stale bytes that look like records, real
// threads. Circular rings are made for pages of 4 KiB: 16 slots of 256 bytes.

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <thread>

#include "runtime/ring/fake_channel.hpp"
#include "tests/runtime/ring/circular_block.hpp"
#include "tests/runtime/ring/message.hpp"
#include "tests/runtime/ring/shm_pair.hpp"

namespace rb2::ring::test {
namespace {

constexpr int kAll = 1 << 20;
constexpr std::uint64_t kFourGiPositions = std::uint64_t{1} << 32;

template <class H, class T, class B, class L = layout::SlotToSlot<>>
using Copied = Mix<H, T, B, placement::Mirrored, L>;
template <class H, class T, class B, class L = layout::SlotToSlot<>>
using Staging = Mix<H, T, B, placement::ReceiverOnly, L>;

/// What holds the rings of a mix.
template <class M>
using MemoryFor = std::conditional_t<M::Layout::kCircular, CircularBlock, RingMemory>;

/// A mix over a counting fabric, plain or with ordered bytes, or over shared memory.
template <class M, class E = fabric::fake::Endpoint>
struct OnFake {
    using Mix = M;
    struct Pair : FakePairOf<M, E, MemoryFor<M>> {
        using FakePairOf<M, E, MemoryFor<M>>::FakePairOf;
        void step() { this->link().step(); }
    };
};
template <class M>
using OnOrdered = OnFake<M, fabric::fake::OrderedEndpoint>;
template <class M>
struct OnShm {
    using Mix = M;
    struct Pair : ShmPairOf<M, MemoryFor<M>> {
        explicit Pair(const Parameters& parameters, const fabric::fake::Options& = {})
            : ShmPairOf<M, MemoryFor<M>>(parameters) {}
        void step() {}
    };
};

using batching::Adaptive, batching::Fixed, batching::InFlight, batching::None, batching::SyncAhead;
using head::ActivePush, head::LazyPull, head::LazyPush;
using tail::InlinedBell, tail::PollCq, tail::PollLength, tail::PollMessage, tail::WriteTwice;

using Twice = layout::Circular<layout::SlotToSlot<256>>;

using Everything = testing::Types<
    // Table I
    OnFake<mix::Rb2>, OnFake<mix::Rb2Immediate>, OnShm<mix::Rb2>, OnShm<mix::Rb2InPlace>,
    OnOrdered<mix::Mvapich<>>, OnOrdered<mix::Farm>, OnFake<mix::FarmTwice>, OnShm<mix::FarmTwice>,
    OnFake<mix::SocksDirect>, OnShm<mix::SocksDirect>, OnFake<mix::L5>, OnShm<mix::L5>,
    // head x tail
    OnFake<Copied<ActivePush, WriteTwice, Adaptive>>, OnFake<Copied<LazyPull, WriteTwice, Adaptive>>,
    OnFake<Copied<ActivePush, PollCq, Adaptive>>, OnFake<Copied<LazyPush, PollCq, Adaptive>>,
    OnFake<Copied<LazyPull, PollCq, Adaptive>>, OnShm<Copied<LazyPull, PollCq, Adaptive>>,
    OnOrdered<Copied<LazyPush, PollMessage, None>>, OnOrdered<Copied<LazyPull, PollMessage, None>>,
    OnShm<Mix<ActivePush, InlinedBell, None, placement::InPlace>>,
    OnShm<Mix<LazyPull, InlinedBell, None, placement::InPlace>>,
    OnShm<Mix<LazyPush, InlinedBell, None, placement::InPlace, layout::BackToBack>>,
    // batching x tail, with the other layout
    OnFake<Copied<LazyPush, WriteTwice, Fixed, layout::BackToBack>>,
    OnFake<Copied<LazyPush, WriteTwice, SyncAhead>>, OnShm<Copied<LazyPush, WriteTwice, SyncAhead>>,
    OnFake<Copied<LazyPush, WriteTwice, InFlight<3>>>, OnFake<Copied<LazyPush, PollCq, None>>,
    OnFake<Copied<LazyPush, PollCq, Fixed, layout::SlotList<128>>>,
    OnOrdered<Copied<LazyPush, PollMessage, Fixed, layout::BackToBack>>,
    OnOrdered<Copied<LazyPush, PollMessage, InFlight<3>>>, OnFake<Copied<LazyPush, PollLength, Fixed>>,
    OnFake<Copied<LazyPull, PollLength, Adaptive, layout::BackToBack>>,
    OnShm<Copied<LazyPush, PollLength, Adaptive>>, OnFake<Copied<LazyPush, PollLength, InFlight<3>>>,
    // receiver-only with the other tails, and announcements of slots filled in place
    OnFake<Staging<LazyPush, WriteTwice, None>>, OnFake<Staging<LazyPull, PollCq, None>>,
    OnShm<Mix<LazyPush, WriteTwice, Adaptive, placement::InPlace>>,
    OnShm<Mix<LazyPush, PollCq, Adaptive, placement::InPlace>>,
    // mapped twice, each tail
    OnFake<Copied<LazyPush, WriteTwice, Adaptive, Twice>>, OnFake<Copied<LazyPull, PollCq, Fixed, Twice>>,
    OnOrdered<Copied<LazyPush, PollMessage, None, Twice>>, OnFake<Staging<LazyPush, PollLength, None, Twice>>,
    OnShm<Copied<LazyPush, WriteTwice, Adaptive, Twice>>,
    OnShm<Mix<LazyPush, InlinedBell, None, placement::InPlace, Twice>>>;

template <class On>
class EveryMix : public testing::Test {
  protected:
    using Pair = typename On::Pair;
    using Layout = typename On::Mix::Layout;

    void open(const Parameters& parameters, const fabric::fake::Options& options = {}) {
        pair_ = std::make_unique<Pair>(parameters, options);
        sent_ = 0;
        received_ = 0;
    }
    auto& sender() { return pair_->a().sender(); }
    auto& receiver() { return pair_->b().receiver(); }

    [[nodiscard]] static std::uint32_t length_of(std::uint64_t number, std::uint32_t limit) {
        return static_cast<std::uint32_t>(mixed(number + 99) % (limit + 1));
    }
    [[nodiscard]] bool send_next(std::uint32_t length) {
        const bool sent = send(sender(), sent_, length);
        sent_ += sent ? 1 : 0;
        return sent;
    }
    /// Consumes up to `budget`; checks number, kind and bytes.
    void drain(int budget = kAll) {
        const int count = receiver().drain(budget, [&](const Record& record) {
            EXPECT_EQ(record.word, received_);
            EXPECT_EQ(record.kind, kind_of(received_));
            EXPECT_TRUE(intact(received_, record.payload));
            ++received_;
            last_length_ = record.payload.size();
            return Verdict::consumed;
        });
        ASSERT_GE(count, 0) << "corrupt";
    }
    /// One message there, alone.
    void pass(std::uint32_t length) {
        ASSERT_TRUE(send_next(length)) << "an idle ring takes the largest record at any slot";
        ASSERT_EQ(sender().flush(), Status::ok);
        drain();
        ASSERT_EQ(received_, sent_);
        ASSERT_EQ(last_length_, length);
        ASSERT_EQ(sender().poll(), Status::ok);
        ASSERT_TRUE(receiver().empty());
    }

    std::unique_ptr<Pair> pair_;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    std::size_t last_length_ = 0;
};

TYPED_TEST_SUITE(EveryMix, Everything);

TYPED_TEST(EveryMix, EveryLengthFromNothingToTheLargest) {
    this->open({.slots = 16, .alpha = 4, .beta = 2, .gamma = 4});
    const std::uint32_t limit = this->sender().max_length();
    EXPECT_GE(limit, 48U);
    for (std::uint32_t length = 0; length <= limit; ++length) {
        ASSERT_NO_FATAL_FAILURE(this->pass(length));
        ASSERT_NO_FATAL_FAILURE(this->pass(0));  // moves the next one
        ASSERT_NO_FATAL_FAILURE(this->pass(length));
    }
    EXPECT_FALSE(this->sender().try_claim(limit + 1));
}

TYPED_TEST(EveryMix, WrapsAtEverySlotWithEverySlotCount) {
    for (std::uint64_t start = 0; start < 16; ++start) {
        for (std::uint64_t slots = 1;; ++slots) {
            this->open({.slots = 16, .alpha = 4, .beta = 2, .gamma = 4, .start = start});
            const std::uint64_t most = std::min<std::uint64_t>(slots * TypeParam::Mix::Layout::kSlotBytes,
                                                               this->sender().max_length());
            for (int i = 0; i < 40; ++i)
                ASSERT_NO_FATAL_FAILURE(this->pass(static_cast<std::uint32_t>(most)));
            if (most == this->sender().max_length()) break;
        }
    }
}

TYPED_TEST(EveryMix, PositionsCrossFourGi) {
    for (std::uint64_t before = 1; before <= 20; ++before) {
        this->open({.slots = 16, .alpha = 4, .beta = 2, .gamma = 4, .start = kFourGiPositions - before});
        EXPECT_TRUE(this->receiver().empty()) << "an empty ring is empty wherever it starts";
        const std::uint32_t limit = this->sender().max_length();
        for (std::uint32_t i = 0; i < 40; ++i) ASSERT_NO_FATAL_FAILURE(this->pass(i % 3 == 0 ? limit : 9));
    }
}

TYPED_TEST(EveryMix, AFullRingIsAnEmptyClaimAndGoesOnWhenRead) {
    this->open({.slots = 16, .alpha = 4, .beta = 2, .gamma = 1});
    for (int lap = 0; lap < 5; ++lap) {
        while (this->send_next(20)) ASSERT_LT(this->sent_ - this->received_, 16U);
        const std::uint64_t held = this->sent_ - this->received_;
        EXPECT_GE(held,
                  15U / TypeParam::Mix::Layout::slots_for(20 + TypeParam::Mix::Tail::kTrailerBytes) - 1);
        EXPECT_FALSE(this->sender().try_claim(20));
        ASSERT_NO_FATAL_FAILURE(this->drain());
        EXPECT_EQ(this->received_, this->sent_) << "a sender that finds the ring full flushes";
    }
}

TYPED_TEST(EveryMix, KeepLeavesTheRecordFirstAndWhole) {
    this->open({.slots = 16, .alpha = 4, .beta = 2, .gamma = 1});
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(this->send_next(20));
        ASSERT_EQ(this->sender().flush(), Status::ok);
    }
    ASSERT_NO_FATAL_FAILURE(this->drain(1));
    for (int again = 0; again < 3; ++again) {
        EXPECT_EQ(this->receiver().drain(kAll,
                                         [&](const Record& record) {
                                             EXPECT_TRUE(intact(1, record.payload));
                                             return Verdict::keep;
                                         }),
                  0);
    }
    ASSERT_NO_FATAL_FAILURE(this->drain());
    EXPECT_EQ(this->received_, 3U);
}

TYPED_TEST(EveryMix, AbortedAndShortenedClaimsLeaveNoTrace) {
    this->open({.slots = 16, .alpha = 4, .beta = 2, .gamma = 1});
    const std::uint32_t limit = this->sender().max_length();
    for (std::uint32_t round = 0; round < 60; ++round) {
        Claim claim = this->sender().try_claim(limit);
        ASSERT_TRUE(claim);
        std::memset(claim.payload, 0xff, limit);
        if (round % 2 == 0) {
            this->sender().abort(claim);
        } else {
            const std::uint32_t length = this->length_of(round, limit);
            fill(this->sent_, {claim.payload, length});
            ASSERT_EQ(this->sender().commit(claim, kind_of(this->sent_), this->sent_, length), Status::ok);
            ++this->sent_;
        }
        ASSERT_EQ(this->sender().flush(), Status::ok);
        ASSERT_NO_FATAL_FAILURE(this->drain());
        ASSERT_EQ(this->received_, this->sent_);
    }
}

TYPED_TEST(EveryMix, RandomLengthsLandingPieceByPieceArriveWholeAndInOrder) {
    constexpr std::uint64_t messages = 400;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        this->open({.slots = 16, .alpha = 4, .beta = 2, .gamma = 4},
                   {.seed = seed, .manual = true, .shuffle_bytes = true});
        std::mt19937_64 dice(seed);
        const std::uint32_t limit = this->sender().max_length();
        int idle = 0;
        while (this->received_ < messages) {
            const std::uint64_t before = this->received_;
            if (this->sent_ < messages)
                static_cast<void>(this->send_next(this->length_of(this->sent_, limit)));
            if (dice() % 4 == 0) {
                ASSERT_NE(this->sender().flush(), Status::peer_lost);
            }
            if (dice() % 4 == 0) {
                ASSERT_EQ(this->sender().poll(), Status::ok);
            }
            for (std::uint64_t steps = dice() % 40; steps > 0; --steps) {
                this->pair_->step();
                ASSERT_NO_FATAL_FAILURE(this->drain()) << "looked at after every piece that lands";
            }
            if (dice() % 8 == 0) {
                ASSERT_NE(this->receiver().release(), Status::peer_lost);
            }
            idle = this->received_ == before ? idle + 1 : 0;
            ASSERT_LT(idle, 2000) << "stuck at " << before;
        }
        EXPECT_TRUE(this->receiver().empty());
    }
}

TYPED_TEST(EveryMix, OldPayloadIsNeverTakenForARecord) {
    // Payload words that are the mark of every position a record could have in this and later laps.
    this->open({.slots = 16, .alpha = 4, .beta = 2, .gamma = 1});
    std::mt19937_64 dice(5);
    std::uint64_t committed = 0;
    std::uint64_t seen = 0;
    const auto count = [&](const Record& record) {
        EXPECT_EQ(record.word, seen++);
        return Verdict::consumed;
    };
    for (int round = 0; round < 3000; ++round) {
        const std::uint32_t length = this->length_of(dice(), this->sender().max_length());
        if (Claim claim = this->sender().try_claim(length); claim) {
            const std::uint64_t laps = dice() % 3;
            for (std::uint32_t at = 0; at + 8 <= length; at += 8) {
                const std::uint64_t slot = (at + sizeof(RecordHeader)) / TypeParam::Mix::Layout::kSlotBytes;
                const std::uint64_t mark = Mark::pack(this->sender().tail() + slot + laps * 16, 8, 1);
                std::memcpy(claim.payload + at, &mark, sizeof mark);
            }
            ASSERT_EQ(this->sender().commit(claim, 1, committed++,
                                            length / static_cast<std::uint32_t>(1 + dice() % 3)),
                      Status::ok);
        }
        if (dice() % 2 == 0) {
            ASSERT_EQ(this->sender().flush(), Status::ok);
        }
        ASSERT_GE(this->receiver().drain(static_cast<int>(dice() % 3), count), 0);
        ASSERT_LE(seen, committed);
    }
    ASSERT_EQ(this->sender().flush(), Status::ok);
    ASSERT_GE(this->receiver().drain(kAll, count), 0);
    EXPECT_EQ(seen, committed);
    EXPECT_GT(committed, 1000U);
}

template <class On>
class Threaded : public EveryMix<On> {};
using OverMemory =
    testing::Types<OnShm<mix::FarmTwice>, OnShm<mix::SocksDirect>, OnShm<mix::L5>,
                   OnShm<Copied<LazyPull, PollCq, Adaptive>>, OnShm<Copied<LazyPush, PollLength, Adaptive>>,
                   OnShm<Mix<LazyPull, InlinedBell, None, placement::InPlace>>,
                   OnShm<Mix<LazyPush, InlinedBell, None, placement::InPlace, layout::BackToBack>>,
                   OnShm<Copied<LazyPush, WriteTwice, Adaptive, Twice>>,
                   OnShm<Mix<LazyPush, InlinedBell, None, placement::InPlace, Twice>>>;
TYPED_TEST_SUITE(Threaded, OverMemory);

TYPED_TEST(Threaded, TwoThreadsSeeEveryMessageWholeAndInOrder) {
    constexpr std::uint64_t messages = 4'000;  // some 100 laps
    this->open({.slots = 64, .alpha = 16, .beta = 8, .gamma = 16});
    const std::uint32_t limit = this->sender().max_length();
    std::jthread thread([&](const std::stop_token& stop) {
        while (this->sent_ < messages && !stop.stop_requested()) {
            if (!this->send_next(this->length_of(this->sent_, limit))) std::this_thread::yield();
            static_cast<void>(this->sender().poll());
        }
        while (this->sender().flush() == Status::would_block && !stop.stop_requested())
            std::this_thread::yield();
    });
    while (this->received_ < messages) {
        const std::uint64_t before = this->received_;
        ASSERT_NO_FATAL_FAILURE(this->drain(64));
        if (this->received_ == before) std::this_thread::yield();
    }
}

}  // namespace
}  // namespace rb2::ring::test
