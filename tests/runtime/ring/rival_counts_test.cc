// Exact numbers of fabric operations of the rivals of Table I and of the policies they are made of, on the
// counting fabric. RB²'s own are in counts_test.cc.

#include <gtest/gtest.h>

#include <array>

#include "runtime/fabric/harvest.hpp"
#include "runtime/ring/fake_channel.hpp"
#include "tests/runtime/ring/message.hpp"

namespace rb2::ring::test {
namespace {

constexpr int kAll = 1 << 20;
constexpr std::uint64_t kMessages = 1280;  // ten laps of 128 slots
using fabric::fake::Counters;
using fabric::fake::OrderedEndpoint;

struct Counts {
    Counters sender, receiver;
    std::uint64_t received = 0;
};

/// kMessages of `length` bytes, each looked for at once.
template <class M, class E = fabric::fake::Endpoint>
Counts run(const Parameters& parameters, std::uint32_t length) {
    FakePairOf<M, E> pair(parameters);
    pair.link().a().reset_counters();
    pair.link().b().reset_counters();
    Counts counts;
    for (std::uint64_t number = 0; number < kMessages; ++number) {
        EXPECT_TRUE(send(pair.a().sender(), number, length));
        pair.b().receiver().drain(kAll, [&](const Record& record) {
            EXPECT_TRUE(intact(counts.received++, record.payload));
            return Verdict::consumed;
        });
    }
    counts.sender = pair.link().a().counters();
    counts.receiver = pair.link().b().counters();
    return counts;
}

template <class H, class T, class B>
using Copied = Mix<H, T, B, placement::Mirrored>;

TEST(Mvapich, OneWriteSentAndOneWriteReceivedPerMessage) {
    const Counts counts = run<mix::Mvapich<64>, OrderedEndpoint>({}, 40);
    EXPECT_EQ(counts.received, kMessages);
    EXPECT_EQ(counts.sender,
              (Counters{.writes = kMessages, .write_bytes = kMessages * 64, .doorbells = kMessages}));
    EXPECT_EQ(counts.receiver,
              (Counters{.writes = kMessages, .write_bytes = kMessages * 8, .doorbells = kMessages}));
}

// Records of 48 bytes back to back: header 16, payload 32, or 24 and the trailer. They take three of the 128
// slots of 16 bytes, so each lap holds 42 and a padding record of two slots.
constexpr std::uint64_t kBackToBackBytes = 48;
constexpr std::uint64_t kRecordsPerLap = 42;
constexpr std::uint64_t kPaddings = (kMessages - 1) / kRecordsPerLap;  // before each lap but the first
constexpr std::uint64_t kSlotsRead = kMessages * 3 + kPaddings * 2;

TEST(Farm, OneSignalledWritePerMessageAndTheHeadEveryGamma) {
    const Counts counts = run<mix::Farm, OrderedEndpoint>({.gamma = 32}, 24);
    EXPECT_EQ(counts.received, kMessages);
    EXPECT_EQ(counts.sender.writes, kMessages + kPaddings);
    EXPECT_EQ(counts.sender.write_bytes, kMessages * kBackToBackBytes + kPaddings * 32);
    EXPECT_EQ(counts.sender.completions, kMessages + kPaddings - 1) << "of the last nobody has asked yet";
    EXPECT_LE(counts.receiver.writes, kSlotsRead / 32);
    EXPECT_GE(counts.receiver.writes, kSlotsRead / (32 + 2));
}

TEST(Farm, NoClaimWhileTheLastRecordIsInFlight) {
    FakePairOf<mix::Farm, OrderedEndpoint> pair({}, {.manual = true});
    ASSERT_TRUE(send(pair.a().sender(), 0, 24));
    EXPECT_FALSE(pair.a().sender().try_claim(24));
    pair.link().deliver();
    EXPECT_TRUE(send(pair.a().sender(), 1, 24));
}

TEST(FarmTwice, TwoWritesPerMessage) {
    const Counts counts = run<mix::FarmTwice>({}, 32);
    EXPECT_EQ(counts.received, kMessages);
    EXPECT_EQ(counts.sender.writes, 2 * (kMessages + kPaddings));
    EXPECT_EQ(counts.sender.write_bytes, kMessages * kBackToBackBytes + kPaddings * 32)
        << "the mark goes once";
    EXPECT_EQ(counts.sender.doorbells, kMessages + kPaddings);
}

TEST(L5, TwoWritesPerMessageNoCompletion) {
    const Counts counts = run<mix::L5>({}, 32);
    EXPECT_EQ(counts.received, kMessages);
    EXPECT_EQ(counts.sender.writes, 2 * (kMessages + kPaddings));
    EXPECT_EQ(counts.sender.write_bytes, kMessages * (kBackToBackBytes + 8) + kPaddings * (8 + 8))
        << "of padding the mark alone";
    EXPECT_EQ(counts.sender.completions, 0U);
}

TEST(Rb2Immediate, ALoneMessageIsOneWriteAndTheHeadFollowsInTime) {
    FakePairOf<mix::Rb2Immediate> pair({.slots = 1024, .alpha = 256, .beta = 128, .gamma = 256});
    for (std::uint64_t number = 0; number < kMessages; ++number) {
        ASSERT_TRUE(send(pair.a().sender(), number, 48));
        ASSERT_EQ(pair.a().sender().flush(), Status::ok);
        ASSERT_EQ(pair.b().receiver().drain(kAll, [](const Record&) { return Verdict::consumed; }), 1);
    }
    EXPECT_EQ(pair.link().a().counters().writes, kMessages);
    EXPECT_EQ(pair.link().a().counters().imms, kMessages);
    EXPECT_EQ(pair.link().b().counters().writes, kMessages / tail::ImmediateOrTwice::kTellEvery);
}

TEST(Rb2Immediate, TheHeadFollowsImmediatesNotSlots) {
    FakePairOf<mix::Rb2Immediate> pair({.slots = 4096, .alpha = 1024, .beta = 512, .gamma = 1024});
    for (std::uint64_t number = 0; number < kMessages; ++number) {
        ASSERT_TRUE(send(pair.a().sender(), number, 1024));  // 17 slots
        ASSERT_EQ(pair.a().sender().flush(), Status::ok);
        ASSERT_EQ(pair.b().receiver().drain(kAll, [](const Record&) { return Verdict::consumed; }), 1);
    }
    EXPECT_EQ(pair.link().a().counters().imms, kMessages);
    EXPECT_LE(pair.link().b().counters().writes, kMessages / tail::ImmediateOrTwice::kTellEvery + 1);
}

TEST(Rb2Immediate, AHeadThatAFullQueueRefusedIsToldWithTheNextRecord) {
    FakePairOf<mix::Rb2Immediate> pair({.slots = 1024, .alpha = 256, .beta = 128, .gamma = 256},
                                       {.queue_length = 64});
    std::uint64_t number = 0;
    const auto message = [&] {
        ASSERT_TRUE(send(pair.a().sender(), number++, 48));
        ASSERT_EQ(pair.a().sender().flush(), Status::ok);
        ASSERT_EQ(pair.b().receiver().drain(kAll, [](const Record&) { return Verdict::consumed; }), 1);
    };
    for (std::uint64_t i = 1; i < tail::ImmediateOrTwice::kTellEvery; ++i) message();
    const fabric::Remote nowhere = pair.link().b().register_memory(pair.block_b()).remote();
    while (pair.link().b().write({}, nowhere) == Status::ok) continue;
    message();
    EXPECT_EQ(pair.b().receiver().reported(), 0U);
    ASSERT_EQ(pair.link().b().flush(), Status::ok);
    message();
    EXPECT_EQ(pair.b().receiver().reported(), tail::ImmediateOrTwice::kTellEvery + 1);
}

TEST(Rb2Immediate, ImmediatesStopWhereReceivesMayRunOut) {
    FakePairOf<mix::Rb2Immediate> pair({.slots = 1024, .alpha = 256, .beta = 128, .gamma = 256});
    for (std::uint64_t number = 0; number < 100; ++number) {
        ASSERT_TRUE(send(pair.a().sender(), number, 48));
        ASSERT_EQ(pair.a().sender().flush(), Status::ok);
    }
    constexpr std::uint64_t most = tail::ImmediateOrTwice::kMostUnread;
    EXPECT_EQ(pair.link().a().counters().imms, most);
    EXPECT_EQ(pair.link().a().counters().writes, most + 2 * (100 - most));
    std::uint64_t seen = 0;
    pair.b().receiver().drain(kAll, [&](const Record& record) {
        EXPECT_EQ(record.word, seen++);
        return Verdict::consumed;
    });
    EXPECT_EQ(seen, 100U) << "the word tells of all, whatever immediates are still to be taken";
    ASSERT_TRUE(send(pair.a().sender(), 100, 48));
    ASSERT_EQ(pair.a().sender().flush(), Status::ok);
    EXPECT_EQ(pair.b().receiver().drain(kAll, [](const Record&) { return Verdict::consumed; }), 1);
}

TEST(Rb2Immediate, ImmediatesAreTakenAlsoWhereTheWordTellsOfMore) {
    FakePairOf<mix::Rb2Immediate> pair({.slots = 128, .alpha = 32, .beta = 16, .gamma = 32});
    constexpr int batch = 16;  // of which the slots leave before they are announced
    ASSERT_TRUE(send(pair.a().sender(), 0, 48));
    ASSERT_EQ(pair.a().sender().flush(), Status::ok);
    for (std::uint64_t number = 1; number <= batch; ++number)
        ASSERT_TRUE(send(pair.a().sender(), number, 48));
    ASSERT_EQ(pair.a().sender().flush(), Status::ok);
    ASSERT_EQ(pair.link().a().counters().imms, 1U);
    ASSERT_EQ(pair.b().receiver().drain(1 + batch, [](const Record&) { return Verdict::consumed; }),
              1 + batch);
    fabric::Completion left;
    EXPECT_FALSE(fabric::poll_one(pair.link().b(), left)) << "its receive is not posted anew";
}

TEST(Rb2Immediate, ABatchOnItsWayIsAnnouncedByTheWord) {
    const Counts counts = run<mix::Rb2Immediate>({}, 48);
    EXPECT_EQ(counts.sender.imms, 0U);
    EXPECT_EQ(counts.sender.writes, kMessages / 16 + kMessages / 32) << "as Rb2";
}

TEST(SocksDirect, OneWriteWithImmediatePerMessageWhileTheWireKeepsUp) {
    const Counts counts = run<mix::SocksDirect>({}, 32);
    EXPECT_EQ(counts.received, kMessages);
    EXPECT_EQ(counts.sender.writes, kMessages + kPaddings);
    EXPECT_EQ(counts.sender.imms, kMessages + kPaddings);
    EXPECT_EQ(counts.receiver.completions, kMessages + kPaddings) << "the receiver's price";
}

TEST(SocksDirect, NeverMoreThanTenInFlightAndTheRestLeavesInOne) {
    FakePairOf<mix::SocksDirect> pair({}, {.manual = true});
    for (std::uint64_t number = 0; number < 25; ++number) {
        ASSERT_TRUE(send(pair.a().sender(), number, 32));
        EXPECT_EQ(pair.link().a().pending(), std::min<std::uint64_t>(number + 1, 10));
    }
    EXPECT_EQ(pair.a().sender().flush(), Status::would_block);
    EXPECT_EQ(pair.link().a().pending(), 10U);
    pair.link().deliver();
    EXPECT_EQ(pair.a().sender().poll(), Status::ok);
    EXPECT_EQ(pair.link().a().counters().imms, 11U) << "fifteen messages in the eleventh";
    pair.link().deliver();
    std::uint64_t seen = 0;
    pair.b().receiver().drain(kAll, [&](const Record& record) {
        EXPECT_EQ(record.word, seen++);
        return Verdict::consumed;
    });
    EXPECT_EQ(seen, 25U);
    EXPECT_EQ(pair.a().sender().flush(), Status::ok);
}

TEST(Head, ActivePushWritesForEveryRecord) {
    const Counts counts = run<Copied<head::ActivePush, tail::WriteTwice, batching::None>>({}, 48);
    EXPECT_EQ(counts.receiver.writes, kMessages);
}

TEST(Head, LazyPullReadsEveryGammaSlotsAndTheReceiverDoesNothing) {
    for (const std::uint64_t gamma : {8, 32, 64}) {
        const Counts counts =
            run<Copied<head::LazyPull, tail::WriteTwice, batching::None>>({.gamma = gamma}, 48);
        EXPECT_EQ(counts.received, kMessages);
        EXPECT_EQ(counts.sender.reads, (kMessages - 1) / gamma);
        EXPECT_EQ(counts.sender.writes, 2 * kMessages);
        EXPECT_EQ(counts.receiver, Counters{});
    }
}

TEST(Tail, PollCqWithAdaptiveBatchingSavesTheTailWrite) {
    const Counts counts = run<Copied<head::LazyPush, tail::PollCq, batching::Adaptive>>({}, 48);
    EXPECT_EQ(counts.received, kMessages);
    EXPECT_EQ(counts.sender.writes, kMessages / 16)
        << "1/beta: the transmission that is due carries the tail";
    EXPECT_EQ(counts.sender.imms, kMessages / 32);
    EXPECT_EQ(counts.receiver.completions, kMessages / 32);
}

TEST(Tail, PollLengthAnnouncesABatchWithOneMark) {
    const Counts counts = run<Copied<head::LazyPush, tail::PollLength, batching::Fixed>>({.alpha = 16}, 48);
    EXPECT_EQ(counts.received, kMessages);
    EXPECT_EQ(counts.sender.writes, 2 * kMessages / 16);
    EXPECT_EQ(counts.sender.write_bytes, kMessages * kLineBytes);
}

TEST(Tail, PollMessageNeedsOneWriteForABatch) {
    const Counts counts =
        run<Copied<head::LazyPush, tail::PollMessage, batching::Fixed>, OrderedEndpoint>({.alpha = 16}, 40);
    EXPECT_EQ(counts.received, kMessages);
    EXPECT_EQ(counts.sender.writes, kMessages / 16);
}

TEST(Rb2, StaysWithinThePapersBoundAtThePapersParameters) {
    // 32 / 16 / 32 / 128: at most 1/beta + 1/alpha sent and 1/gamma received.
    const Counts counts = run<mix::Rb2>({}, 48);
    EXPECT_EQ(counts.received, kMessages);
    EXPECT_LE(counts.sender.writes, kMessages / 16 + kMessages / 32);
    EXPECT_LE(counts.receiver.writes, kMessages / 32);
}

}  // namespace
}  // namespace rb2::ring::test
