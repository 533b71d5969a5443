#include "tests/runtime/fabric/two_sided.hpp"

namespace rb2::fabric::test {
namespace {

using AllTwoSided = testing::Types<ShmMessageSides, FakeSides>;
INSTANTIATE_TYPED_TEST_SUITE_P(All, TwoSided, AllTwoSided);

/// What endpoints do that are joined by software.
template <class Sides>
class Emulated : public TwoSided<Sides> {};
TYPED_TEST_SUITE(Emulated, AllTwoSided);

TYPED_TEST(Emulated, ALongMessageIsCutAndSaysSo) {
    ASSERT_EQ(this->post(0, 10, 1), Status::ok);
    ASSERT_EQ(this->send(64), Status::ok);
    const auto received = completions(this->sides_->b);
    ASSERT_EQ(received.size(), 1U);
    EXPECT_EQ(received[0].status, Status::truncated);
    EXPECT_EQ(received[0].bytes, 64U);
    EXPECT_TRUE(this->holds(0, 10));
    EXPECT_EQ(this->sides_->memory_b.bytes[10], std::byte{0});
}

TYPED_TEST(Emulated, EndpointsDrawFromOneSharedQueue) {
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
