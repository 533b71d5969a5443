// The short way of a small send: a peer whose ring is open, and put().
#include <gtest/gtest.h>

#include "pt2pt/put.hpp"
#include "tests/pt2pt/in_process.hpp"

namespace rb2::pt2pt {
namespace {

using testing::InProcessJob;
using testing::kContext;
using testing::pattern;

constexpr int kTag = 7;

bool put_to(InProcessJob& job, int destination, const std::vector<std::byte>& data) {
    Peer* const peer = job[0].open_ring(data.size(), destination);
    if (peer == nullptr) return false;
    EXPECT_EQ(put(data.data(), data.size(), peer, wire::pack(kContext, kTag)), 0);
    return true;
}

/// A ring of which the first lap is over, so that the short way is open.
void warm_up(InProcessJob& job) {
    std::vector<std::byte> got(8);
    for (int i = 0; i < 300; ++i) {
        ASSERT_EQ(job[0].send(pattern(8), 1, kContext, kTag), Status::ok);
        ASSERT_EQ(job[1].receive(got, 0, kContext, kTag), Status::ok);
    }
}

TEST(Put, ArrivesWholeInOrderWithEveryLength) {
    InProcessJob job(2);
    warm_up(job);
    for (std::size_t bytes = 0; bytes <= 200; ++bytes) {
        const auto first = pattern(bytes, 1);
        const auto second = pattern(bytes, 2);
        if (!put_to(job, 1, first)) {
            ASSERT_EQ(job[0].send(first, 1, kContext, kTag), Status::ok);
        }
        ASSERT_EQ(job[0].send(second, 1, kContext, kTag), Status::ok);
        std::vector<std::byte> got(bytes);
        MessageInfo info;
        ASSERT_EQ(job[1].receive(got, 0, kContext, kTag, &info), Status::ok);
        ASSERT_EQ(got, first) << bytes;
        ASSERT_EQ(info.bytes, bytes);
        ASSERT_EQ(job[1].receive(got, 0, kContext, kTag), Status::ok);
        ASSERT_EQ(got, second) << bytes;
    }
}

TEST(Put, IsOpenToARankInSharedMemoryOnceSomethingWasSent) {
    InProcessJob job(2);
    warm_up(job);
    EXPECT_TRUE(put_to(job, 1, pattern(8)));
    EXPECT_TRUE(put_to(job, 1, pattern(48)));
    EXPECT_TRUE(put_to(job, 1, pattern(49))) << "of several lines, too";
}

TEST(Put, IsClosedWhereASendWouldHaveToDoMore) {
    InProcessJob job(2);
    warm_up(job);
    EXPECT_EQ(job[0].open_ring(8, 0), nullptr) << "the own rank has no ring";
    EXPECT_EQ(job[0].open_ring(job[0].config().chunk_bytes + 1, 1), nullptr) << "more than one record";
    EXPECT_EQ(job[0].open_ring(~std::size_t{0}, 1), nullptr);
}

TEST(Put, DoesNotOvertakeASendThatWaitsForRoom) {
    InProcessJob job(2);
    warm_up(job);
    const auto data = pattern(8);  // stays until all are sent
    std::vector<Request*> sends;
    while (sends.empty() || sends.back()->complete()) sends.push_back(job[0].isend(data, 1, kContext, kTag));
    EXPECT_EQ(job[0].open_ring(8, 1), nullptr);
    std::vector<std::byte> got(8);
    for (std::size_t i = 0; i < sends.size(); ++i)
        ASSERT_EQ(job[1].receive(got, 0, kContext, kTag), Status::ok);
    for (Request* send : sends) {
        job[0].wait(*send);
        job[0].release(send);
    }
}

TEST(Put, DoesNotBreakAReservation) {
    InProcessJob job(2);
    warm_up(job);
    Reservation reservation = job[0].reserve(8, 1, kContext, kTag);
    EXPECT_EQ(job[0].open_ring(8, 1), nullptr);
    job[0].abort(reservation);
    EXPECT_NE(job[0].open_ring(8, 1), nullptr);
}

TEST(Put, WakesAPeerThatSleeps) {
    InProcessJob job(2);
    warm_up(job);
    auto& asleep = job.transport(0).bell->asleep;
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{100}}) {
        asleep.store(1, std::memory_order_relaxed);
        ASSERT_TRUE(put_to(job, 1, pattern(bytes)));
        EXPECT_EQ(asleep.load(std::memory_order_relaxed), 0U) << bytes;
    }
}

TEST(Put, IsCounted) {
    InProcessJob job(2);
    warm_up(job);
    Peer* const peer = job[0].open_ring(8, 1);
    ASSERT_NE(peer, nullptr);
    const state::Traffic before = *peer->traffic;
    ASSERT_TRUE(put_to(job, 1, pattern(8)));
    ASSERT_TRUE(put_to(job, 1, pattern(100)));
    EXPECT_EQ(peer->traffic->sent_messages, before.sent_messages + 2);
    EXPECT_EQ(peer->traffic->sent_bytes, before.sent_bytes + 108);
}

}  // namespace
}  // namespace rb2::pt2pt
