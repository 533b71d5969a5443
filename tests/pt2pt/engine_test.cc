// The engine's verbs between ranks that share one thread.
#include "pt2pt/engine.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/pt2pt/in_process.hpp"

namespace rb2::pt2pt {
namespace {

using testing::InProcessJob;
using testing::kContext;
using testing::pattern;

class EngineSizes : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EngineSizes, ArriveWholeWhenTheReceiveIsPosted) {
    InProcessJob job(2);
    const auto sent = pattern(GetParam());
    std::vector<std::byte> got(sent.size());
    Request* receive = job[1].ireceive(got, 0, kContext, 7);
    EXPECT_EQ(job[0].send(sent, 1, kContext, 7), Status::ok);
    job[1].wait(*receive);
    EXPECT_EQ(got, sent);
    EXPECT_EQ(receive->info().bytes, sent.size());
    EXPECT_EQ(receive->info().source, 0);
    EXPECT_EQ(receive->info().tag, 7);
    job[1].release(receive);
}

TEST_P(EngineSizes, ArriveWholeWhenTheReceiveComesLate) {
    InProcessJob job(2);
    const auto sent = pattern(GetParam());
    std::vector<std::byte> got(sent.size());
    Request* send = job[0].isend(sent, 1, kContext, 7);
    for (int i = 0; i < 50; ++i) job.progress_all();
    EXPECT_EQ(job[1].matcher().unexpected_count(), 1U);
    MessageInfo info;
    EXPECT_EQ(job[1].receive(got, kAnySource, kContext, kAnyTag, &info), Status::ok);
    job[0].wait(*send);
    job[0].release(send);
    EXPECT_EQ(got, sent);
    EXPECT_EQ(info.bytes, sent.size());
    EXPECT_EQ(job[1].unexpected_bytes(0), 0U);
}

TEST_P(EngineSizes, ArriveInASpareRequestAgainAndAgain) {
    InProcessJob job(2);
    Request* const spare = job[1].spare_receive();
    std::vector<std::byte> other(1);
    Request* const filed = job[1].ireceive(other, 0, kContext, 99);
    for (const bool late : {false, true, false}) {
        const auto sent = pattern(GetParam());
        std::vector<std::byte> got(sent.size());
        Request* send = nullptr;
        if (late) {
            send = job[0].isend(sent, 1, kContext, 7);
            for (int i = 0; i < 50; ++i) job.progress_all();
        }
        job[1].ireceive(*spare, got, {kContext, 0, 7});
        if (!late) send = job[0].isend(sent, 1, kContext, 7);
        job[1].wait(*spare);
        job[0].wait(*send);
        job[0].release(send);
        EXPECT_EQ(got, sent);
        EXPECT_EQ(spare->info().bytes, sent.size());
        EXPECT_EQ(spare->kind(), Request::Kind::receive);
        testing::TestEngine::rest(*spare);
        EXPECT_EQ(spare->kind(), Request::Kind::idle) << "no record can mean it, no report shows it";
    }
    EXPECT_TRUE(job[1].cancel(*filed));
    job[1].release(filed);
}

TEST_P(EngineSizes, GoToSelfEitherWay) {
    InProcessJob job(1);
    const auto sent = pattern(GetParam());
    std::vector<std::byte> got(sent.size());
    Request* send = job[0].isend(sent, 0, kContext, 1);
    EXPECT_EQ(job[0].receive(got, 0, kContext, 1), Status::ok);
    job[0].wait(*send);
    job[0].release(send);
    EXPECT_EQ(got, sent);

    std::fill(got.begin(), got.end(), std::byte{0});
    Request* receive = job[0].ireceive(got, kAnySource, kContext, 2);
    EXPECT_EQ(job[0].send(sent, 0, kContext, 2), Status::ok);
    EXPECT_TRUE(receive->complete());
    job[0].release(receive);
    EXPECT_EQ(got, sent);
}

TEST_P(EngineSizes, SynchronousSendWaitsForTheMatch) {
    InProcessJob job(2);
    const auto sent = pattern(GetParam());
    std::vector<std::byte> got(sent.size());
    Request* send = job[0].isend(sent, 1, kContext, 7, SendMode::synchronous);
    for (int i = 0; i < 50; ++i) job.progress_all();
    EXPECT_FALSE(send->complete());
    EXPECT_EQ(job[1].receive(got, 0, kContext, 7), Status::ok);
    job[0].wait(*send);
    job[0].release(send);
    EXPECT_EQ(got, sent);
}

TEST_P(EngineSizes, TruncationIsReportedAndTheRestDropped) {
    if (GetParam() == 0) return;  // nothing to truncate
    for (const bool late : {false, true}) {
        InProcessJob job(2);
        const auto sent = pattern(GetParam());
        std::vector<std::byte> got(sent.size(), std::byte{0x5a});
        const std::span<std::byte> part(got.data(), sent.size() / 2);
        Request* send = nullptr;
        if (late) {
            send = job[0].isend(sent, 1, kContext, 7);
            for (int i = 0; i < 50; ++i) job.progress_all();
        }
        Request* receive = job[1].ireceive(part, 0, kContext, 7);
        if (!late) send = job[0].isend(sent, 1, kContext, 7);
        job[1].wait(*receive);
        job[0].wait(*send);
        EXPECT_EQ(receive->info().status, Status::truncated);
        EXPECT_EQ(receive->info().bytes, sent.size());
        EXPECT_TRUE(std::equal(part.begin(), part.end(), sent.begin()));
        EXPECT_TRUE(std::all_of(got.begin() + static_cast<std::ptrdiff_t>(part.size()), got.end(),
                                [](std::byte b) { return b == std::byte{0x5a}; }));
        job[0].release(send);
        job[1].release(receive);
    }
}

INSTANTIATE_TEST_SUITE_P(All, EngineSizes,
                         ::testing::Values(0, 1, 7, 8, 47, 48, 49, 64, 100, 1000, 4095, 4096, 8191, 8192,
                                           8193, 65535, 65536, 65537, 1000000),
                         [](const auto& size) { return std::to_string(size.param) + "B"; });

TEST(Engine, KeepsOrderOfEqualEnvelopesWhateverTheSizes) {
    InProcessJob job(2);
    const std::vector<std::size_t> sizes{8, 200000, 16, 70000, 0, 9000, 24};
    std::vector<std::vector<std::byte>> sent;
    std::vector<Request*> sends;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        sent.push_back(pattern(sizes[i], static_cast<unsigned>(i)));
        sends.push_back(job[0].isend(sent.back(), 1, kContext, 3));
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        std::vector<std::byte> got(200000);
        MessageInfo info;
        EXPECT_EQ(job[1].receive(got, 0, kContext, 3, &info), Status::ok);
        ASSERT_EQ(info.bytes, sizes[i]);
        got.resize(sizes[i]);
        EXPECT_EQ(got, sent[i]);
    }
    for (Request* send : sends) {
        job[0].wait(*send);
        job[0].release(send);
    }
}

