// The C interface in a world of one: messages to self, statuses, requests, probes, environment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "tests/mpi/alone.hpp"

namespace {

/// Sends `count` ints 0, 1, … to self without waiting for the receive.
MPI_Request send_to_self(const std::vector<int>& data, int tag) {
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT_EQ(
        MPI_Isend(data.data(), static_cast<int>(data.size()), MPI_INT, 0, tag, MPI_COMM_WORLD, &request),
        MPI_SUCCESS);
    return request;
}

std::vector<int> numbers(std::size_t count) {
    std::vector<int> data(count);
    std::iota(data.begin(), data.end(), 0);
    return data;
}

class SelfMessages : public ::testing::TestWithParam<std::size_t> {};

TEST_P(SelfMessages, ArriveWhole) {
    const std::vector<int> out = numbers(GetParam());
    std::vector<int> in(out.size(), -1);
    MPI_Request send = send_to_self(out, 7);
    MPI_Status status;
    ASSERT_EQ(MPI_Recv(in.data(), static_cast<int>(in.size()), MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                       MPI_COMM_WORLD, &status),
              MPI_SUCCESS);
    ASSERT_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);
    int count = -1;
    EXPECT_EQ(MPI_Get_count(&status, MPI_INT, &count), MPI_SUCCESS);
    EXPECT_EQ(static_cast<std::size_t>(count), out.size());
    EXPECT_EQ(status.MPI_SOURCE, 0);
    EXPECT_EQ(status.MPI_TAG, 7);
    EXPECT_EQ(in, out);
}
INSTANTIATE_TEST_SUITE_P(Sizes, SelfMessages, ::testing::Values(0, 1, 12, 13, 1000, 20'000, 2'000'000));

TEST(Self, SendrecvAndReplace) {
    int out = 3;
    int in = 0;
    MPI_Status status;
    ASSERT_EQ(MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &status),
              MPI_SUCCESS);
    EXPECT_EQ(in, 3);
    ASSERT_EQ(MPI_Sendrecv_replace(&out, 1, MPI_INT, 0, 2, 0, 2, MPI_COMM_WORLD, &status), MPI_SUCCESS);
    EXPECT_EQ(out, 3);
    EXPECT_EQ(status.MPI_TAG, 2);
}

TEST(Self, NullRank) {
    int value = 9;
    MPI_Status status;
    EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status), MPI_SUCCESS);
    EXPECT_EQ(value, 9);
    EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
    std::array<MPI_Request, 2> requests{};
    EXPECT_EQ(MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]), MPI_SUCCESS);
    EXPECT_EQ(MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]), MPI_SUCCESS);
    std::array<MPI_Status, 2> statuses{};
    EXPECT_EQ(MPI_Waitall(2, requests.data(), statuses.data()), MPI_SUCCESS);
    EXPECT_EQ(statuses[1].MPI_SOURCE, MPI_PROC_NULL);
    int count = -1;
    EXPECT_EQ(MPI_Get_count(&statuses[1], MPI_INT, &count), MPI_SUCCESS);
    EXPECT_EQ(count, 0);
    MPI_Message message = MPI_MESSAGE_NULL;
    EXPECT_EQ(MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status), MPI_SUCCESS);
    EXPECT_EQ(message, MPI_MESSAGE_NO_PROC);
    EXPECT_EQ(MPI_Mrecv(&value, 1, MPI_INT, &message, &status), MPI_SUCCESS);
    EXPECT_EQ(message, MPI_MESSAGE_NULL);
    EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
}

