// Messages to a peer without shared memory: small ones through the network's ring, long ones written straight
// into the receiver's buffer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/network/direct_choice.hpp"
#include "tests/pt2pt/network_job.hpp"

namespace rb2::pt2pt {
namespace {

using testing::kContext;
using testing::NetworkJob;
using testing::pattern;
constexpr network::DirectParameters kDirect{.from = 10000, .block_bytes = 4096, .depth = 3};
constexpr fabric::fake::Options kScattered{.shuffle_bytes = true};

TEST(NetworkEngine, SmallMessagesBothWays) {
    NetworkJob job(kDirect, kScattered);
    for (unsigned i = 0; i < 2000; ++i) {
        const auto there = pattern(i % 300, i);
        std::vector<std::byte> got(there.size());
        Request* receive = job[1].ireceive(got, 0, kContext, 7);
        ASSERT_EQ(job[0].send(there, 1, kContext, 7), Status::ok);
        job[1].wait(*receive);
        job[1].release(receive);
        ASSERT_EQ(got, there);
        ASSERT_EQ(job[1].send(there, 0, kContext, 8), Status::ok);
        ASSERT_EQ(job[0].receive(got, 1, kContext, 8), Status::ok);
        ASSERT_EQ(got, there);
    }
    EXPECT_EQ(job.registrar(0).pins + job.registrar(1).pins, 0);
}

TEST(NetworkEngine, TheEagerWindowOfSharedMemoryIsNotTheNetworks) {
    constexpr std::uint64_t slots = 4096;
    NetworkJob job({}, kScattered, slots,
                   {.eager_window = 8U << 10, .chunk_bytes = 4U << 10});  // far: 64 KiB
    const auto there = pattern(64U << 10);
    std::vector<std::byte> got(there.size());
    ASSERT_EQ(job[0].send(there, 1, kContext, 7), Status::ok) << "waits for no receive";
    ASSERT_EQ(job[1].receive(got, 0, kContext, 7), Status::ok);
    EXPECT_EQ(got, there);
    EXPECT_EQ(job.endpoint(0).counters().writes, 2U) << "one record, and its tail word";
    EXPECT_LE(job.endpoint(1).counters().writes, 1U) << "room given back, and no CTS";
}

/// What a message of 64 KiB from rank 0 to rank 1 wrote into the peer's memory.
fabric::fake::Counters pass_64_kib(NetworkJob& job) {
    const auto there = pattern(64U << 10);
    std::vector<std::byte> got(there.size());
    job.endpoint(0).reset_counters();
    EXPECT_EQ(job[0].send(there, 1, kContext, 7), Status::ok);
    EXPECT_EQ(job[1].receive(got, 0, kContext, 7), Status::ok);
    EXPECT_EQ(got, there);
    return job.endpoint(0).counters();
}

TEST(NetworkEngine, ALongMessageAloneComesInPiecesOfWholePackets) {
    NetworkJob job({}, kScattered, 4096, {.far_chunk_bytes = (16U << 10) + 80});
    const auto alone = pass_64_kib(job);
    EXPECT_EQ(alone.writes, 4U * 2);
    EXPECT_EQ(alone.write_bytes, (64U << 10) + 32 + 4 * (16 + 8)) << "headers and tail words";
}

TEST(NetworkEngine, InAStreamALongMessageIsOneRecord) {
    NetworkJob job({}, kScattered, 4096, {.far_chunk_bytes = (16U << 10) + 80});
    EXPECT_EQ(pass_64_kib(job).writes, 4U * 2);
    const auto streamed = pass_64_kib(job);
    EXPECT_EQ(streamed.writes, 2U);
    EXPECT_EQ(streamed.write_bytes, (64U << 10) + 16 + 8);
    // An answer ends the stream.
    std::array<std::byte, 1> answer{};
    ASSERT_EQ(job[1].send(answer, 0, kContext, 7), Status::ok);
    ASSERT_EQ(job[0].receive(answer, 1, kContext, 7), Status::ok);
    EXPECT_EQ(pass_64_kib(job).writes, 4U * 2);
}

TEST(NetworkEngine, ASendIsCompleteOnlyOnceTheNetworkHasIt) {
    NetworkJob job(kDirect, {.manual = true, .queue_length = 3});
    const auto message = pattern(100);
    std::vector<Request*> sends;
    for (int i = 0; i < 4; ++i) sends.push_back(job[0].isend(message, 1, kContext, i));
    EXPECT_TRUE(sends.front()->complete());
    EXPECT_FALSE(sends.back()->complete());  // the fabric's queue is full: nothing would carry it on
    for (int i = 0; i < 100; ++i) {
        job.link().step();
        job.progress_all();
    }
    for (int i = 0; i < 4; ++i) {
        EXPECT_TRUE(sends[static_cast<std::size_t>(i)]->complete());
        job[0].release(sends[static_cast<std::size_t>(i)]);
        std::vector<std::byte> got(message.size());
        EXPECT_EQ(job[1].receive(got, 0, kContext, i), Status::ok);
        EXPECT_EQ(got, message);
    }
}

/// One message of `bytes`, its receive posted first.
void exchange(NetworkJob& job, std::size_t bytes) {
    const auto sent = pattern(bytes);
    std::vector<std::byte> got(bytes);
    Request* receive = job[1].ireceive(got, 0, kContext, 1);
    ASSERT_EQ(job[0].send(sent, 1, kContext, 1), Status::ok);
    job[1].wait(*receive);
    EXPECT_EQ(receive->info().bytes, bytes);
    EXPECT_EQ(receive->info().status, Status::ok);
    job[1].release(receive);
    EXPECT_EQ(got, sent);
    EXPECT_EQ(job.registrar(0).living, 0);
    EXPECT_EQ(job.registrar(1).living, 0);
}

TEST(DirectWrite, BytesCrossOnceAndOnlyThey) {
    NetworkJob job(kDirect);
    exchange(job, 100000);
    EXPECT_EQ(job.registrar(0).pins, 7);  // pieces of 4 blocks
    EXPECT_EQ(job.registrar(1).pins, 1);
    // 25 blocks; three records (first, written at the sender; cts at the receiver), each with its tail word.
    EXPECT_EQ(job.endpoint(0).counters().writes, 25U + 2 * 2);
    EXPECT_EQ(job.endpoint(1).counters().writes, 2U);
    EXPECT_LT(job.endpoint(0).counters().write_bytes, 100000U + 512);
}

TEST(DirectWrite, OverTwoRailsBothCarryBlocksAndOneTheRecords) {
    NetworkJob job(kDirect, kScattered, 256, {}, 2);
    exchange(job, 100000);
    EXPECT_GE(job.further(0).counters().writes, 8U) << "of 25 blocks";
    EXPECT_EQ(job.further(0).counters().reads, 1U) << "behind them";
    EXPECT_EQ(job.further(1).counters().writes, 0U);
    exchange(job, 10000);
}

TEST(DirectWrite, WhenARailBreaksTheReceiverClosesItToo) {
    NetworkJob job(kDirect, kScattered, 256, {}, 2);
    exchange(job, 100000);
    job.further(0).abandon();
    EXPECT_EQ(job.further(1).flush(), Status::ok) << "it knows nothing of it";
    exchange(job, 100000);
    EXPECT_EQ(job.further(1).flush(), Status::peer_lost) << "the sender has named it";
    exchange(job, 100000);
}

TEST(DirectWrite, EverySizeAroundTheThresholdAndTheBlocks) {
    NetworkJob job(kDirect, kScattered);
    for (const std::size_t bytes : {9999, 10000, 10001, 12287, 12288, 12289, 65536, 1000003})
        exchange(job, bytes);
}

TEST(DirectWrite, LateReceiveKeepsNothing) {
    NetworkJob job(kDirect);
    const auto sent = pattern(200000);
    Request* send = job[0].isend(sent, 1, kContext, 1);
    for (int i = 0; i < 20; ++i) job.progress_all();
    EXPECT_FALSE(send->complete());
    EXPECT_LE(job[1].unexpected_bytes(0), sizeof(Unexpected));
    std::vector<std::byte> got(sent.size());
    EXPECT_EQ(job[1].receive(got, kAnySource, kContext, kAnyTag), Status::ok);
    job[0].wait(*send);
    job[0].release(send);
    EXPECT_EQ(got, sent);
}

TEST(DirectWrite, WhatDoesNotFitGoesThroughTheRing) {
    NetworkJob job(kDirect);
    const auto sent = pattern(100000);
    std::vector<std::byte> got(60000, std::byte{0x5a});
    Request* receive = job[1].ireceive(std::span(got).first(50000), 0, kContext, 1);
    EXPECT_EQ(job[0].send(sent, 1, kContext, 1), Status::ok);
    job[1].wait(*receive);
    EXPECT_EQ(receive->info().status, Status::truncated);
    EXPECT_EQ(receive->info().bytes, sent.size());
    EXPECT_TRUE(std::equal(got.begin(), got.begin() + 50000, sent.begin()));
    EXPECT_EQ(got[50000], std::byte{0x5a});
    EXPECT_EQ(job.registrar(1).pins, 0);
    job[1].release(receive);
}

TEST(DirectWrite, MemoryThatCannotBeRegisteredGoesThroughTheRing) {
    for (const int refuser : {0, 1}) {
        NetworkJob job(kDirect);
        job.registrar(refuser).fail = true;
        exchange(job, 100000);
        job.registrar(refuser).fail = false;
        exchange(job, 100000);
    }
}

TEST(DirectWrite, TheMeasuredCriticalSizeDecides) {
    // What each curve says of a message of 50000 bytes: written, or copied through the ring.
    for (const std::uint64_t copy_ns_per_kib : {10U, 1000U}) {
        namespace size = memory::critical_size;
        size::Result measured;
        for (std::uint64_t bytes = 4U << 10; bytes <= 16U << 20; bytes *= 2) {
            const auto kib = static_cast<double>(bytes >> 10);
            measured.curves.of(size::Work::copy, {})
                .push_back({bytes, kib * static_cast<double>(copy_ns_per_kib)});
            measured.curves.of(size::Work::add, {}).push_back({bytes, 10'000 + kib});
        }
        measured.crossings = size::find_crossings(measured.curves);
        network::DirectParameters direct = kDirect;
        direct.from = network::choose_direct(0, true, measured).from;
        NetworkJob job(direct);
        exchange(job, 50000);
        const bool written = copy_ns_per_kib == 1000;
        EXPECT_EQ(direct.from <= 50000, written);
        EXPECT_EQ(job.registrar(0).pins + job.registrar(1).pins, written ? 5 : 0);
    }
}

TEST(DirectWrite, EveryKthRegistrationMayFail) {
    for (int every = 2; every <= 9; ++every) {
        NetworkJob job(kDirect, kScattered);
        job.registrar(0).fail_every = every;
        job.registrar(1).fail_every = every + 1;
        for (const std::size_t bytes : {10000, 16384, 16385, 65536, 100000, 300001}) {
            exchange(job, bytes);
            exchange(job, bytes);
        }
        EXPECT_GT(job.registrar(0).attempts, job.registrar(0).pins) << every;
    }
}

TEST(DirectWrite, TheFirstPieceIsRegisteredWhileTheRtsFlies) {
    NetworkJob job(kDirect, {.manual = true});
    std::vector<std::uint64_t> doorbells;
    job.registrar(0).on_pin = [&] { doorbells.push_back(job.endpoint(0).counters().doorbells); };
    const auto sent = pattern(100000);
    Request* send = job[0].isend(sent, 1, kContext, 1);
    EXPECT_THAT(doorbells, ::testing::ElementsAre(1U));  // behind the record's, and there was no answer yet
    EXPECT_GT(job.endpoint(0).pending(), 0U);
    std::vector<std::byte> got(sent.size());
    Request* receive = job[1].ireceive(got, 0, kContext, 1);
    for (int i = 0; i < 1000 && !(receive->complete() && send->complete()); ++i) {
        job.link().step();
        job.progress_all();
    }
    EXPECT_EQ(got, sent);
    job[0].release(send);
    job[1].release(receive);
}

TEST(DirectWrite, TheNextPieceIsRegisteredWhileTheLastOneMoves) {
    NetworkJob job(kDirect, {.manual = true});
    std::vector<std::size_t> moving;
    job.registrar(0).on_pin = [&] { moving.push_back(job.endpoint(0).pending()); };
    const auto sent = pattern(100000);
    std::vector<std::byte> got(sent.size());
    Request* receive = job[1].ireceive(got, 0, kContext, 1);
    Request* send = job[0].isend(sent, 1, kContext, 1);
    for (int i = 0; i < 1000 && !(receive->complete() && send->complete()); ++i) {
        job.link().step();
        job.progress_all();
    }
    EXPECT_EQ(got, sent);
    ASSERT_EQ(moving.size(), 7U);
    for (const std::size_t operations : moving) EXPECT_GT(operations, 0U);
    job[0].release(send);
    job[1].release(receive);
}

TEST(DirectWrite, SmallMessagesPassALongOneAndOrderHolds) {
    NetworkJob job(kDirect, {.manual = true});
    const auto sent = pattern(400000);
    std::vector<std::byte> got(sent.size());
    std::array<std::byte, 4> small{};
    const auto bytes = pattern(4, 9);
    Request* receive = job[1].ireceive(got, 0, kContext, 1);
    Request* send = job[0].isend(sent, 1, kContext, 1);
    Request* other = job[1].ireceive(small, 0, kContext, 2);
    Request* small_send = nullptr;
    int rounds_before = 0;
    for (int i = 0; i < 10000 && !(receive->complete() && send->complete()); ++i) {
        job.link().step();
        job.progress_all();
        if (i == 40) small_send = job[0].isend(bytes, 1, kContext, 2);
        if (!other->complete()) ++rounds_before;
    }
    EXPECT_LT(rounds_before, 1000);
    ASSERT_TRUE(receive->complete() && send->complete() && other->complete() && small_send->complete());
    job[0].release(small_send);
    EXPECT_EQ(got, sent);
    EXPECT_TRUE(std::ranges::equal(small, bytes));
    for (Request* request : {receive, other}) job[1].release(request);
    job[0].release(send);
}

TEST(DirectWrite, SynchronousAndInPlaceReceivesToo) {
    NetworkJob job(kDirect);
    const auto sent = pattern(50000);
    std::vector<std::byte> got;
    const InPlaceHandler handler{[](void* to, const MessageInfo&, std::span<const std::byte> message) {
                                     static_cast<std::vector<std::byte>*>(to)->assign(message.begin(),
                                                                                      message.end());
                                 },
                                 &got};
    Request* send = job[0].isend(sent, 1, kContext, 1, SendMode::synchronous);
    EXPECT_EQ(job[1].receive_in_place(handler, 0, kContext, 1), Status::ok);
    job[0].wait(*send);
    job[0].release(send);
    EXPECT_EQ(got, sent);
}

TEST(DirectWrite, DrainingWaitsForTheBlocks) {
    NetworkJob job(kDirect);
    const auto sent = pattern(100000);
    std::vector<std::byte> got(sent.size());
    Request* receive = job[1].ireceive(got, 0, kContext, 1);
    job[0].release(job[0].isend(sent, 1, kContext, 1));
    job[0].drain_sends();
    job[1].wait(*receive);
    job[1].release(receive);
    EXPECT_EQ(got, sent);
    EXPECT_EQ(job.registrar(0).living, 0);
}

TEST(Farewell, ComesBehindUnreceivedMessagesAndIsWaitedFor) {
    NetworkJob job(kDirect);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(job[0].send(pattern(100), 1, kContext, 1), Status::ok);
    bool other = false;
    job.transport(0).let_others_run = [&] {
        if (std::exchange(other, true)) return;
        job[1].farewell();
    };
    job[0].farewell();
    EXPECT_TRUE(job.transport(0).departed(1));
    EXPECT_TRUE(job.transport(1).departed(0));
}

TEST(Farewell, IsNotHopelessWhileTheOwnWordIsUnderWay) {
    NetworkJob job(kDirect);
    job.transport(0).unquiet = 100;
    job.transport(0).let_others_run = [&, other = false]() mutable {
        if (!std::exchange(other, true)) job[1].farewell();
    };
    EXPECT_NO_THROW(job[0].farewell());
    EXPECT_LE(job.transport(0).unquiet, 0);
}

TEST(HostileRecords, AreReportedAsWhatTheyAre) {
    const auto send_raw = [](NetworkJob& job, wire::Kind kind, std::uint64_t word) {
        const auto sender = job.transport(0).lane(1).sender();
        auto claim = sender.try_claim(0);
        EXPECT_EQ(sender.commit(claim, static_cast<std::uint8_t>(kind), word, 0), Status::ok);
    };
    const auto error_of = [](NetworkJob& job) -> std::string {
        try {
            job[1].progress();
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "";
    };
    NetworkJob job(kDirect);
    send_raw(job, wire::Kind::written, 3);
    EXPECT_EQ(error_of(job), "rank 0 sent a word of a written message that no receive admits");
    NetworkJob second(kDirect);
    std::vector<std::byte> got(10);
    Request* receive = second[1].ireceive(got, 0, kContext, 1);
    send_raw(second, wire::Kind::written, receive->id());
    EXPECT_EQ(error_of(second), "rank 0 sent a word of a written message that no receive admits");
    second[1].cancel(*receive);
    second[1].release(receive);
}

TEST(HostileRecords, MoreWrittenThanTheMessageHas) {
    NetworkJob job(kDirect);
    const auto sent = pattern(20000);
    std::vector<std::byte> got(sent.size());
    Request* receive = job[1].ireceive(got, 0, kContext, 1);
    Request* send = job[0].isend(sent, 1, kContext, 1);
    ASSERT_EQ(job[1].progress(), 1);  // matched, and the buffer may be written
    const std::uint64_t written = sent.size() + 1;
    const auto sender = job.transport(0).lane(1).sender();
    auto claim = sender.try_claim(sizeof written);
    std::memcpy(claim.payload, &written, sizeof written);
    ASSERT_EQ(
        sender.commit(claim, static_cast<std::uint8_t>(wire::Kind::written), receive->id(), sizeof written),
        Status::ok);
    EXPECT_THROW(job[1].progress(), std::runtime_error);
    job[0].release(send);
}

}  // namespace
}  // namespace rb2::pt2pt