TEST(Engine, LaterMessageCanBeReceivedWhileALongEarlierOneWaits) {
    InProcessJob job(2);
    const auto big = pattern(5'000'000);
    const auto small = pattern(8, 2);
    Request* first = job[0].isend(big, 1, kContext, 1);
    Request* second = job[0].isend(small, 1, kContext, 2);
    std::vector<std::byte> got(8);
    EXPECT_EQ(job[1].receive(got, 0, kContext, 2), Status::ok);
    EXPECT_EQ(got, small);
    std::vector<std::byte> all(big.size());
    EXPECT_EQ(job[1].receive(all, 0, kContext, 1), Status::ok);
    EXPECT_EQ(all, big);
    for (Request* request : {first, second}) {
        job[0].wait(*request);
        job[0].release(request);
    }
}

TEST(Engine, BothSidesSendLongMessagesAtOnce) {
    InProcessJob job(2);
    const auto a = pattern(3'000'000, 1);
    const auto b = pattern(3'000'001, 2);
    std::vector<std::byte> got_a(a.size()), got_b(b.size());
    Request* receive_a = job[1].ireceive(got_a, 0, kContext, 1);
    Request* receive_b = job[0].ireceive(got_b, 1, kContext, 1);
    Request* send_a = job[0].isend(a, 1, kContext, 1);
    Request* send_b = job[1].isend(b, 0, kContext, 1);
    job[0].wait(*receive_b);
    job[1].wait(*receive_a);
    job[0].wait(*send_a);
    job[1].wait(*send_b);
    EXPECT_EQ(got_a, a);
    EXPECT_EQ(got_b, b);
    job[0].release(send_a);
    job[0].release(receive_b);
    job[1].release(send_b);
    job[1].release(receive_a);
}

