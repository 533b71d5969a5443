// What the operations do over a connection that was made by using it.

#include <gtest/gtest.h>

#include <poll.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "tests/runtime/fabric/tcp/link.hpp"

namespace rb2::fabric::tcp::test {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 20;

std::vector<std::byte> numbered(std::size_t bytes, unsigned seed = 0) {
    std::vector<std::byte> result(bytes);
    for (std::size_t at = 0; at < bytes; ++at) result[at] = static_cast<std::byte>(seed + at * 7 + at / 251);
    return result;
}

std::vector<Completion> completions(Endpoint& endpoint) {
    std::vector<Completion> done(64);
    done.resize(endpoint.poll(done));
    return done;
}

/// Sockets that the context's epoll descriptor watches, the listening one included.
int watched(const Context& context) {
    std::ifstream file("/proc/self/fdinfo/" + std::to_string(context.wait_fd()));
    int count = 0;
    for (std::string line; std::getline(file, line);) count += line.starts_with("tfd:") ? 1 : 0;
    return count;
}

bool readable(const Context& context) {
    pollfd poll{.fd = context.wait_fd(), .events = POLLIN, .revents = 0};
    return ::poll(&poll, 1, 0) == 1;
}

class Operations : public testing::Test {
  protected:
    Source source(std::size_t at, std::size_t bytes) const { return {own_.data() + at, bytes}; }

