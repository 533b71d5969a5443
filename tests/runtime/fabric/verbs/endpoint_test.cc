// What is the verbs endpoint's own: doorbells, silent requests, full queues, one completion queue for many,
// sleeping, shared receives, and what happens when something is wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <memory>

#include "runtime/status.hpp"
#include "tests/runtime/block.hpp"
#include "tests/runtime/fabric/verbs/sides.hpp"

namespace rb2::fabric::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Completions until there are `count` of them.
template <class Endpoint>
std::vector<Completion> await(Endpoint& endpoint, std::size_t count) {
    std::vector<Completion> all;
    eventually([&] {
        const auto some = completions(endpoint);
        all.insert(all.end(), some.begin(), some.end());
        return all.size() >= count;
    });
    return all;
}

template <class Sides = RawVerbsSides>
class VerbsTest : public testing::Test {
  protected:
    [[nodiscard]] Source source(std::size_t at, std::size_t bytes) const {
        return sides_.memory_a.source(at, bytes, region_a_.key());
    }
    [[nodiscard]] Remote there(std::size_t at = 0) const { return region_b_.remote() + at; }
    void settle() {
        ASSERT_TRUE(eventually([this] { return sides_.a.settle(); }));
    }

    Sides sides_;
    verbs::Region region_a_ = sides_.a.register_memory(sides_.memory_a.bytes);
    verbs::Region region_b_ = sides_.b.register_memory(sides_.memory_b.bytes);
};

using Verbs = VerbsTest<>;
using VerbsMessages = VerbsTest<RawVerbsMessageSides>;

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

TEST_F(Verbs, AWriteOutsideThePeersMemoryIsReportedAndEndsTheConnection) {
    ASSERT_EQ(sides_.a.write(source(0, 64), there()), Status::ok);
    ASSERT_EQ(sides_.a.write(source(0, 64), there(kWindowBytes)), Status::ok);
    ASSERT_EQ(sides_.a.write(source(0, 64), there(), Signal{7}), Status::ok);
    ASSERT_EQ(sides_.a.flush(), Status::ok);
    const auto done = await(sides_.a, 2);
    ASSERT_EQ(done.size(), 2U) << "the one that failed, though silent, and the one behind it";
    EXPECT_EQ(done[0].ticket, 0U);
    EXPECT_EQ(done[0].status, Status::peer_lost);
    EXPECT_EQ(done[1].ticket, 7U);
    EXPECT_EQ(done[1].status, Status::peer_lost);
    EXPECT_EQ(sides_.a.write(source(0, 64), there()), Status::peer_lost);
    EXPECT_EQ(sides_.a.flush(), Status::peer_lost);
    const verbs::Device& device = verbs_device();
    EXPECT_THAT(sides_.a.failure(),
                AllOf(HasSubstr("WRITE of 64 bytes failed: remote access error"),
                      HasSubstr("device " + device.name() + " port 1"), HasSubstr("GID[1]=10.9.0.1 RoCEv2"),
                      HasSubstr("path 10.9.0.1 -> 10.9.0.1"), HasSubstr("queue pair"), HasSubstr("retries")));
}

TEST_F(Verbs, APeerThatIsGoneIsLost) {
    auto gone = std::make_unique<RawVerbsSides>();
    verbs::Options hasty;
    hasty.timeout = 8;  // a millisecond
    hasty.retries = 2;
    verbs::Device device(hasty);
    verbs::CompletionQueue queue(device);
    verbs::Endpoint endpoint(queue);
    auto peer = std::make_unique<verbs::Endpoint>(gone->queue_b);
    endpoint.connect(peer->card());
    peer->connect(endpoint.card());
    peer.reset();
    ASSERT_EQ(endpoint.write({}, {}, Signal{1}), Status::ok);
    ASSERT_EQ(endpoint.flush(), Status::ok);
    const auto done = await(endpoint, 1);
    ASSERT_EQ(done.size(), 1U);
    EXPECT_EQ(done[0].status, Status::peer_lost);
    EXPECT_THAT(endpoint.failure(), HasSubstr("transport retry counter exceeded"));
    EXPECT_TRUE(endpoint.settle());
}

TEST_F(VerbsMessages, AMessageLongerThanItsReceiveBreaksTheConnection) {
    ASSERT_EQ(sides_.b.post_receive({sides_.memory_b.bytes.data(), 10, region_b_.key()}, 5), Status::ok);
    ASSERT_EQ(sides_.a.send(source(0, 64), 0, Signal{9}), Status::ok);
    ASSERT_EQ(sides_.a.flush(), Status::ok);
    const auto sent = await(sides_.a, 1);
    const auto received = await(sides_.b, 1);
    ASSERT_EQ(sent.size(), 1U);
    ASSERT_EQ(received.size(), 1U);
    EXPECT_EQ(sent[0].status, Status::peer_lost);
    EXPECT_EQ(received[0].status, Status::peer_lost);
    EXPECT_EQ(received[0].ticket, 5U);
    EXPECT_EQ(sides_.memory_b.bytes[10], std::byte{0});
}

TEST_F(VerbsMessages, AnImmediateDoesNotUseUpAReceiveForGood) {
    ASSERT_EQ(sides_.b.post_receive({sides_.memory_b.bytes.data(), 64, region_b_.key()}, 5), Status::ok);
    ASSERT_EQ(sides_.a.write_with_imm({}, {}, 77), Status::ok);
    ASSERT_EQ(sides_.a.send(source(0, 8), 1), Status::ok);
    ASSERT_EQ(sides_.a.flush(), Status::ok);
    const auto done = await(sides_.b, 2);
    ASSERT_EQ(done.size(), 2U);
    EXPECT_EQ(done[0].imm, 77U);
    EXPECT_EQ(done[0].operation, Operation::imm_arrived);
    EXPECT_EQ(done[1].operation, Operation::received);
    EXPECT_EQ(done[1].ticket, 5U);
}

TEST_F(Verbs, AnEndpointIsForImmediatesOrForMessages) {
    EXPECT_EQ(sides_.b.post_receive({sides_.memory_b.bytes.data(), 8, region_b_.key()}, 1),
              Status::invalid_argument);
    verbs::SharedReceives unshared(sides_.memory_b.bytes, 2);
    sides_.b.share(unshared);
    EXPECT_EQ(sides_.b.status(), Status::peer_lost) << "made without a group, it cannot share";
}

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

/// One completion queue, many peers: each endpoint gets what is its own, whoever polls.
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