TEST(Self, ProbeLeavesMatchedProbeTakes) {
    const std::vector<int> first = {1, 2, 3};
    const std::vector<int> second = {4};
    std::array<MPI_Request, 2> sends = {send_to_self(first, 5), send_to_self(second, 5)};
    MPI_Status status;
    int flag = 0;
    ASSERT_EQ(MPI_Iprobe(0, 5, MPI_COMM_WORLD, &flag, &status), MPI_SUCCESS);
    ASSERT_EQ(flag, 1);
    int count = 0;
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQ(count, 3);
    MPI_Message message = MPI_MESSAGE_NULL;
    ASSERT_EQ(MPI_Improbe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, &message, &status), MPI_SUCCESS);
    ASSERT_EQ(flag, 1);
    // The matched message is out of the way: the next receive gets the second one.
    int next = 0;
    ASSERT_EQ(MPI_Recv(&next, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(next, 4);
    std::vector<int> in(3);
    ASSERT_EQ(MPI_Mrecv(in.data(), 3, MPI_INT, &message, &status), MPI_SUCCESS);
    EXPECT_EQ(in, first);
    EXPECT_EQ(message, MPI_MESSAGE_NULL);
    EXPECT_EQ(MPI_Waitall(2, sends.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    ASSERT_EQ(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(flag, 0);
}

TEST(Self, CancelledReceiveSaysSo) {
    int in = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    int cancelled = 0;
    ASSERT_EQ(MPI_Irecv(&in, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    ASSERT_EQ(MPI_Cancel(&request), MPI_SUCCESS);
    ASSERT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    ASSERT_EQ(MPI_Test_cancelled(&status, &cancelled), MPI_SUCCESS);
    EXPECT_EQ(cancelled, 1);
}

TEST(Self, RequestFreeAndGetStatus) {
    int in = 0;
    const int out = 8;
    int flag = 1;
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    ASSERT_EQ(MPI_Irecv(&in, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    ASSERT_EQ(MPI_Request_get_status(request, &flag, &status), MPI_SUCCESS);
    EXPECT_EQ(flag, 0);
    ASSERT_EQ(MPI_Send(&out, 1, MPI_INT, 0, 2, MPI_COMM_WORLD), MPI_SUCCESS);
    ASSERT_EQ(MPI_Request_get_status(request, &flag, &status), MPI_SUCCESS);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(status.MPI_TAG, 2);
    ASSERT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_EQ(in, 8);
}

TEST(Self, ReceiveOutlivesItsCommunicator) {
    MPI_Comm comm = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    int in = 0;
    const int out = 6;
    MPI_Request request = MPI_REQUEST_NULL;
    ASSERT_EQ(MPI_Irecv(&in, 1, MPI_INT, 0, 0, comm, &request), MPI_SUCCESS);
    ASSERT_EQ(MPI_Send(&out, 1, MPI_INT, 0, 0, comm), MPI_SUCCESS);
    ASSERT_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    EXPECT_EQ(comm, MPI_COMM_NULL);
    ASSERT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(in, 6);
}

TEST(Self, EmptyWaitsAndTests) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    int flag = 0;
    int index = 0;
    EXPECT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
    EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
    EXPECT_EQ(MPI_Test(&request, &flag, &status), MPI_SUCCESS);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(MPI_Waitany(1, &request, &index, &status), MPI_SUCCESS);
    EXPECT_EQ(index, MPI_UNDEFINED);
    EXPECT_EQ(MPI_Testany(0, nullptr, &index, &flag, &status), MPI_SUCCESS);
    EXPECT_EQ(flag, 1);
    int outcount = 0;
    EXPECT_EQ(MPI_Waitsome(1, &request, &outcount, &index, &status), MPI_SUCCESS);
    EXPECT_EQ(outcount, MPI_UNDEFINED);
    EXPECT_EQ(MPI_Testall(1, &request, &flag, &status), MPI_SUCCESS);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

/// A status of a message of that many bytes, by way of copies as users make them.
MPI_Status status_of(const void* data, int bytes) {
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<char> in(static_cast<std::size_t>(bytes));
    MPI_Status status;
    MPI_Isend(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF, &request);
    MPI_Recv(in.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    const MPI_Status copy = status;
    return copy;
}

TEST(Count, WholeElementsOnly) {
    const std::array<char, 24> data{};
    int count = 0;
    const MPI_Status ten = status_of(data.data(), 10);
    EXPECT_EQ(MPI_Get_count(&ten, MPI_INT, &count), MPI_SUCCESS);
    EXPECT_EQ(count, MPI_UNDEFINED);
    const MPI_Status twelve = status_of(data.data(), 12);
    MPI_Get_count(&twelve, MPI_INT, &count);
    EXPECT_EQ(count, 3);
    const MPI_Status pairs = status_of(data.data(), 24);
    MPI_Get_elements(&pairs, MPI_2INT, &count);
    EXPECT_EQ(count, 6);
    MPI_Count large = 0;
    MPI_Get_count_c(&pairs, MPI_2INT, &large);
    EXPECT_EQ(large, 3);
}

TEST(Environment, Inquiries) {
    int flag = 0;
    int level = -1;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    int version = 0;
    int subversion = -1;
    MPI_Initialized(&flag);
    EXPECT_EQ(flag, 1);
    MPI_Finalized(&flag);
    EXPECT_EQ(flag, 0);
    MPI_Query_thread(&level);
    EXPECT_EQ(level, MPI_THREAD_SINGLE);
    MPI_Is_thread_main(&flag);
    EXPECT_EQ(flag, 1);
    MPI_Get_library_version(text, &length);
    EXPECT_EQ(std::strlen(text), static_cast<std::size_t>(length));
    EXPECT_THAT(text, ::testing::HasSubstr("rb2"));
    MPI_Get_version(&version, &subversion);
    EXPECT_EQ(version * 10 + subversion, 50);
    MPI_Abi_get_version(&version, &subversion);
    EXPECT_EQ(version * 10 + subversion, 10);
    MPI_Get_processor_name(text, &length);
    EXPECT_GT(length, 0);
    EXPECT_GT(MPI_Wtick(), 0.0);
    const double before = MPI_Wtime();
    EXPECT_GE(MPI_Wtime(), before);
}

TEST(Environment, AttributesAndMemory) {
    int* value = nullptr;
    int flag = 0;
    ASSERT_EQ(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&value), &flag), MPI_SUCCESS);
    ASSERT_EQ(flag, 1);
    EXPECT_EQ(*value, std::numeric_limits<int>::max());
    ASSERT_EQ(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, static_cast<void*>(&value), &flag),
              MPI_SUCCESS);
    EXPECT_EQ(*value, 1);
    void* memory = nullptr;
    ASSERT_EQ(MPI_Alloc_mem(1000, MPI_INFO_NULL, static_cast<void*>(&memory)), MPI_SUCCESS);
    std::memset(memory, 1, 1000);
    EXPECT_EQ(MPI_Free_mem(memory), MPI_SUCCESS);
    EXPECT_EQ(MPI_Alloc_mem(-1, MPI_INFO_NULL, static_cast<void*>(&memory)), MPI_ERR_SIZE);
}

TEST(Profiling, EveryFunctionHasItsPmpiName) {
    int rank = -1;
    EXPECT_EQ(PMPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    EXPECT_EQ(rank, 0);
}

}  // namespace