TEST(Engine, UnexpectedBudgetStopsTheSenderUntilAReceiveLooksFurther) {
    EngineConfig config;
    config.unexpected_budget = 4096;
    InProcessJob job(2, 64, config);
    std::vector<Request*> sends;
    std::vector<std::uint64_t> values(2000);
    std::iota(values.begin(), values.end(), 0);
    for (std::uint64_t& value : values) {
        sends.push_back(
            job[0].isend(std::as_bytes(std::span(&value, 1)), 1, kContext, value == 1999 ? 9 : 5));
    }
    for (int i = 0; i < 1000; ++i) job.progress_all();
    EXPECT_LE(job[1].unexpected_bytes(0), 4096U + sizeof(Unexpected) + 8);
    EXPECT_FALSE(sends.back()->complete());

    // The last message lies behind all others: looking for it must not deadlock.
    std::uint64_t got = 0;
    EXPECT_EQ(job[1].receive(std::as_writable_bytes(std::span(&got, 1)), 0, kContext, 9), Status::ok);
    EXPECT_EQ(got, 1999U);
    for (std::uint64_t expected = 0; expected < 1999; ++expected) {
        ASSERT_EQ(job[1].receive(std::as_writable_bytes(std::span(&got, 1)), 0, kContext, 5), Status::ok);
        ASSERT_EQ(got, expected);
    }
    EXPECT_EQ(job[1].unexpected_bytes(0), 0U);
    for (Request* send : sends) {
        job[0].wait(*send);
        job[0].release(send);
    }
}

TEST(Engine, ProbeLooksPastTheBudgetToo) {
    EngineConfig config;
    config.unexpected_budget = 1024;
    InProcessJob job(2, 64, config);
    std::vector<Request*> sends;
    const auto data = pattern(16);
    for (int i = 0; i < 500; ++i) sends.push_back(job[0].isend(data, 1, kContext, i == 499 ? 9 : 5));
    MessageInfo info;
    job[1].probe(kAnySource, kContext, 9, &info);
    EXPECT_EQ(info.bytes, 16U);
    EXPECT_EQ(info.tag, 9);
    for (Request* send : sends) job[0].release(send);
}

TEST(Engine, RendezvousAnswerIsSeenBehindAnOverfullQueueOfUnexpectedMessages) {
    EngineConfig config;
    config.unexpected_budget = 1024;
    InProcessJob job(2, 64, config);
    // Rank 1 floods rank 0, then receives the long message whose CTS therefore lies behind the flood.
    const auto flood = pattern(16);
    std::vector<Request*> sends;
    for (int i = 0; i < 500; ++i) sends.push_back(job[1].isend(flood, 0, kContext, 5));
    const auto big = pattern(1'000'000);
    std::vector<std::byte> got(big.size());
    Request* receive = job[1].ireceive(got, 0, kContext, 1);
    EXPECT_EQ(job[0].send(big, 1, kContext, 1), Status::ok);
    job[1].wait(*receive);
    EXPECT_EQ(got, big);
    job[1].release(receive);
    for (Request* send : sends) job[1].release(send);
}

TEST(Engine, MatchedProbeTakesTheMessageOutOfMatching) {
    InProcessJob job(2);
    for (const std::size_t size : {std::size_t{10}, std::size_t{100000}}) {
        const auto sent = pattern(size);
        Request* send = job[0].isend(sent, 1, kContext, 4);
        for (int i = 0; i < 20; ++i) job.progress_all();
        MessageInfo info;
        Unexpected* message = job[1].improbe(kAnySource, kContext, kAnyTag, &info);
        ASSERT_NE(message, nullptr);
        EXPECT_EQ(info.bytes, size);
        EXPECT_FALSE(job[1].iprobe(kAnySource, kContext, kAnyTag, nullptr));
        std::vector<std::byte> got(size);
        Request* receive = job[1].imreceive(message, got);
        job[1].wait(*receive);
        job[0].wait(*send);
        EXPECT_EQ(got, sent);
        job[1].release(receive);
        job[0].release(send);
    }
}

TEST(Engine, CancelTakesBackOnlyUnmatchedReceives) {
    InProcessJob job(2);
    std::vector<std::byte> buffer(8);
    Request* receive = job[1].ireceive(buffer, 0, kContext, 1);
    EXPECT_TRUE(job[1].cancel(*receive));
    EXPECT_TRUE(receive->complete());
    EXPECT_TRUE(receive->info().cancelled);
    job[1].release(receive);

    receive = job[1].ireceive(buffer, 0, kContext, 1);
    EXPECT_EQ(job[0].send(pattern(8), 1, kContext, 1), Status::ok);
    job[1].wait(*receive);
    EXPECT_FALSE(job[1].cancel(*receive));
    EXPECT_FALSE(receive->info().cancelled);
    job[1].release(receive);
}

TEST(Engine, ReleasedRequestsCompleteOnTheirOwn) {
    InProcessJob job(2);
    const auto sent = pattern(300000);
    job[0].release(job[0].isend(sent, 1, kContext, 1));
    std::vector<std::byte> got(sent.size());
    EXPECT_EQ(job[1].receive(got, 0, kContext, 1), Status::ok);
    EXPECT_EQ(got, sent);
    job[0].drain_sends();
}

