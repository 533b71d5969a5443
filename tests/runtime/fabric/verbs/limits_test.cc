// Queues as short as they may be: nothing overruns, and a receiver that is not ready is waited for, or is a
// named error.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "tests/runtime/fabric/verbs/fixture.hpp"

namespace rb2::fabric::test {
namespace {

using testing::HasSubstr;

constexpr verbs::EndpointOptions kShortest{.requests = 8, .receives = 4};

/// What the card says of its queues besides completions: a completion queue that overran, among others.
class AsyncEvents {
  public:
    explicit AsyncEvents(verbs::Device& device) : context_(device.context()) {
        const int descriptor = context_->async_fd;
        fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    }
    [[nodiscard]] int overruns() {
        int count = 0;
        for (ibv_async_event event{}; ibv_get_async_event(context_, &event) == 0; ibv_ack_async_event(&event))
            count += event.event_type == IBV_EVENT_CQ_ERR ? 1 : 0;
        return count;
    }

  private:
    ibv_context* context_;
};

/// Pairs of endpoints of the shortest queues, whose completion queues have no entry more than they need.
class ShortQueues : public testing::Test {
  protected:
    static constexpr std::size_t kPairs = 3;

    ShortQueues() {
        for (std::size_t i = 0; i < kPairs; ++i) {
            a_.push_back(std::make_unique<verbs::Endpoint>(queue_a_, kShortest));
            b_.push_back(std::make_unique<verbs::Endpoint>(queue_b_, kShortest));
            a_[i]->connect(b_[i]->card());
            b_[i]->connect(a_[i]->card());
        }
    }

    verbs::Device device_;
    AsyncEvents events_{device_};
    verbs::CompletionQueue queue_a_{device_, 1};
    verbs::CompletionQueue queue_b_{device_, 1};
    std::vector<std::unique_ptr<verbs::Endpoint>> a_, b_;
    Memory memory_;
    verbs::Region region_ = device_.register_memory(memory_.bytes);
};

TEST_F(ShortQueues, AFloodBothWaysThatNobodyPollsOverrunsNothing) {
    std::uint32_t sent = 0;
    for (int round = 0; round < 400; ++round) {
        for (auto* ends : {&a_, &b_}) {
            for (auto& end : *ends) {
                const Status status = end->write_with_imm({}, {}, sent, Signal{1});
                ASSERT_TRUE(status == Status::ok || status == Status::would_block);
                sent += status == Status::ok ? 1 : 0;
                ASSERT_EQ(end->flush(), Status::ok);
            }
        }
    }
    EXPECT_GE(sent, 2 * kPairs * kShortest.receives);
    std::uint32_t arrived = 0;
    ASSERT_TRUE(eventually([&] {
        for (auto* ends : {&a_, &b_})
            for (auto& end : *ends) {
                const auto some = completions(*end);
                arrived += static_cast<std::uint32_t>(std::ranges::count(
                    some, Operation::imm_arrived, [](const Completion& one) { return one.operation; }));
            }
        return arrived == sent;
    })) << arrived
        << " of " << sent;
    EXPECT_EQ(events_.overruns(), 0);
}

TEST_F(ShortQueues, ABrokenConnectionReportsAllThatWasUnderWayAndOverrunsNothing) {
    for (auto& end : a_) {
        ASSERT_EQ(end->write(memory_.source(0, 64, region_.key()), region_.remote() + kWindowBytes),
                  Status::ok);
        for (std::uint32_t i = 1; i < kShortest.requests; ++i)
            ASSERT_EQ(end->write(memory_.source(0, 64, region_.key()), region_.remote(), Signal{i}),
                      Status::ok);
    }
    for (auto& end : a_) static_cast<void>(end->flush());  // all before anybody looks
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    for (auto& end : a_) {
        EXPECT_EQ(await(*end, kShortest.requests).size(), kShortest.requests);
        EXPECT_EQ(end->status(), Status::peer_lost);
    }
    EXPECT_EQ(events_.overruns(), 0);
}

TEST_F(ShortQueues, AReceiverThatLooksSeldomGetsEveryImmediate) {
    constexpr std::uint32_t count = 200;
    std::jthread sender([&](const std::stop_token& stop) {
        for (std::uint32_t i = 0; i < count && !stop.stop_requested();) {
            if (a_[0]->write_with_imm({}, {}, i) == Status::ok) ++i;
            static_cast<void>(a_[0]->flush());
        }
        while (!stop.stop_requested() && !a_[0]->settle()) std::this_thread::yield();
    });
    std::uint32_t next = 0;
    EXPECT_TRUE(eventually([&] {
        std::this_thread::sleep_for(std::chrono::microseconds(300));  // the queue of four runs dry meanwhile
        for (const Completion& done : completions(*b_[0])) EXPECT_EQ(done.imm, next++);
        return next == count;
    })) << next;
    sender.request_stop();
    sender.join();
    EXPECT_EQ(a_[0]->status(), Status::ok) << a_[0]->failure();
    EXPECT_EQ(events_.overruns(), 0);
}

/// A sender to an endpoint for messages that posts no receives.
struct Unready {
    explicit Unready(const verbs::Options& options) : device(options) {
        a.connect(b->card());
        b->connect(a.card());
    }