    Link link_;
    std::vector<std::byte> own_ = numbered(kBytes);
    std::vector<std::byte> peer_ = std::vector<std::byte>(kBytes);
    Region region_ = link_.end_b().register_memory(peer_);
};

TEST_F(Operations, NothingIsSentBeforeTheFirstFlushAndNothingIsLostByIt) {
    EXPECT_EQ(link_.end_a().write(source(0, 100), region_.remote()), Status::ok);
    EXPECT_FALSE(link_.end_a().connected());
    EXPECT_EQ(link_.end_a().flush(), Status::would_block);
    ASSERT_TRUE(step_until({&link_.a, &link_.b}, [&] { return peer_[99] == own_[99]; }));
    EXPECT_EQ(link_.end_a().flush(), Status::ok);
    EXPECT_TRUE(link_.end_b().connected());
}

TEST_F(Operations, WritesOfAnyLengthLandWholeAndInOrder) {
    for (const std::size_t bytes :
         {1UL, 8UL, 511UL, 512UL, 513UL, 4095UL, 4096UL, 4097UL, 16'384UL, 16'385UL, 70'001UL, kBytes}) {
        std::fill(peer_.begin(), peer_.end(), std::byte{0});
        for (std::uint64_t ticket = 1; ticket <= 3; ++ticket)
            ASSERT_EQ(link_.end_a().write(source(0, bytes), region_.remote(), Signal{ticket}), Status::ok);
        static_cast<void>(link_.end_a().flush());
        ASSERT_TRUE(link_.settle());
        EXPECT_TRUE(std::equal(own_.begin(), own_.begin() + bytes, peer_.begin())) << bytes;
        const auto done = completions(link_.end_a());
        ASSERT_EQ(done.size(), 3U);
        EXPECT_EQ(done[2].ticket, 3U);
    }
}

TEST_F(Operations, ReadsOfAnyLengthBringTheBytes) {
    ASSERT_TRUE(link_.connect());
    std::ranges::copy(own_, peer_.begin());
    for (const std::size_t bytes : {0UL, 1UL, 8UL, 512UL, 513UL, 4097UL, 70'001UL, kBytes - 3}) {
        std::vector<std::byte> sink(bytes + 1);
        ASSERT_EQ(link_.end_a().read({sink.data(), bytes}, region_.remote() + 3, Signal{bytes + 1}),
                  Status::ok);
        static_cast<void>(link_.end_a().flush());
        std::vector<Completion> done;
        ASSERT_TRUE(step_until({&link_.a, &link_.b}, [&] {
            done = completions(link_.end_a());
            return !done.empty();
        })) << bytes;
        EXPECT_EQ(done[0].ticket, bytes + 1);
        EXPECT_EQ(done[0].operation, Operation::read);
        EXPECT_TRUE(std::equal(sink.begin(), sink.end() - 1, own_.begin() + 3));
        EXPECT_EQ(sink.back(), std::byte{0});
    }
}

TEST_F(Operations, AFullQueueBlocksAndGoesOnWhenTheKernelTakesMore) {
    ASSERT_TRUE(link_.connect());
    std::uint64_t posted = 0;
    while (link_.end_a().write(source(0, 500), region_.remote() + posted % 1000 * 500) == Status::ok)
        ++posted;
    EXPECT_GT(posted, 30U);
    EXPECT_GT(link_.end_a().unsent(), 0U);
    ASSERT_TRUE(link_.settle());
    EXPECT_EQ(link_.end_a().write(source(0, 500), region_.remote()), Status::ok);
}

TEST_F(Operations, AsManyQuestionsAsTheTableHas) {
    ASSERT_TRUE(link_.connect());
    std::vector<std::uint64_t> before(kMostQuestions + 1);
    for (std::size_t i = 0; i < kMostQuestions; ++i)
        ASSERT_EQ(link_.end_a().fetch_add(&before[i], region_.remote() + 8, 1, Signal{i + 1}), Status::ok);
    EXPECT_EQ(link_.end_a().fetch_add(&before[0], region_.remote() + 8, 1), Status::would_block);
    static_cast<void>(link_.end_a().flush());
    ASSERT_TRUE(link_.settle());
    EXPECT_EQ(completions(link_.end_a()).size(), kMostQuestions);
    for (std::size_t i = 0; i < kMostQuestions; ++i) EXPECT_EQ(before[i], i);
    EXPECT_EQ(link_.end_a().fetch_add(&before[0], region_.remote() + 8, 1), Status::ok);
}

TEST_F(Operations, UnpolledImmediatesHoldTheStreamBackAndLoseNothing) {
    ASSERT_TRUE(link_.connect());
    constexpr std::uint32_t count = 3 * Inbound::kMostImmediates;
    std::uint32_t sent = 0;
    std::uint32_t arrived = 0;
    ASSERT_TRUE(step_until({&link_.a, &link_.b},
                           [&] {
                               if (sent < count && link_.end_a().write_with_imm(
                                                       source(0, 8), region_.remote(), sent) == Status::ok)
                                   ++sent;
                               static_cast<void>(link_.end_a().flush());
                               if (sent < count) return false;
                               std::array<Completion, 7> some;
                               const std::size_t taken = link_.end_b().poll(some);
                               for (const Completion& one : std::span(some).first(taken))
                                   EXPECT_EQ(one.imm, arrived++);
                               return arrived == count;
                           }))
        << sent << " sent, " << arrived << " arrived";
}

TEST_F(Operations, BothSidesSendingMoreThanTheKernelHoldsDoNotBlockEachOther) {
    ASSERT_TRUE(link_.connect());
    std::vector<std::byte> back(kBytes);
    const Region region_a = link_.end_a().register_memory(back);
    constexpr std::uint64_t rounds = 24;
    std::uint64_t to_b = 0;
    std::uint64_t to_a = 0;
    std::uint64_t asked = 0;
    std::uint64_t value = 0;
    ASSERT_TRUE(step_until({&link_.a, &link_.b}, [&] {
        if (to_b < rounds && link_.end_a().write(source(0, kBytes), region_.remote()) == Status::ok) ++to_b;
        if (to_a < rounds && link_.end_b().write(source(0, kBytes), region_a.remote()) == Status::ok) ++to_a;
        if (asked < rounds && link_.end_b().fetch_add(&value, region_a.remote(), 0) == Status::ok) ++asked;
        static_cast<void>(link_.end_a().flush());
        static_cast<void>(link_.end_b().flush());
        return to_b == rounds && to_a == rounds && asked == rounds && link_.settled();
    }));
    EXPECT_EQ(back, own_);
    EXPECT_EQ(peer_, own_);
}

TEST_F(Operations, AWriteOutsideTheRegionIsNamedAtBothSidesAndNothingLands) {
    ASSERT_TRUE(link_.connect());
    ASSERT_EQ(link_.end_a().write(source(0, 64), region_.remote() + (kBytes - 63), Signal{5}), Status::ok);
    static_cast<void>(link_.end_a().flush());
    ASSERT_TRUE(step_until({&link_.a, &link_.b}, [&] { return link_.end_a().status() != Status::ok; }));
    EXPECT_EQ(link_.end_b().status(), Status::peer_lost);
    EXPECT_EQ(peer_, std::vector<std::byte>(kBytes));
    const auto done = completions(link_.end_a());
    ASSERT_EQ(done.size(), 2U);  // the source was free; then the bad news
    EXPECT_EQ(done[1].status, Status::invalid_argument);
    EXPECT_EQ(done[1].ticket, 0U);
    EXPECT_NE(link_.end_a().cause().find("outside the memory"), std::string::npos) << link_.end_a().cause();
    EXPECT_NE(link_.end_b().cause().find("rank 0 at 127.0.0.1"), std::string::npos) << link_.end_b().cause();
    EXPECT_EQ(link_.end_a().write(source(0, 8), region_.remote()), Status::peer_lost);
    EXPECT_EQ(link_.a.next_lost(), &link_.end_a());
    EXPECT_EQ(link_.a.next_lost(), nullptr);
}

TEST_F(Operations, MemoryThatWasDeregisteredIsNotReached) {
    ASSERT_TRUE(link_.connect());
    const Remote place = region_.remote();
    region_ = link_.end_b().register_memory(std::span(peer_).first(8));
    ASSERT_EQ(link_.end_a().write(source(0, 8), place), Status::ok);
    static_cast<void>(link_.end_a().flush());
    ASSERT_TRUE(step_until({&link_.a, &link_.b}, [&] { return link_.end_a().status() != Status::ok; }));
    EXPECT_EQ(peer_[1], std::byte{0});
}

TEST_F(Operations, ALongWriteStopsWhereItsMemoryGoes) {
    ASSERT_TRUE(link_.connect());
    // More than the kernel holds, so that the end finds one half-way.
    for (int i = 0; i < 32; ++i)
        ASSERT_EQ(link_.end_a().write(source(0, kBytes), region_.remote()), Status::ok);
    ASSERT_EQ(link_.end_a().flush(), Status::would_block);
    ASSERT_TRUE(step_until({&link_.b}, [&] { return peer_[5000] != std::byte{0}; }));
    { const Region gone = std::move(region_); }
    std::fill(peer_.begin(), peer_.end(), std::byte{0});
    ASSERT_TRUE(step_until({&link_.a, &link_.b}, [&] { return link_.end_b().status() != Status::ok; }));
    EXPECT_EQ(peer_, std::vector<std::byte>(kBytes));
}

TEST_F(Operations, WrongLocalArgumentsChangeNothing) {
    EXPECT_EQ(link_.end_a().write({nullptr, 8}, region_.remote()), Status::invalid_argument);
    EXPECT_EQ(link_.end_a().read({nullptr, 8}, region_.remote()), Status::invalid_argument);
    std::uint64_t word = 0;
    EXPECT_EQ(link_.end_a().fetch_add(&word, region_.remote() + 4, 1), Status::invalid_argument);
    EXPECT_EQ(link_.end_a().unsent(), 0U);
    EXPECT_THROW(static_cast<void>(link_.end_a().register_memory({})), StartupError);
}

TEST_F(Operations, APayloadThatFollowsLandsWhereTheReceiverSays) {
    ASSERT_TRUE(link_.connect());
    Endpoint& from = link_.end_a();
    Endpoint& to = link_.end_b();
    for (const std::size_t bytes : {1UL, 512UL, 4096UL, 70'001UL, kBytes}) {
        for (const bool early : {false, true}) {
            std::vector<std::byte> place(bytes + 1);
            if (early) to.place(std::span(place).first(bytes), bytes);
            ASSERT_EQ(from.follow(std::span(own_).first(bytes)), Status::ok);
            peer_[0] = std::byte{0};
            ASSERT_EQ(from.write(source(1, 8), region_.remote()), Status::ok);
            static_cast<void>(from.flush());
            if (!early) {
                for (int i = 0; i < 100; ++i) link_.b.progress();
                EXPECT_FALSE(to.landed());
                EXPECT_EQ(peer_[0], std::byte{0}) << "passed the payload";
                to.place(std::span(place).first(bytes), bytes);
            }
            ASSERT_TRUE(link_.settle());
            EXPECT_TRUE(to.take_landed());
            EXPECT_FALSE(to.take_landed());
            EXPECT_TRUE(std::equal(place.begin(), place.end() - 1, own_.begin())) << bytes;
            EXPECT_EQ(place.back(), std::byte{0});
            EXPECT_EQ(peer_[0], own_[1]);
        }
    }
}

TEST_F(Operations, OfAPayloadLongerThanItsPlaceTheRestIsDropped) {
    ASSERT_TRUE(link_.connect());
    for (const std::size_t wanted : {0UL, 5UL, 40'000UL}) {
        std::vector<std::byte> place(wanted + 1);
        link_.end_b().place(std::span(place).first(wanted), kBytes);
        ASSERT_EQ(link_.end_a().follow(own_), Status::ok);
        ASSERT_EQ(link_.end_a().write(source(wanted, 8), region_.remote()), Status::ok);
        static_cast<void>(link_.end_a().flush());
        ASSERT_TRUE(link_.settle());
        EXPECT_TRUE(link_.end_b().take_landed());
        EXPECT_TRUE(std::equal(place.begin(), place.end() - 1, own_.begin()));
        EXPECT_EQ(place.back(), std::byte{0});
        EXPECT_EQ(peer_[0], own_[wanted]);
    }
}

TEST_F(Operations, APayloadOfAnotherLengthThanAnnouncedIsNamedAtBothSides) {
    ASSERT_TRUE(link_.connect());
    std::vector<std::byte> place(100);
    link_.end_b().place(place, 100);
    ASSERT_EQ(link_.end_a().follow(std::span(own_).first(99)), Status::ok);
    static_cast<void>(link_.end_a().flush());
    ASSERT_TRUE(step_until({&link_.a, &link_.b}, [&] { return link_.end_a().status() != Status::ok; }));
    EXPECT_NE(link_.end_a().cause().find("another length than was announced"), std::string::npos)
        << link_.end_a().cause();
    EXPECT_EQ(place, std::vector<std::byte>(100));
}

TEST_F(Operations, EpollIsNotToldOfEachPacketOfABusyConnection) {
    ASSERT_TRUE(link_.connect());
    EXPECT_EQ(watched(link_.b), 1);
    // Nor is the socket forgotten when there is nothing for long, or when the process sleeps.
    for (int i = 0; i < 1000; ++i) link_.b.progress();
    EXPECT_EQ(watched(link_.b), 2);
    for (const bool sleeps : {false, true}) {
        ASSERT_EQ(link_.end_a().write(source(0, 8), region_.remote()), Status::ok);
        static_cast<void>(link_.end_a().flush());
        ASSERT_TRUE(link_.settle());
        EXPECT_EQ(watched(link_.b), 1);
        if (!sleeps) continue;
        static_cast<void>(link_.b.prepare_wait());
        EXPECT_EQ(watched(link_.b), 2);
    }
}

TEST_F(Operations, AStreamThatWaitsForAPlaceKeepsNobodyAwake) {
    ASSERT_TRUE(link_.connect());
    ASSERT_EQ(link_.end_a().follow(own_), Status::ok);
    static_cast<void>(link_.end_a().flush());
    for (int i = 0; i < 1000; ++i) link_.b.progress();
    static_cast<void>(link_.b.prepare_wait());
    EXPECT_FALSE(readable(link_.b));
    std::vector<std::byte> place(kBytes);
    link_.end_b().place(place, kBytes);
    EXPECT_TRUE(readable(link_.b));
    ASSERT_TRUE(link_.settle());
    EXPECT_EQ(place, own_);
}

TEST_F(Operations, WhatIsHeldLeavesWithOneCall) {
    ASSERT_TRUE(link_.connect());
    const std::uint64_t before = link_.a.counters().sends;
    link_.end_a().hold(true);
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(link_.end_a().write(source(0, 600), region_.remote()), Status::ok);
        EXPECT_EQ(link_.end_a().flush(), Status::ok);
    }
    EXPECT_EQ(link_.a.counters().sends, before);
    link_.end_a().hold(false);
    EXPECT_EQ(link_.end_a().flush(), Status::ok);
    EXPECT_EQ(link_.a.counters().sends, before + 1);
    // More than the queue takes goes out although it is held.
    link_.end_a().hold(true);
    for (int i = 0; i < 1000; ++i)
        ASSERT_TRUE(step_until(
            {&link_.b}, [&] { return link_.end_a().write(source(0, 500), region_.remote()) == Status::ok; }));
    link_.end_a().hold(false);
    static_cast<void>(link_.end_a().flush());
    ASSERT_TRUE(link_.settle());
}

TEST_F(Operations, GoodByeIsNoLoss) {
    ASSERT_TRUE(link_.connect());
    ASSERT_EQ(link_.end_a().write(source(0, kBytes), region_.remote()), Status::ok);
    // Each alone would wait for the other.
    ASSERT_FALSE(link_.a.finish(Clock::now() + std::chrono::milliseconds(1)));
    ASSERT_TRUE(link_.b.finish(Clock::now() + std::chrono::seconds(20)));
    ASSERT_TRUE(step_until({&link_.a, &link_.b}, [&] { return link_.end_b().status() != Status::ok; }));
    EXPECT_NE(link_.end_b().cause().find("in good order"), std::string::npos) << link_.end_b().cause();
    EXPECT_EQ(link_.b.next_lost(), nullptr);
    ASSERT_TRUE(link_.a.finish(Clock::now() + std::chrono::seconds(20)));
    EXPECT_EQ(link_.a.next_lost(), nullptr);
    EXPECT_TRUE(completions(link_.end_b()).empty());
}

}  // namespace
}  // namespace rb2::fabric::tcp::test
