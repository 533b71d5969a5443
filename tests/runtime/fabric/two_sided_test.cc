// The promises of two_sided.hpp, on each endpoint that has it.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tests/runtime/fabric/sides.hpp"

namespace rb2::fabric::test {
namespace {

template <class Sides>
class TwoSided : public testing::Test {
  protected:
    void SetUp() override { number_bytes(sides_->memory_a); }

    Status send(std::size_t bytes, std::uint32_t imm = 0, Signal signal = kSilent) {
        const Status status = sides_->a.send(sides_->memory_a.source(0, bytes, region_a_.key()), imm, signal);
        return status == Status::ok ? sides_->a.flush() : status;
    }
    Status post(std::size_t at, std::size_t bytes, std::uint64_t ticket) {
        return sides_->b.post_receive(sink(at, bytes), ticket);
    }
    Sink sink(std::size_t at, std::size_t bytes) {
        return {sides_->memory_b.bytes.data() + at, bytes, region_b_.key()};
    }
    bool holds(std::size_t at, std::size_t bytes) {
        return std::equal(sides_->memory_a.bytes.begin(), sides_->memory_a.bytes.begin() + bytes,
                          sides_->memory_b.bytes.begin() + at);
    }

    std::unique_ptr<Sides> sides_ = std::make_unique<Sides>();
    typename Sides::Endpoint::Region region_a_ = sides_->a.register_memory(sides_->memory_a.bytes);
    typename Sides::Endpoint::Region region_b_ = sides_->b.register_memory(sides_->memory_b.bytes);
};

using AllTwoSided = testing::Types<ShmMessageSides, FakeSides>;
TYPED_TEST_SUITE(TwoSided, AllTwoSided);

TYPED_TEST(TwoSided, EachMessageUsesOneReceiveInOrder) {
    ASSERT_EQ(this->post(0, 100, 11), Status::ok);
    ASSERT_EQ(this->post(200, 100, 12), Status::ok);
    ASSERT_EQ(this->send(3, 1), Status::ok);
    ASSERT_EQ(this->send(100, 2, Signal{7}), Status::ok);
    const auto received = completions(this->sides_->b);
    ASSERT_EQ(received.size(), 2U);
    EXPECT_EQ(received[0].ticket, 11U);
    EXPECT_EQ(received[0].bytes, 3U);
    EXPECT_EQ(received[0].imm, 1U);
    EXPECT_EQ(received[1].ticket, 12U);
    EXPECT_EQ(received[1].bytes, 100U);
    EXPECT_EQ(received[1].operation, Operation::received);
    EXPECT_TRUE(this->holds(0, 3));
    EXPECT_TRUE(this->holds(200, 100));
    EXPECT_EQ(this->sides_->memory_b.bytes[3], std::byte{0});
    const auto sent = completions(this->sides_->a);
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].ticket, 7U);
    EXPECT_EQ(sent[0].operation, Operation::send);
}

TYPED_TEST(TwoSided, AnEmptyMessageNeedsAReceiveWithoutABuffer) {
    ASSERT_EQ(this->sides_->b.post_receive({}, 5), Status::ok);
    ASSERT_EQ(this->send(0, 0xdeadbeef), Status::ok);
    const auto received = completions(this->sides_->b);
    ASSERT_EQ(received.size(), 1U);
    EXPECT_EQ(received[0].imm, 0xdeadbeefU);
    EXPECT_EQ(received[0].bytes, 0U);
}

TYPED_TEST(TwoSided, AMessageWaitsForItsReceive) {
    ASSERT_EQ(this->send(40), Status::ok);
    EXPECT_TRUE(completions(this->sides_->b).empty());
    ASSERT_EQ(this->post(0, 64, 1), Status::ok);
    EXPECT_EQ(completions(this->sides_->b).size(), 1U);
    EXPECT_TRUE(this->holds(0, 40));
}