    verbs::Device device;
    verbs::CompletionQueue queue{device};
    verbs::Endpoint a{queue, {.arrivals = verbs::Arrivals::messages}};
    std::unique_ptr<verbs::Endpoint> b = std::make_unique<verbs::Endpoint>(
        queue, verbs::EndpointOptions{.arrivals = verbs::Arrivals::messages});
    Memory memory;
    verbs::Region region = device.register_memory(memory.bytes);
};

TEST(ReceiverNotReady, IsWaitedForAndTheMessageArrives) {
    Unready ends({});
    ASSERT_EQ(ends.a.send(ends.memory.source(0, 64, ends.region.key()), 3, Signal{1}), Status::ok);
    ASSERT_EQ(ends.a.flush(), Status::ok);
    EXPECT_FALSE(eventually([&] { return ends.a.settle(); }, std::chrono::milliseconds(100)));
    ASSERT_EQ(ends.b->post_receive({ends.memory.bytes.data() + 128, 64, ends.region.key()}, 9), Status::ok);
    const auto received = await(*ends.b, 1);
    ASSERT_EQ(received.size(), 1U);
    EXPECT_EQ(received[0].ticket, 9U);
    EXPECT_EQ(received[0].imm, 3U);
    EXPECT_EQ(await(ends.a, 1).front().status, Status::ok);
}

TEST(ReceiverNotReady, WithTriesCountedIsANamedError) {
    verbs::Options counted;
    counted.not_ready_retries = 2;
    Unready ends(counted);
    ASSERT_EQ(ends.a.send(ends.memory.source(0, 64, ends.region.key()), 3, Signal{1}), Status::ok);
    ASSERT_EQ(ends.a.flush(), Status::ok);
    const auto done = await(ends.a, 1);
    ASSERT_EQ(done.size(), 1U);
    EXPECT_EQ(done[0].status, Status::peer_lost);
    EXPECT_THAT(ends.a.failure(), HasSubstr("SEND of 64 bytes failed: RNR retry counter exceeded"));
    EXPECT_THAT(ends.a.failure(), HasSubstr("2 tries while not ready"));
}

TEST(ReceiverNotReady, ThatGoesAwayIsALostPeer) {
    verbs::Options hasty;
    hasty.timeout = 8;  // a millisecond
    hasty.retries = 2;
    Unready ends(hasty);
    ASSERT_EQ(ends.a.send(ends.memory.source(0, 64, ends.region.key()), 3, Signal{1}), Status::ok);
    ASSERT_EQ(ends.a.flush(), Status::ok);
    EXPECT_FALSE(eventually([&] { return ends.a.settle(); }, std::chrono::milliseconds(20)));
    ends.b.reset();
    const auto done = await(ends.a, 1);
    ASSERT_EQ(done.size(), 1U);
    EXPECT_EQ(done[0].status, Status::peer_lost);
    EXPECT_THAT(ends.a.failure(), HasSubstr("SEND of 64 bytes failed"));
}

}  // namespace
}  // namespace rb2::fabric::test
