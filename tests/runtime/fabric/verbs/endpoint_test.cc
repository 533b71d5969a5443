// What is the verbs endpoint's own when posting: doorbells, silent requests, full queues, memory.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/runtime/fabric/verbs/fixture.hpp"

namespace rb2::fabric::test {
namespace {

TEST_F(Verbs, AChainOfRequestsIsOneDoorbell) {
    number_bytes(sides_.memory_a);
    for (std::size_t i = 0; i < 10; ++i)
        ASSERT_EQ(sides_.a.write(source(i * 100, 100), there(i * 100)), Status::ok);
    EXPECT_EQ(sides_.a.counters().doorbells, 0U);
    ASSERT_EQ(sides_.a.flush(), Status::ok);
    EXPECT_EQ(sides_.a.counters().doorbells, 1U);
    EXPECT_EQ(sides_.a.counters().requests, 10U);
    EXPECT_EQ(sides_.a.counters().signalled, 0U);
    settle();
    EXPECT_TRUE(std::equal(sides_.memory_a.bytes.begin(), sides_.memory_a.bytes.begin() + 1000,
                           sides_.memory_b.bytes.begin()));
}

TEST_F(Verbs, SilentRequestsNeverOverrunThoughNobodyPolls) {
    constexpr std::uint64_t count = 3000;
    for (std::uint64_t value = 1; value <= count; ++value) {
        const Source word{reinterpret_cast<const std::byte*>(&value), sizeof value};
        ASSERT_TRUE(eventually([&] {
            const Status status = sides_.a.write(word, there(8 * (value % 4)));
            if (status == Status::would_block) static_cast<void>(sides_.a.flush());
            return status == Status::ok;
        })) << value;
        if (value % 3 == 0) {
            ASSERT_EQ(sides_.a.flush(), Status::ok);
        }
    }
    settle();
    EXPECT_EQ(sides_.a.status(), Status::ok);
    EXPECT_EQ(sides_.memory_b.word(8 * (count % 4)), count);
    EXPECT_LE(sides_.a.counters().signalled, count / 32 + 2);
    EXPECT_EQ(sides_.a.counters().completions, sides_.a.counters().signalled);
}

TEST_F(Verbs, CompletionsThatNobodyPollsBlockFurtherTickets) {
    std::size_t posted = 0;
    while (posted < 1000 && sides_.a.write({}, there(), Signal{posted + 1}) == Status::ok) {
        ++posted;
        ASSERT_EQ(sides_.a.flush(), Status::ok);
        ASSERT_TRUE(eventually([&] { return sides_.a.settle(); }));
    }
    EXPECT_EQ(posted, verbs::EndpointOptions{}.requests);
    const auto done = await(sides_.a, posted);
    ASSERT_EQ(done.size(), posted);
    for (std::size_t i = 0; i < posted; ++i) EXPECT_EQ(done[i].ticket, i + 1);
    EXPECT_EQ(sides_.a.write({}, there(), Signal{1}), Status::ok);
}

TEST_F(Verbs, ImmediatesThatNobodyTakesHoldTheSenderBackAndAllArrive) {
    constexpr std::uint32_t count = 1000;
    std::uint32_t sent = 0;
    std::uint32_t received = 0;
    const auto send = [&] {
        if (sent == count || sides_.a.write_with_imm({}, {}, sent) != Status::ok) return;
        ++sent;
        ASSERT_EQ(sides_.a.flush(), Status::ok);
    };
    for (int i = 0; i < 1000; ++i) send();
    EXPECT_LT(sent, count) << "more than both queues hold";
    ASSERT_TRUE(eventually([&] {
        send();
        for (const Completion& done : completions(sides_.b)) {
            EXPECT_EQ(done.operation, Operation::imm_arrived);
            EXPECT_EQ(done.imm, received++);
        }
        return received == count;
    })) << received;
}

TEST_F(Verbs, FetchAddsNeedNoMemoryOfTheCallers) {
    std::uint64_t before = 0;
    for (std::uint64_t round = 0; round < 300; ++round) {
        ASSERT_TRUE(eventually([&] {
            const Status status = sides_.a.fetch_add(&before, there(), 3);
            if (status == Status::would_block) static_cast<void>(sides_.a.flush());
            return status == Status::ok;
        }));
    }
    ASSERT_EQ(sides_.a.flush(), Status::ok);
    settle();
    EXPECT_EQ(sides_.memory_b.word(0), 900U);
    EXPECT_EQ(before, 897U);
    EXPECT_EQ(sides_.a.fetch_add(&before, there() + 4, 1), Status::invalid_argument) << "not aligned";
}

TEST_F(Verbs, MemoryThatIsNotRegisteredIsRefusedAtOnce) {
    const Memory foreign;
    Memory sink;
    EXPECT_EQ(sides_.a.write(foreign.source(0, 64, region_a_.key()), there()), Status::invalid_argument);
    EXPECT_EQ(sides_.a.write(source(kWindowBytes - 32, 64), there()), Status::invalid_argument);
    EXPECT_EQ(sides_.a.write(sides_.memory_a.source(0, 64, 12345), there()), Status::invalid_argument);
    EXPECT_EQ(sides_.a.read({sink.bytes.data(), 64, region_a_.key()}, there(), Signal{1}),
              Status::invalid_argument);
    EXPECT_EQ(sides_.a.counters().requests, 0U);
    EXPECT_EQ(sides_.a.write(source(0, 64), there(), Signal{1}), Status::ok) << "and nothing is broken";
    ASSERT_EQ(sides_.a.flush(), Status::ok);
    EXPECT_EQ(await(sides_.a, 1).front().status, Status::ok);
}

TEST_F(Verbs, MemoryThatHasBeenDeregisteredIsRefused) {
    Memory memory;
    const Source source{memory.bytes.data(), 64, 0};
    Key key = 0;
    {
        const verbs::Region region = sides_.a.register_memory(memory.bytes);
        key = region.key();
        EXPECT_EQ(sides_.a.write({source.data, 64, key}, there()), Status::ok);
        ASSERT_EQ(sides_.a.flush(), Status::ok);
        settle();
    }
    EXPECT_EQ(sides_.a.write({source.data, 64, key}, there()), Status::invalid_argument);
}

/// Only a word that lands whole can be a pointer.
TEST_F(Verbs, AnAlignedWordLandsWhole) {
    constexpr std::uint64_t ones = 0x0101'0101'0101'0101U;
    std::atomic_ref word(*reinterpret_cast<std::uint64_t*>(sides_.memory_b.bytes.data()));
    std::atomic<bool> written{false};
    std::jthread writer([&] {
        for (std::uint64_t round = 0; round < 5000; ++round) {
            const std::uint64_t value = round % 256 * ones;
            const Source source{reinterpret_cast<const std::byte*>(&value), sizeof value};
            while (sides_.a.write(source, there()) == Status::would_block) std::this_thread::yield();
            static_cast<void>(sides_.a.flush());
        }
        written = true;
    });
    std::uint64_t torn = 0;
    while (!written) {
        const std::uint64_t value = word.load(std::memory_order_acquire);
        torn += value == (value & 0xff) * ones ? 0 : 1;
    }
    EXPECT_EQ(torn, 0U);
}

}  // namespace
}  // namespace rb2::fabric::test
