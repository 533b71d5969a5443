// Buffers for buffered sends: of all communicators, of one, automatic, and flushed.
#include <gmock/gmock.h>

#include <array>
#include <vector>

#include "tests/mpi/alone.hpp"

namespace {

using rb2::test::text_of;
using ::testing::HasSubstr;

constexpr int kBytes = 1 << 20;

class Buffers : public ::testing::Test {
  protected:
    void TearDown() override { MPI_Comm_free(&comm_); }
    void SetUp() override { MPI_Comm_dup(MPI_COMM_SELF, &comm_); }

    [[nodiscard]] int bsend(MPI_Comm comm) { return MPI_Bsend(out_.data(), kBytes, MPI_BYTE, 0, 0, comm); }
    void receive(MPI_Comm comm) {
        std::vector<char> in(kBytes);
        MPI_Recv(in.data(), kBytes, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
        EXPECT_EQ(in, out_);
    }

    std::vector<char> out_ = std::vector<char>(kBytes, 'r');
    std::vector<char> memory_ = std::vector<char>(kBytes + MPI_BSEND_OVERHEAD);
    MPI_Comm comm_ = MPI_COMM_NULL;
    void* address_ = nullptr;
    int size_ = -1;
};

TEST_F(Buffers, OfACommunicatorIsItsAlone) {
    ASSERT_EQ(MPI_Comm_attach_buffer(comm_, memory_.data(), static_cast<int>(memory_.size())), MPI_SUCCESS);
    EXPECT_EQ(bsend(MPI_COMM_SELF), MPI_ERR_BUFFER);
    EXPECT_EQ(bsend(comm_), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_attach_buffer(comm_, memory_.data(), 1), MPI_ERR_BUFFER);
    EXPECT_THAT(text_of(MPI_ERR_BUFFER), HasSubstr("attached already"));
    receive(comm_);
    EXPECT_EQ(MPI_Comm_flush_buffer(comm_), MPI_SUCCESS);
    MPI_Comm_detach_buffer(comm_, &address_, &size_);
    EXPECT_EQ(address_, memory_.data());
    EXPECT_EQ(size_, static_cast<int>(memory_.size()));
    EXPECT_EQ(bsend(comm_), MPI_ERR_BUFFER);
}

TEST_F(Buffers, GoesWithItsCommunicator) {
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &other);
    MPI_Comm_attach_buffer(other, memory_.data(), static_cast<int>(memory_.size()));
    MPI_Comm_free(&other);
    MPI_Comm_dup(MPI_COMM_SELF, &other);  // may well have the same address
    EXPECT_EQ(bsend(other), MPI_ERR_BUFFER);
    MPI_Comm_free(&other);
}

TEST_F(Buffers, AutomaticHasRoomForAll) {
    ASSERT_EQ(MPI_Comm_attach_buffer(comm_, MPI_BUFFER_AUTOMATIC, 0), MPI_SUCCESS);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(bsend(comm_), MPI_SUCCESS);
    for (int i = 0; i < 3; ++i) receive(comm_);
    MPI_Comm_detach_buffer(comm_, &address_, &size_);
    EXPECT_EQ(address_, MPI_BUFFER_AUTOMATIC);
}

TEST_F(Buffers, FlushedWhileGoingOn) {
    MPI_Buffer_attach(memory_.data(), static_cast<int>(memory_.size()));
    MPI_Request request = MPI_REQUEST_NULL;
    int flag = -1;
    ASSERT_EQ(MPI_Buffer_iflush(&request), MPI_SUCCESS);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 1);  // nothing in it
    ASSERT_EQ(bsend(comm_), MPI_SUCCESS);
    MPI_Buffer_iflush(&request);
    receive(comm_);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(MPI_Buffer_flush(), MPI_SUCCESS);
    EXPECT_EQ(bsend(comm_), MPI_SUCCESS);
    receive(comm_);
    MPI_Buffer_detach(&address_, &size_);
    EXPECT_EQ(address_, memory_.data());
    EXPECT_EQ(MPI_Comm_iflush_buffer(comm_, &request), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

}  // namespace
