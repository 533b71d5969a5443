// The C++ interface in a world of one, and its errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "mpi.h"
#include "rb2/rb2.hpp"

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Alone : public ::testing::Test {
  protected:
    // A process is a rank once, so all tests of this program share one environment.
    static const rb2::Communicator& world() {
        static const rb2::Environment environment;
        return environment.world();
    }
};

static_assert(rb2::SendBuffer<std::vector<int>> && rb2::SendBuffer<const std::array<double, 3>>);
static_assert(rb2::SendBuffer<std::string_view> && rb2::SendBuffer<int[4]>);
static_assert(!rb2::SendBuffer<std::vector<std::string>> && !rb2::SendBuffer<std::vector<int*>>);
static_assert(rb2::ReceiveBuffer<std::vector<int>> && rb2::ReceiveBuffer<std::span<char>>);
static_assert(!rb2::ReceiveBuffer<std::span<const char>> && !rb2::ReceiveBuffer<std::string_view>);
static_assert(!std::is_copy_constructible_v<rb2::Request> &&
              std::is_nothrow_move_constructible_v<rb2::Request>);

TEST_F(Alone, SendsToItself) {
    std::vector<int> in(5);
    auto receive = world().irecv(in, 0, 4);
    ASSERT_TRUE(receive.ok());
    ASSERT_TRUE(world().send(std::array{1, 2, 3}, 0, 4).ok());
    auto status = receive->wait();
    ASSERT_TRUE(status.ok());
    EXPECT_EQ(status->source, 0);
    EXPECT_EQ(status->tag, 4);
    EXPECT_EQ(status->count<int>(), 3u);
    EXPECT_THAT(in, ElementsAre(1, 2, 3, 0, 0));
    EXPECT_FALSE(receive->active());
}

TEST_F(Alone, SharesTheEngineWithTheCInterface) {
    ASSERT_EQ(world().size(), 1);
    int in = 0;
    auto receive = world().irecv(std::span(&in, 1), 0, 8);
    MPI_Init(nullptr, nullptr);
    const int out = 77;
    ASSERT_EQ(MPI_Send(&out, 1, MPI_INT, 0, 8, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
    ASSERT_TRUE(receive->wait().ok());
    EXPECT_EQ(in, 77);
    // The environment still stands after MPI_Finalize.
    EXPECT_TRUE(world().barrier().ok());
}

TEST_F(Alone, SlotsAreSentOnlyWhenCommitted) {
    {
        auto dropped = world().reserve<int>(10, 0, 1);
        ASSERT_TRUE(dropped.ok());
        dropped->elements()[0] = 1;
    }
    auto slot = world().reserve<double>(4, 0, 1);
    ASSERT_TRUE(slot.ok());
    ASSERT_EQ(slot->elements().size(), 4u);
    std::iota(slot->elements().begin(), slot->elements().end(), 0.5);
    slot->commit(2);
    std::vector<double> seen;
    auto status = world().recv_in_place(rb2::kAnySource, 1, [&](const rb2::Message& message) {
        seen.assign(message.as<double>().begin(), message.as<double>().end());
    });
    ASSERT_TRUE(status.ok());
    EXPECT_EQ(status->bytes, 16u);
    EXPECT_THAT(seen, ElementsAre(0.5, 1.5));
    auto nothing = world().iprobe();
    ASSERT_TRUE(nothing.ok());
    EXPECT_FALSE(nothing->has_value());
}

TEST_F(Alone, SlotTooLarge) {
    auto most = world().max_in_place(0);
    ASSERT_TRUE(most.ok());
    auto slot = world().reserve<char>(most.value() + 1, 0);
    ASSERT_FALSE(slot.ok());
    EXPECT_EQ(slot.error().code, rb2::ErrorCode::invalid_argument);
    EXPECT_THAT(slot.error().text, HasSubstr("use send()"));
}

TEST_F(Alone, SecondSlotToTheSameRankIsRefused) {
    auto first = world().reserve<int>(1, 0);
    ASSERT_TRUE(first.ok());
    auto second = world().reserve<int>(1, 0);
    ASSERT_FALSE(second.ok());
    EXPECT_THAT(second.error().text, HasSubstr("open already"));
}

TEST_F(Alone, ErrorsSayWhatAndWhere) {
    const std::array<int, 2> data{};
    auto result = world().send(data, 3, 5);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, rb2::ErrorCode::invalid_argument);
    EXPECT_THAT(result.error().text, HasSubstr("Communicator::send"));
    EXPECT_THAT(result.error().text, HasSubstr("destination 3 is not in 0 to 0"));
    EXPECT_FALSE(world().send(data, 0, -1).ok());
    EXPECT_FALSE(world().send(data, rb2::kAnySource, 0).ok());
    EXPECT_FALSE(world().probe(5).ok());
    std::vector<int> all(3);
    EXPECT_FALSE(world().allgather(data, all).ok());
    EXPECT_FALSE(world().bcast(all, 1).ok());
    EXPECT_FALSE(rb2::Communicator().send(data, 0).ok());
}

TEST_F(Alone, TruncationIsAnError) {
    std::array<int, 1> in{};
    auto receive = world().irecv(in, 0, 6);
    ASSERT_TRUE(world().send(std::array{1, 2}, 0, 6).ok());
    auto status = receive->wait();
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, rb2::ErrorCode::truncated);
    EXPECT_THAT(status.error().text,
                HasSubstr("8 bytes from rank 0 with tag 6 came for a buffer of 4 bytes"));
    EXPECT_EQ(in[0], 1);
}

