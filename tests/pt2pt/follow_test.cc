// Messages over sockets whose bytes follow the record that announces them, and what they cost in system
// calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/pt2pt/tcp_job.hpp"
#include "tests/runtime/fabric/tcp/cut_io.hpp"

namespace rb2::pt2pt {
namespace {

using testing::kContext;
using testing::pattern;
using testing::TcpJob;
constexpr std::uint64_t kFollowFrom = 4096;
constexpr std::uint64_t kDirectFrom = 300'000;
constexpr network::DirectParameters kParameters{.from = kDirectFrom, .follow_from = kFollowFrom};
constexpr std::size_t kSizes[]{4095, 4096, 4097, 20'001, 65'536, 299'999, 300'000, 1'000'003};

/// One message of `bytes` from rank 0 to rank 1, its receive posted first.
void exchange(TcpJob& job, std::size_t bytes) {
    const auto sent = pattern(bytes, static_cast<unsigned>(bytes));
    std::vector<std::byte> got(bytes);
    Request* const receive = job[1].ireceive(got, 0, kContext, 1);
    ASSERT_EQ(job[0].send(sent, 1, kContext, 1), Status::ok);
    job[1].wait(*receive);
    EXPECT_EQ(receive->info().bytes, bytes);
    EXPECT_EQ(receive->info().status, Status::ok);
    job[1].release(receive);
    EXPECT_EQ(got, sent) << bytes;
}

/// Makes progress on both sides until `request` of rank 0 is complete, and gives it back.
void finish_send(TcpJob& job, Request* request) {
    for (int i = 0; i < 100'000 && !request->complete(); ++i) job.progress_all();
    ASSERT_TRUE(request->complete());
    job[0].release(request);
}

TEST(Following, AnySizeArrivesWhenTheReceiveIsPosted) {
    TcpJob job(kParameters);
    for (const std::size_t bytes : kSizes) exchange(job, bytes);
}

TEST(Following, AnySizeArrivesWhenTheReceiveComesLate) {
    TcpJob job(kParameters);
    for (const std::size_t bytes : kSizes) {
        const auto sent = pattern(bytes);
        std::vector<std::byte> got(bytes);
        Request* const send = job[0].isend(sent, 1, kContext, 1);
        for (int i = 0; i < 20; ++i) job.progress_all();
        ASSERT_EQ(job[1].receive(got, kAnySource, kContext, kAnyTag), Status::ok);
        finish_send(job, send);
        EXPECT_EQ(got, sent) << bytes;
    }
    EXPECT_EQ(job[1].unexpected_bytes(0), 0U);
}

TEST(Following, AReceiveThatComesWhileTheBytesDo) {
    fabric::tcp::test::cuts = {.most = 5000};
    TcpJob job(kParameters, {}, fabric::tcp::test::kCutIo);
    const auto sent = pattern(200'000);
    std::vector<std::byte> got(sent.size());
    Request* const send = job[0].isend(sent, 1, kContext, 1);
    while (job[1].unexpected_bytes(0) == 0) job.progress_all();
    ASSERT_EQ(job[1].receive(got, 0, kContext, 1), Status::ok);
    finish_send(job, send);
    EXPECT_EQ(got, sent);
    fabric::tcp::test::cuts = {};
}

TEST(Following, HoweverTheKernelCutsTheStreamOrderHolds) {
    for (const std::size_t most : {1UL, 7UL, 100UL, 5000UL, 100'000UL}) {
        fabric::tcp::test::cuts = {.random = std::mt19937_64(most), .most = most, .refused = 10};
        TcpJob job(kParameters, {}, fabric::tcp::test::kCutIo);
        const std::size_t scale = most < 100 ? 20 : 1;  // of the longest
        std::vector<std::vector<std::byte>> sent, got;
        for (std::size_t i = 0; i < 30; ++i) {
            sent.push_back(
                pattern(i % 3 == 0 ? i * 10 : (i % 7 + 1) * 40'000 / scale, static_cast<unsigned>(i)));
            got.emplace_back(sent.back().size());
        }
        std::vector<Request*> sends, receives;
        for (std::size_t i = 0; i < sent.size(); ++i) {
            if (i % 2 == 0) receives.push_back(job[1].ireceive(got[i], 0, kContext, static_cast<int>(i)));
            sends.push_back(job[0].isend(sent[i], 1, kContext, static_cast<int>(i)));
        }
        for (std::size_t i = 1; i < sent.size(); i += 2)
            receives.push_back(job[1].ireceive(got[i], 0, kContext, static_cast<int>(i)));
        for (Request* const receive : receives) {
            job[1].wait(*receive);
            job[1].release(receive);
        }
        for (Request* const send : sends) finish_send(job, send);
        EXPECT_EQ(got, sent) << most;
    }
    fabric::tcp::test::cuts = {};
}

TEST(Following, ATooShortBufferTakesTheBeginning) {
    TcpJob job(kParameters);
    const auto sent = pattern(100'000);
    for (const bool late : {false, true}) {
        std::vector<std::byte> got(60'000, std::byte{0x5a});
        Request* send = late ? job[0].isend(sent, 1, kContext, 1) : nullptr;
        for (int i = 0; i < 10; ++i) job.progress_all();
        Request* const receive = job[1].ireceive(std::span(got).first(50'000), 0, kContext, 1);
        if (!late) send = job[0].isend(sent, 1, kContext, 1);
        job[1].wait(*receive);
        finish_send(job, send);
        EXPECT_EQ(receive->info().status, Status::truncated);
        EXPECT_EQ(receive->info().bytes, sent.size());
        EXPECT_TRUE(std::equal(got.begin(), got.begin() + 50'000, sent.begin()));
        EXPECT_EQ(got[50'000], std::byte{0x5a});
        job[1].release(receive);
        exchange(job, 5000);  // the stream goes on behind what was dropped
    }
}

TEST(Following, MemoryWithGapsAndHandlersTakeIt) {
    using datatype::TypeMap;
    const auto byte = TypeMap::basic({1, 1, 1, datatype::Representation::bytes});
    const auto layout = datatype::Layout::make(*TypeMap::resized(0, 20, TypeMap::contiguous(10, byte)));
    TcpJob job(kParameters);
    const auto sent = pattern(100'000);
    std::vector<std::byte> room(2 * sent.size());
    Request* const receive = job[1].ireceive(Scatter{room.data(), layout.get(), sent.size()}, 0, kContext, 1);
    ASSERT_EQ(job[0].send(sent, 1, kContext, 1), Status::ok);
    job[1].wait(*receive);
    job[1].release(receive);
    for (std::size_t i = 0; i < sent.size(); i += 997) ASSERT_EQ(room[i / 10 * 20 + i % 10], sent[i]);
    std::vector<std::byte> got;
    const InPlaceHandler handler{[](void* to, const MessageInfo&, std::span<const std::byte> message) {
                                     static_cast<std::vector<std::byte>*>(to)->assign(message.begin(),
                                                                                      message.end());
                                 },
                                 &got};
    Request* const send = job[0].isend(sent, 1, kContext, 2);
    ASSERT_EQ(job[1].receive_in_place(handler, 0, kContext, 2), Status::ok);
    finish_send(job, send);
    EXPECT_EQ(got, sent);
}

TEST(Following, BothWaysMoreThanTheKernelHolds) {
    TcpJob job(kParameters);
    constexpr std::size_t count = 100;
    const auto sent = pattern(250'000);
    std::vector<std::vector<std::byte>> got(2 * count, std::vector<std::byte>(sent.size()));
    std::vector<Request*> requests;
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t rank : {0U, 1U})
            requests.push_back(job[rank].isend(sent, 1 - static_cast<int>(rank), kContext, 1));
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t rank : {0U, 1U})
            ASSERT_EQ(job[rank].receive(got[2 * i + rank], 1 - static_cast<int>(rank), kContext, 1),
                      Status::ok);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        job[i % 2].wait(*requests[i]);
        job[i % 2].release(requests[i]);
    }
    for (const auto& message : got) ASSERT_EQ(message, sent);
}

TEST(Following, ASenderWaitsOncePastTheBudgetAndIsHeardAgain) {
    EngineConfig config;
    config.unexpected_budget = 300'000;
    TcpJob job(kParameters, config);
    const auto sent = pattern(100'000);
    constexpr std::size_t count = 100;  // more than the kernel holds
    std::vector<Request*> sends;
    for (std::size_t i = 0; i < count; ++i) sends.push_back(job[0].isend(sent, 1, kContext, 1));
    for (int i = 0; i < 2000; ++i) job.progress_all();
    EXPECT_FALSE(sends.back()->complete());
    EXPECT_LE(job[1].unexpected_bytes(0), 500'000U);
    // The peer's own message is not held up by that: it waits for room in no ring.
    std::vector<std::byte> small(100), got(sent.size());
    Request* const back = job[1].isend(small, 0, kContext, 2);
    ASSERT_EQ(job[0].receive(small, 1, kContext, 2), Status::ok);
    job[1].wait(*back);
    job[1].release(back);
    for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(job[1].receive(got, 0, kContext, 1), Status::ok);
        ASSERT_EQ(got, sent);
    }
    for (Request* const send : sends) finish_send(job, send);
}

TEST(Following, AnEngineMayGoWhileBytesAreUnderWay) {
    fabric::tcp::test::cuts = {.most = 5000};
    TcpJob job(kParameters, {}, fabric::tcp::test::kCutIo);
    const auto sent = pattern(200'000);
    {
        std::vector<std::byte> gone(sent.size());
        Request* const receive = job[1].ireceive(gone, 0, kContext, 1);
        Request* const send = job[0].isend(sent, 1, kContext, 1);
        while (std::ranges::all_of(gone, [](std::byte byte) { return byte == std::byte{0}; }))
            job.progress_all();
        EXPECT_FALSE(receive->complete());
        job.end(1);
        job[0].release(send);
    }
    for (int i = 0; i < 1000; ++i) {
        job[0].progress();
        job.context(1).progress();
    }
    fabric::tcp::test::cuts = {};
}

/// Rank 0 announces `bytes` that follow, and lets none follow.
void announce(TcpJob& job, std::uint64_t bytes) {
    const wire::FirstHeader header{
        .total = bytes, .eager_bytes = bytes, .address = 0, .sender_id = 0, .flags = wire::kFollows};
    auto claim = job.channel(0).try_claim(sizeof header);
    ASSERT_TRUE(claim);
    std::memcpy(claim.payload, &header, sizeof header);
    const auto kind = static_cast<std::uint8_t>(wire::Kind::first);
    ASSERT_EQ(job.channel(0).commit(claim, kind, wire::pack(kContext, 1), sizeof header), Status::ok);
}

TEST(Following, AnAnnouncementAheadOfTheLastOnesBytesIsRefused) {
    for (const bool posted : {false, true}) {
        TcpJob job(kParameters);
        std::vector<std::byte> got(20'000);
        Request* const receive = posted ? job[1].ireceive(got, 0, kContext, 1) : nullptr;
        announce(job, got.size());
        for (int i = 0; i < 20; ++i) job[1].progress();
        announce(job, got.size());
        try {
            for (int i = 0; i < 20; ++i) job[1].progress();
            ADD_FAILURE() << "taken";
        } catch (const std::runtime_error& error) {
            EXPECT_NE(std::string(error.what()).find("rank 0 sent a first record"), std::string::npos)
                << error.what();
        }
        EXPECT_TRUE(receive == nullptr || !receive->complete());
    }
}

// --- System calls

struct Calls {
    std::uint64_t sends = 0;     // at rank 0, also those the kernel took nothing of
    std::uint64_t receives = 0;  // at rank 1, those that brought bytes
    std::uint64_t looks = 0;     // at both, for how many bytes are there
    std::uint64_t answers = 0;   // rank 1's sends
};

thread_local std::uint64_t looks;
std::int64_t counted_look(int fd) noexcept {
    ++looks;
    return fabric::tcp::kKernelIo.available(fd);
}
const fabric::tcp::Io kCountingIo{fabric::tcp::kKernelIo.send, fabric::tcp::kKernelIo.receive, counted_look};

/// Of `count` messages of `bytes`, one after the other, all receives posted before.
Calls calls_of(std::size_t bytes, std::size_t count) {
    TcpJob job(kParameters, {}, kCountingIo);
    exchange(job, bytes);
    const auto sent = pattern(bytes);
    std::vector<std::vector<std::byte>> got(count, std::vector<std::byte>(bytes));
    std::vector<Request*> receives;
    for (auto& buffer : got) receives.push_back(job[1].ireceive(buffer, 0, kContext, 1));
    const auto before0 = job.context(0).counters();
    const auto before1 = job.context(1).counters();
    looks = 0;
    for (Request* const receive : receives) {
        Request* const send = job[0].isend(sent, 1, kContext, 1);
        while (!receive->complete() || !send->complete()) job.progress_all();
        job[0].release(send);
        job[1].release(receive);
    }
    const auto& after0 = job.context(0).counters();
    const auto& after1 = job.context(1).counters();
    return {after0.sends + after0.refusals - before0.sends - before0.refusals,
            after1.receives - before1.receives, looks, after1.sends - before1.sends};
}

TEST(SystemCalls, AFollowingMessageTakesOneSendAndNoAnswer) {
    constexpr std::size_t count = 50;
    const Calls calls = calls_of(60'000, count);
    EXPECT_EQ(calls.sends, count);
    EXPECT_EQ(calls.looks, 0U);
    EXPECT_LE(calls.receives, count + count / 10);  // its record and the bytes together
    EXPECT_LE(calls.answers, count / 8);            // credits
}

TEST(SystemCalls, ADirectMessageTakesTwoSendsAndOneAnswer) {
    constexpr std::size_t count = 20;
    const Calls calls = calls_of(kDirectFrom, count);
    EXPECT_LE(calls.sends,
              3 * count);  // the RTS; bytes and the word that they are there, in two where the kernel is full
    EXPECT_EQ(calls.looks, 0U);
    EXPECT_LE(calls.answers, count + count / 4);
}

TEST(SystemCalls, ASmallMessageTakesOneSendAndOneReceive) {
    constexpr std::size_t count = 100;
    for (const std::size_t bytes : {8UL, 1024UL}) {
        const Calls calls = calls_of(bytes, count);
        EXPECT_LE(calls.sends, count + count / 10);  // what fills the end of a lap goes by itself
        EXPECT_LE(calls.receives, count + count / 10);
        EXPECT_EQ(calls.looks, 0U);
    }
}

}  // namespace
}  // namespace rb2::pt2pt