TYPED_TEST(TwoSided, AReceiverThatIsNeverReadyBlocksTheSender) {
    Status status = Status::ok;
    int sent = 0;
    while (sent < 10'000 && (status = this->send(1)) == Status::ok) ++sent;
    EXPECT_EQ(status, Status::would_block);
    for (int i = 0; i < sent; ++i) {
        ASSERT_EQ(this->post(0, 1, 1), Status::ok);
        ASSERT_EQ(completions(this->sides_->b).size(), 1U);
    }
    EXPECT_EQ(this->send(1), Status::ok);
}

TYPED_TEST(TwoSided, ALongMessageIsCutAndSaysSo) {
    ASSERT_EQ(this->post(0, 10, 1), Status::ok);
    ASSERT_EQ(this->send(64), Status::ok);
    const auto received = completions(this->sides_->b);
    ASSERT_EQ(received.size(), 1U);
    EXPECT_EQ(received[0].status, Status::truncated);
    EXPECT_EQ(received[0].bytes, 64U);
    EXPECT_TRUE(this->holds(0, 10));
    EXPECT_EQ(this->sides_->memory_b.bytes[10], std::byte{0});
}

TYPED_TEST(TwoSided, WritesBeforeASendAreThereWhenItArrives) {
    ASSERT_EQ(this->post(0, 8, 1), Status::ok);
    ASSERT_EQ(this->sides_->a.write(this->sides_->memory_a.source(0, 101, this->region_a_.key()),
                                    this->region_b_.remote() + 301),
              Status::ok);
    ASSERT_EQ(this->send(8), Status::ok);
    ASSERT_EQ(completions(this->sides_->b).size(), 1U);
    EXPECT_TRUE(this->holds(301, 101));
}

TYPED_TEST(TwoSided, ForeignMemoryAndTooLongMessagesAreRefused) {
    Memory foreign;
    EXPECT_EQ(this->sides_->b.post_receive({foreign.bytes.data(), 8, this->region_b_.key()}, 1),
              Status::invalid_argument);
    EXPECT_EQ(this->sides_->b.post_receive(this->sink(kWindowBytes - 4, 8), 1), Status::invalid_argument);
    const Source too_long{foreign.bytes.data(), TypeParam::Endpoint::kMaxSendBytes + 1, 0};
    EXPECT_EQ(this->sides_->a.send(too_long, 0), Status::invalid_argument);
}

TYPED_TEST(TwoSided, EndpointsDrawFromOneSharedQueue) {
    TypeParam other;  // a second sender with a connection of its own
    const auto other_region = other.a.register_memory(other.memory_a.bytes);
    typename TypeParam::Endpoint::SharedReceives shared(this->sides_->memory_b.bytes, 2);
    this->sides_->b.share(shared);
    other.b.share(shared);
    EXPECT_EQ(this->post(0, 8, 1), Status::invalid_argument) << "the endpoint has no queue of its own now";
    EXPECT_EQ(shared.post({other.memory_b.bytes.data(), 8, 0}, 1), Status::invalid_argument);
    ASSERT_EQ(shared.post(this->sink(0, 64), 1), Status::ok);
    ASSERT_EQ(shared.post(this->sink(64, 64), 2), Status::ok);
    EXPECT_EQ(shared.post(this->sink(128, 64), 3), Status::would_block);

    ASSERT_EQ(other.a.send(other.memory_a.source(0, 5, other_region.key()), 1), Status::ok);
    ASSERT_EQ(other.a.flush(), Status::ok);
    const auto first = completions(other.b);
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].ticket, 1U);
    ASSERT_EQ(this->send(60), Status::ok);
    const auto second = completions(this->sides_->b);
    ASSERT_EQ(second.size(), 1U);
    EXPECT_EQ(second[0].ticket, 2U);
    EXPECT_TRUE(this->holds(64, 60));
    EXPECT_EQ(shared.posted(), 2U);
}

TEST(FakeTwoSided, CountsSendsAndPostedReceivesApart) {
    FakeSides sides;
    const auto region_b = sides.b.register_memory(sides.memory_b.bytes);
    ASSERT_EQ(sides.b.post_receive({sides.memory_b.bytes.data(), 8, region_b.key()}, 1), Status::ok);
    ASSERT_EQ(sides.a.send(sides.memory_a.source(0, 8, 0), 0), Status::ok);
    ASSERT_EQ(sides.a.flush(), Status::ok);
    EXPECT_EQ(sides.a.counters(), (fake::Counters{.doorbells = 1, .sends = 1}));
    EXPECT_EQ(sides.b.counters(), (fake::Counters{.registrations = 1, .receives = 1}));
}

}  // namespace
}  // namespace rb2::fabric::test