TEST_F(Alone, NullRank) {
    std::array<int, 1> value{5};
    EXPECT_TRUE(world().send(value, rb2::kNullRank).ok());
    auto status = world().recv(value, rb2::kNullRank);
    ASSERT_TRUE(status.ok());
    EXPECT_EQ(status->source, rb2::kNullRank);
    auto request = world().irecv(value, rb2::kNullRank);
    EXPECT_EQ(request->wait()->source, rb2::kNullRank);
    auto slot = world().reserve<int>(3, rb2::kNullRank);
    ASSERT_TRUE(slot.ok());
    slot->elements()[2] = 1;
    slot->commit();
}

TEST_F(Alone, DroppedReceiveIsCancelled) {
    {
        std::array<int, 1> gone{};
        auto request = world().irecv(gone, 0, 9);
        ASSERT_TRUE(request.ok());
    }
    ASSERT_TRUE(world().send_value(3, 0, 9).ok());
    auto value = world().recv_value<int>(0, 9);
    ASSERT_TRUE(value.ok());
    EXPECT_EQ(*value, 3);
}

TEST_F(Alone, CancelledReceiveSaysSo) {
    std::array<int, 1> in{};
    auto request = world().irecv(in, 0, 2);
    request->cancel();
    auto status = request->wait();
    ASSERT_TRUE(status.ok());
    EXPECT_TRUE(status->cancelled);
}

TEST_F(Alone, GroupsOfRequests) {
    std::array<int, 3> in{};
    std::vector<rb2::Request> requests;
    for (int tag = 0; tag < 3; ++tag)
        requests.push_back(
            world().irecv(std::span(&in[static_cast<std::size_t>(tag)], 1), 0, tag).or_abort());
    EXPECT_FALSE(rb2::test_all(requests).value());
    EXPECT_FALSE(rb2::test_any(requests)->has_value());
    EXPECT_TRUE(rb2::test_some(requests)->empty());
    ASSERT_TRUE(world().send_value(21, 0, 1).ok());
    auto any = rb2::wait_any(requests);
    ASSERT_TRUE(any.ok() && any->has_value());
    EXPECT_EQ((*any)->index, 1u);
    ASSERT_TRUE(world().send_value(22, 0, 2).ok());
    auto some = rb2::wait_some(requests);
    ASSERT_TRUE(some.ok());
    ASSERT_EQ(some->size(), 1u);
    EXPECT_EQ(some->front().index, 2u);
    ASSERT_TRUE(world().send_value(20, 0, 0).ok());
    std::vector<rb2::RecvStatus> statuses(3);
    ASSERT_TRUE(rb2::wait_all(requests, statuses).ok());
    EXPECT_EQ(statuses[0].tag, 0);
    EXPECT_THAT(in, ElementsAre(20, 21, 22));
    EXPECT_FALSE(rb2::wait_any(requests)->has_value());
}

}  // namespace
