// One completion queue for many endpoints: words, growth, shared receives, and sleeping on it.

#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

#include "tests/runtime/fabric/verbs/fixture.hpp"

namespace rb2::fabric::test {
namespace {

/// Two senders to one receiver that shares its receives.
TEST(VerbsShared, EndpointsDrawFromOneSharedQueue) {
    verbs::CompletionQueue senders(verbs_device());
    verbs::CompletionQueue receivers(verbs_device());
    verbs::ReceiveGroup group(receivers, 8);
    PatientEndpoint a(senders), b(senders);
    PatientEndpoint to_a(receivers, {.group = &group}), to_b(receivers, {.group = &group});
    for (auto [end, other] : {std::pair(&a, &to_a), std::pair(&b, &to_b)}) {
        end->connect(other->card());
        other->connect(end->card());
    }
    Memory memory, foreign;
    verbs::SharedReceives shared(memory.bytes, 2);
    ASSERT_EQ(shared.post({memory.bytes.data(), 64, 0}, 1), Status::ok) << "kept until the first shares";
    to_a.share(shared);
    to_b.share(shared);
    EXPECT_EQ(to_a.post_receive({memory.bytes.data(), 8, 0}, 1), Status::invalid_argument);
    EXPECT_EQ(shared.post({foreign.bytes.data(), 8, 0}, 1), Status::invalid_argument);
    ASSERT_EQ(shared.post({memory.bytes.data() + 64, 64, 0}, 2), Status::ok);
    EXPECT_EQ(shared.post({memory.bytes.data() + 128, 64, 0}, 3), Status::would_block);
    for (std::uint64_t round = 0; round < 20; ++round) {
        PatientEndpoint& sender = round % 2 == 0 ? b : a;
        PatientEndpoint& receiver = round % 2 == 0 ? to_b : to_a;
        const std::uint64_t value = 1000 + round;
        ASSERT_EQ(sender.send({reinterpret_cast<const std::byte*>(&value), sizeof value}, 5), Status::ok);
        ASSERT_EQ(sender.flush(), Status::ok);
        const auto done = await(receiver, 1);
        ASSERT_EQ(done.size(), 1U);
        EXPECT_EQ(done[0].ticket, 1 + round % 2);
        EXPECT_EQ(memory.word(round % 2 * 64), value);
        ASSERT_EQ(shared.post({memory.bytes.data() + round % 2 * 64, 64, 0}, 1 + round % 2), Status::ok);
    }
    EXPECT_EQ(shared.posted(), 22U);
}

TEST(VerbsQueue, WhoDrivesItDispatchesForAllEndpoints) {
    RawVerbsSides sides;
    const std::uint64_t word = 3;
    const Source source{reinterpret_cast<const std::byte*>(&word), sizeof word};
    const verbs::Region region = verbs_device().register_memory(sides.memory_b.bytes);
    sides.queue_b.drive();
    ASSERT_EQ(sides.a.write_with_imm(source, region.remote(), 9), Status::ok);
    ASSERT_EQ(sides.a.flush(), Status::ok);
    ASSERT_TRUE(eventually([&] { return sides.a.settle(); }));
    std::array<Completion, 4> done;
    EXPECT_EQ(sides.b.poll(done), 0U);
    EXPECT_TRUE(sides.b.has_none());
    EXPECT_FALSE(sides.a.has_none()) << "nobody drives its queue: the card must be asked";
    EXPECT_EQ(sides.queue_b.dispatch(), 1U);
    EXPECT_FALSE(sides.b.has_none());
    ASSERT_EQ(sides.b.poll(done), 1U);
    EXPECT_EQ(done[0].imm, 9U);
    EXPECT_TRUE(sides.b.has_none());
}

/// The words that results of fetch_adds land in are the queue's: who finds none waits.
TEST(VerbsQueue, FetchAddsOfManyEndpointsWaitForWords) {
    verbs::CompletionQueue queue(verbs_device());
    Memory memory;
    const verbs::Region region = verbs_device().register_memory(memory.bytes);
    std::vector<std::unique_ptr<verbs::Endpoint>> ends;
    std::uint64_t before = 0;
    std::uint64_t posted = 0;
    bool waited = false;
    for (int pair = 0; pair < 5; ++pair) {
        verbs::Endpoint& a = *ends.emplace_back(std::make_unique<verbs::Endpoint>(queue));
        verbs::Endpoint& b = *ends.emplace_back(std::make_unique<verbs::Endpoint>(queue));
        a.connect(b.card());
        b.connect(a.card());
        for (int i = 0; i < 120; ++i) {
            const Status status = a.fetch_add(&before, region.remote(), 1);
            posted += status == Status::ok ? 1 : 0;
            waited = waited || status == Status::would_block;
        }
        ASSERT_EQ(a.flush(), Status::ok);
    }
    EXPECT_TRUE(waited);
    for (auto& end : ends) {
        ASSERT_TRUE(eventually([&] { return end->settle(); }));
    }
    EXPECT_EQ(memory.word(0), posted);
}

/// One completion queue, many peers: each endpoint gets what is its own, whoever polls.
TEST(VerbsQueue, ServesManyEndpointsAndGrows) {
    constexpr std::size_t peers = 12;
    verbs::CompletionQueue queue(verbs_device());
    const std::uint64_t capacity = queue.capacity();
    std::vector<std::unique_ptr<verbs::Endpoint>> out, in;
    Memory memory;
    const verbs::Region region = verbs_device().register_memory(memory.bytes);
    for (std::size_t i = 0; i < peers; ++i) {
        out.push_back(std::make_unique<verbs::Endpoint>(queue));
        in.push_back(std::make_unique<verbs::Endpoint>(queue));
        out[i]->connect(in[i]->card());
        in[i]->connect(out[i]->card());
    }
    EXPECT_GE(queue.capacity(), queue.reserved());
    EXPECT_GT(queue.capacity(), capacity);
    for (std::uint64_t i = 0; i < peers; ++i) {
        ASSERT_EQ(out[i]->write_with_imm({memory.bytes.data(), 64, region.key()}, region.remote() + 64 * i,
                                         static_cast<std::uint32_t>(i), Signal{100 + i}),
                  Status::ok);
        ASSERT_EQ(out[i]->flush(), Status::ok);
    }
    for (std::uint64_t i = peers; i-- > 0;) {
        const auto sent = await(*out[i], 1);
        ASSERT_EQ(sent.size(), 1U);
        EXPECT_EQ(sent[0].ticket, 100 + i);
        const auto arrived = await(*in[i], 1);
        ASSERT_EQ(arrived.size(), 1U);
        EXPECT_EQ(arrived[0].imm, i);
    }
    const std::uint64_t reserved = queue.reserved();
    out.pop_back();
    EXPECT_LT(queue.reserved(), reserved);
}

class VerbsSleep : public Verbs {
  protected:
    [[nodiscard]] int wait(int milliseconds) {
        pollfd waited{.fd = sides_.queue_b.descriptor(), .events = POLLIN, .revents = 0};
        return ::poll(&waited, 1, milliseconds);
    }
};

TEST_F(VerbsSleep, AnArrivalWakesTheSleeper) {
    for (std::uint32_t round = 0; round < 20; ++round) {
        ASSERT_TRUE(sides_.queue_b.arm());
        EXPECT_EQ(wait(20), 0) << "nothing has come";
        std::jthread sender([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            static_cast<void>(sides_.a.write_with_imm({}, {}, round));
            static_cast<void>(sides_.a.flush());
        });
        ASSERT_EQ(wait(20'000), 1);
        const auto done = await(sides_.b, 1);
        ASSERT_EQ(done.size(), 1U);
        EXPECT_EQ(done[0].imm, round);
        sender.join();
        settle();
    }
}

TEST_F(VerbsSleep, NobodySleepsWhileThereIsSomething) {
    ASSERT_EQ(sides_.a.write_with_imm({}, {}, 1), Status::ok);
    ASSERT_EQ(sides_.a.flush(), Status::ok);
    settle();
    EXPECT_FALSE(sides_.queue_b.arm()) << "it was in the card's queue";
    EXPECT_FALSE(sides_.queue_b.arm()) << "and is now with its endpoint";
    EXPECT_EQ(await(sides_.b, 1).size(), 1U);
    EXPECT_TRUE(sides_.queue_b.arm());
}

/// An arrival between the last look and the sleep, many times: none may be slept through.
TEST_F(VerbsSleep, NoArrivalIsSleptThrough) {
    constexpr std::uint32_t rounds = 300;
    std::jthread sender([&] {
        for (std::uint32_t round = 0; round < rounds; ++round) {
            while (sides_.a.write_with_imm({}, {}, round) == Status::would_block) std::this_thread::yield();
            static_cast<void>(sides_.a.flush());
            if (round % 7 == 0) eventually([this] { return sides_.a.settle(); });
        }
    });
    std::uint32_t received = 0;
    while (received < rounds) {
        const auto done = completions(sides_.b);
        for (const Completion& one : done) ASSERT_EQ(one.imm, received++);
        if (done.empty() && sides_.queue_b.arm()) {
            ASSERT_EQ(wait(20'000), 1) << received;
        }
    }
}

}  // namespace
}  // namespace rb2::fabric::test
