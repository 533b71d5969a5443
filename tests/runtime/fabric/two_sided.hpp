#pragma once
// The promises of two_sided.hpp that every endpoint with messages keeps, as tests over two joined sides.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tests/runtime/fabric/sides.hpp"

namespace rb2::fabric::test {

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

TYPED_TEST_SUITE_P(TwoSided);

TYPED_TEST_P(TwoSided, EachMessageUsesOneReceiveInOrder) {
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

TYPED_TEST_P(TwoSided, AnEmptyMessageNeedsAReceiveWithoutABuffer) {
    ASSERT_EQ(this->sides_->b.post_receive({}, 5), Status::ok);
    ASSERT_EQ(this->send(0, 0xdeadbeef), Status::ok);
    const auto received = completions(this->sides_->b);
    ASSERT_EQ(received.size(), 1U);
    EXPECT_EQ(received[0].imm, 0xdeadbeefU);
    EXPECT_EQ(received[0].bytes, 0U);
}

TYPED_TEST_P(TwoSided, AMessageWaitsForItsReceive) {
    ASSERT_EQ(this->send(40), Status::ok);
    EXPECT_TRUE(completions(this->sides_->b).empty());
    ASSERT_EQ(this->post(0, 64, 1), Status::ok);
    EXPECT_EQ(completions(this->sides_->b).size(), 1U);
    EXPECT_TRUE(this->holds(0, 40));
}

TYPED_TEST_P(TwoSided, AReceiverThatIsNeverReadyBlocksTheSender) {
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

TYPED_TEST_P(TwoSided, WritesBeforeASendAreThereWhenItArrives) {
    ASSERT_EQ(this->post(0, 8, 1), Status::ok);
    ASSERT_EQ(this->sides_->a.write(this->sides_->memory_a.source(0, 101, this->region_a_.key()),
                                    this->region_b_.remote() + 301),
              Status::ok);
    ASSERT_EQ(this->send(8), Status::ok);
    ASSERT_EQ(completions(this->sides_->b).size(), 1U);
    EXPECT_TRUE(this->holds(301, 101));
}

TYPED_TEST_P(TwoSided, ForeignMemoryAndTooLongMessagesAreRefused) {
    Memory foreign;
    EXPECT_EQ(this->sides_->b.post_receive({foreign.bytes.data(), 8, this->region_b_.key()}, 1),
              Status::invalid_argument);
    EXPECT_EQ(this->sides_->b.post_receive(this->sink(kWindowBytes - 4, 8), 1), Status::invalid_argument);
    const Source too_long{foreign.bytes.data(), TypeParam::Endpoint::kMaxSendBytes + 1, 0};
    EXPECT_EQ(this->sides_->a.send(too_long, 0), Status::invalid_argument);
}

REGISTER_TYPED_TEST_SUITE_P(TwoSided, EachMessageUsesOneReceiveInOrder,
                            AnEmptyMessageNeedsAReceiveWithoutABuffer, AMessageWaitsForItsReceive,
                            AReceiverThatIsNeverReadyBlocksTheSender, WritesBeforeASendAreThereWhenItArrives,
                            ForeignMemoryAndTooLongMessagesAreRefused);

}  // namespace rb2::fabric::test