struct Seen {
    std::vector<std::byte> bytes;
    MessageInfo info;
    const std::byte* where = nullptr;
};

InPlaceHandler collect(Seen& seen) {
    return {[](void* argument, const MessageInfo& info, std::span<const std::byte> message) {
                auto& out = *static_cast<Seen*>(argument);
                out.bytes.assign(message.begin(), message.end());
                out.info = info;
                out.where = message.data();
            },
            &seen};
}

TEST_P(EngineSizes, InPlaceBothWays) {
    const std::size_t size = GetParam();
    InProcessJob job(2);
    const auto sent = pattern(size);
    if (size <= job[0].max_in_place(1)) {
        Reservation slot = job[0].reserve(size, 1, kContext, 6);
        ASSERT_EQ(slot.payload.size(), size);
        std::copy(sent.begin(), sent.end(), slot.payload.begin());
        job[0].commit(slot, size);
    } else {
        job[0].release(job[0].isend(sent, 1, kContext, 6));
    }
    Seen seen;
    EXPECT_EQ(job[1].receive_in_place(collect(seen), 0, kContext, 6), Status::ok);
    EXPECT_EQ(seen.bytes, sent);
    EXPECT_EQ(seen.info.tag, 6);
    job[0].drain_sends();
}

TEST(Engine, AbortedReservationSendsNothingAndFreesTheRing) {
    InProcessJob job(2);
    Reservation slot = job[0].reserve(100, 1, kContext, 6);
    EXPECT_FALSE(slot.payload.empty());
    // While it is open, a send must wait, and goes out afterwards.
    const auto waiting = pattern(8);
    Request* send = job[0].isend(waiting, 1, kContext, 1);
    EXPECT_FALSE(send->complete());
    EXPECT_TRUE(job[0].reserve(10, 1, kContext, 6).payload.empty());
    job[0].abort(slot);
    EXPECT_TRUE(send->complete());
    job[0].release(send);
    std::vector<std::byte> got(8);
    EXPECT_EQ(job[1].receive(got, kAnySource, kContext, kAnyTag), Status::ok);
    EXPECT_FALSE(job[1].iprobe(kAnySource, kContext, kAnyTag, nullptr));
}

TEST(Engine, ReservationToSelf) {
    InProcessJob job(1);
    Reservation slot = job[0].reserve(5, 0, kContext, 6);
    ASSERT_EQ(slot.payload.size(), 5U);
    const auto sent = pattern(3);
    std::copy(sent.begin(), sent.end(), slot.payload.begin());
    job[0].commit(slot, 3);
    Seen seen;
    EXPECT_EQ(job[0].receive_in_place(collect(seen), 0, kContext, 6), Status::ok);
    EXPECT_EQ(seen.bytes, sent);
}

TEST(Engine, RandomTrafficOfFourRanksMatchesAReference) {
    InProcessJob job(4, 128);
    std::uint32_t state = 12345;
    const auto random = [&state](std::uint32_t below) {
        state = state * 1664525U + 1013904223U;
        return (state >> 8) % below;
    };
    struct Sent {
        std::vector<std::byte> data;
        Request* request;
        int from;
    };
    for (int round = 0; round < 40; ++round) {
        std::vector<Sent> sends;
        std::vector<std::vector<std::size_t>> by_pair(16);
        for (int i = 0; i < 60; ++i) {
            const int from = static_cast<int>(random(4)), to = static_cast<int>(random(4));
            const std::size_t size = random(3) == 0 ? random(150000) : random(200);
            sends.push_back({pattern(size, static_cast<unsigned>(i + round * 100)), nullptr, from});
            sends.back().request = job[from].isend(sends.back().data, to, kContext, 1);
            by_pair[static_cast<std::size_t>(from * 4 + to)].push_back(sends.size() - 1);
        }
        for (int from = 0; from < 4; ++from) {
            for (int to = 0; to < 4; ++to) {
                for (const std::size_t index : by_pair[static_cast<std::size_t>(from * 4 + to)]) {
                    std::vector<std::byte> got(sends[index].data.size());
                    ASSERT_EQ(job[to].receive(got, from, kContext, 1), Status::ok);
                    ASSERT_EQ(got, sends[index].data);
                }
            }
        }
        for (Sent& send : sends) {
            job[send.from].wait(*send.request);
            job[send.from].release(send.request);
        }
    }
}

}  // namespace
}  // namespace rb2::pt2pt
