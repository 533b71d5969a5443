// Bad input: each gives its error class and a text that names what is wrong. Nothing crashes or hangs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>

#include "tests/mpi/alone.hpp"

namespace {

using rb2::test::text_of;
using ::testing::HasSubstr;

int send(const void* buffer, int count, MPI_Datatype type, int dest, int tag,
         MPI_Comm comm = MPI_COMM_WORLD) {
    return MPI_Send(buffer, count, type, dest, tag, comm);
}

TEST(Errors, RankOutOfRange) {
    const int value = 1;
    EXPECT_EQ(send(&value, 1, MPI_INT, 1, 0), MPI_ERR_RANK);
    EXPECT_THAT(text_of(MPI_ERR_RANK),
                HasSubstr("MPI_Send: destination 1 is not in 0 to 0 of MPI_COMM_WORLD"));
    EXPECT_EQ(send(&value, 1, MPI_INT, -7, 0), MPI_ERR_RANK);
    EXPECT_EQ(send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0), MPI_ERR_RANK);
    EXPECT_EQ(send(&value, 1, MPI_INT, std::numeric_limits<int>::max(), 0), MPI_ERR_RANK);
    int in = 0;
    EXPECT_EQ(MPI_Recv(&in, 1, MPI_INT, 4, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_RANK);
    EXPECT_THAT(text_of(MPI_ERR_RANK), HasSubstr("source 4"));
    EXPECT_EQ(MPI_Probe(9, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_RANK);
}

TEST(Errors, NegativeCount) {
    int value = 1;
    EXPECT_EQ(send(&value, -1, MPI_INT, 0, 0), MPI_ERR_COUNT);
    EXPECT_THAT(text_of(MPI_ERR_COUNT), HasSubstr("the count is -1"));
    EXPECT_EQ(MPI_Recv(&value, -5, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Bcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Waitall(-1, nullptr, MPI_STATUSES_IGNORE), MPI_ERR_COUNT);
}

TEST(Errors, CountBeyondTheAddressSpace) {
    int value = 1;
    EXPECT_EQ(MPI_Send_c(&value, std::numeric_limits<MPI_Count>::max(), MPI_INT, 0, 0, MPI_COMM_WORLD),
              MPI_ERR_COUNT);
}

TEST(Errors, TagOutOfRange) {
    int value = 1;
    EXPECT_EQ(send(&value, 1, MPI_INT, 0, -5), MPI_ERR_TAG);
    EXPECT_THAT(text_of(MPI_ERR_TAG), HasSubstr("tag -5"));
    EXPECT_EQ(send(&value, 1, MPI_INT, 0, MPI_ANY_TAG), MPI_ERR_TAG);
    EXPECT_EQ(MPI_Recv(&value, 1, MPI_INT, 0, -3, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TAG);
}

TEST(Errors, NullBufferWithACount) {
    EXPECT_EQ(send(nullptr, 3, MPI_INT, 0, 0), MPI_ERR_BUFFER);
    EXPECT_THAT(text_of(MPI_ERR_BUFFER), HasSubstr("null pointer, but the count is 3"));
    EXPECT_EQ(MPI_Recv(nullptr, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
}

TEST(Errors, InvalidCommunicator) {
    int value = 1;
    EXPECT_EQ(send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT_THAT(text_of(MPI_ERR_COMM), HasSubstr("MPI_COMM_NULL"));
    EXPECT_EQ(send(&value, 1, MPI_INT, 0, 0, nullptr), MPI_ERR_COMM);
    std::array<std::uint64_t, 16> garbage{};
    EXPECT_EQ(send(&value, 1, MPI_INT, 0, 0, reinterpret_cast<MPI_Comm>(garbage.data())), MPI_ERR_COMM);
    EXPECT_EQ(send(&value, 1, MPI_INT, 0, 0, reinterpret_cast<MPI_Comm>(MPI_INT)), MPI_ERR_COMM);
    MPI_Comm world = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Comm_free(&world), MPI_ERR_COMM);
}

TEST(Errors, InvalidDatatype) {
    int value = 1;
    EXPECT_EQ(send(&value, 1, MPI_DATATYPE_NULL, 0, 0), MPI_ERR_TYPE);
    EXPECT_THAT(text_of(MPI_ERR_TYPE), HasSubstr("MPI_DATATYPE_NULL"));
    EXPECT_EQ(send(&value, 1, nullptr, 0, 0), MPI_ERR_TYPE);
    EXPECT_EQ(send(&value, 1, reinterpret_cast<MPI_Datatype>(MPI_COMM_WORLD), 0, 0), MPI_ERR_TYPE);
    EXPECT_EQ(send(&value, 1, reinterpret_cast<MPI_Datatype>(0x204), 0, 0), MPI_ERR_TYPE);
}

TEST(Errors, InvalidRequest) {
    std::array<std::uint64_t, 32> garbage{};
    auto request = reinterpret_cast<MPI_Request>(garbage.data());
    int flag = 0;
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    EXPECT_EQ(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    EXPECT_EQ(MPI_Waitall(1, &request, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
    request = nullptr;
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    EXPECT_EQ(MPI_Waitall(2, nullptr, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
    request = MPI_REQUEST_NULL;
    EXPECT_EQ(MPI_Cancel(&request), MPI_ERR_REQUEST);
}

TEST(Errors, RequestUsedTwice) {
    int in = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    ASSERT_EQ(MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    MPI_Request copy = request;
    const int value = 5;
    ASSERT_EQ(send(&value, 1, MPI_INT, 0, 1), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&copy, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    EXPECT_EQ(in, 5);
}

TEST(Errors, TruncationKeepsTheFirstBytesAndNamesBothSizes) {
    const std::array<int, 4> out{1, 2, 3, 4};
    std::array<int, 4> in{0, 0, -1, -1};
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    ASSERT_EQ(MPI_Irecv(in.data(), 2, MPI_INT, 0, 3, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    ASSERT_EQ(send(out.data(), 4, MPI_INT, 0, 3), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&request, &status), MPI_ERR_TRUNCATE);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_EQ(status.MPI_SOURCE, 0);
    EXPECT_EQ(in, (std::array<int, 4>{1, 2, -1, -1}));
    EXPECT_THAT(text_of(MPI_ERR_TRUNCATE),
                HasSubstr("a message of 16 bytes from rank 0 with tag 3 came for a buffer of 8 bytes"));
}

TEST(Errors, WaitallReportsEachStatus) {
    const std::array<int, 2> out{1, 2};
    std::array<int, 2> in{};
    std::array<MPI_Request, 3> requests{};
    std::array<MPI_Status, 3> statuses{};
    ASSERT_EQ(MPI_Irecv(&in[0], 1, MPI_INT, 0, 10, MPI_COMM_WORLD, &requests[0]), MPI_SUCCESS);
    ASSERT_EQ(MPI_Irecv(&in[1], 1, MPI_INT, 0, 11, MPI_COMM_WORLD, &requests[1]), MPI_SUCCESS);
    requests[2] = MPI_REQUEST_NULL;
    ASSERT_EQ(send(out.data(), 2, MPI_INT, 0, 10), MPI_SUCCESS);
    ASSERT_EQ(send(out.data(), 1, MPI_INT, 0, 11), MPI_SUCCESS);
    EXPECT_EQ(MPI_Waitall(3, requests.data(), statuses.data()), MPI_ERR_IN_STATUS);
    EXPECT_EQ(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE);
    EXPECT_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
    EXPECT_EQ(statuses[2].MPI_ERROR, MPI_SUCCESS);
    EXPECT_EQ(statuses[2].MPI_SOURCE, MPI_ANY_SOURCE);
}

TEST(Errors, RootsOperationsAndHandlers) {
    int value = 1;
    int result = 0;
    EXPECT_EQ(MPI_Bcast(&value, 1, MPI_INT, 2, MPI_COMM_WORLD), MPI_ERR_ROOT);
    EXPECT_EQ(MPI_Allreduce(&value, &result, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD), MPI_ERR_OP);
    EXPECT_EQ(MPI_Allreduce(&value, &result, 1, MPI_FLOAT, MPI_BAND, MPI_COMM_WORLD), MPI_ERR_OP);
    EXPECT_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
    int* attribute = nullptr;
    int flag = 0;
    EXPECT_EQ(MPI_Comm_get_attr(MPI_COMM_WORLD, 1, static_cast<void*>(&attribute), &flag), MPI_ERR_KEYVAL);
    EXPECT_EQ(MPI_Init(nullptr, nullptr), MPI_ERR_OTHER);
}

TEST(Errors, ArraysOfCounts) {
    const int value = 1;
    int result = 0;
    const int one = 1;
    const int minus = -3;
    const int none = 0;
    const int two = 2;
    const auto scatterv = [&](const int* counts, const int* displs, int root = 0) {
        return MPI_Scatterv(&value, counts, displs, MPI_INT, &result, 1, MPI_INT, root, MPI_COMM_WORLD);
    };
    EXPECT_EQ(scatterv(nullptr, &none), MPI_ERR_ARG);
    EXPECT_THAT(text_of(MPI_ERR_ARG), HasSubstr("MPI_Scatterv: the array of counts is a null pointer"));
    EXPECT_EQ(scatterv(&one, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(scatterv(&minus, &none), MPI_ERR_COUNT);
    EXPECT_THAT(text_of(MPI_ERR_COUNT), HasSubstr("the count is -3"));
    EXPECT_EQ(scatterv(&two, &none), MPI_ERR_TRUNCATE);
    EXPECT_EQ(scatterv(&one, &none, 1), MPI_ERR_ROOT);
    EXPECT_EQ(MPI_Reduce_scatter(&value, &result, nullptr, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Reduce_scatter(&value, &result, &minus, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Scan(&value, &result, 1, MPI_FLOAT, MPI_BOR, MPI_COMM_WORLD), MPI_ERR_OP);
    EXPECT_EQ(MPI_Exscan(nullptr, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Alltoallv(&value, &two, &none, MPI_INT, &result, &one, &none, MPI_INT, MPI_COMM_WORLD),
              MPI_ERR_TRUNCATE);
    EXPECT_EQ(MPI_Allgatherv(&value, 2, MPI_INT, &result, &one, &none, MPI_INT, MPI_COMM_WORLD),
              MPI_ERR_TRUNCATE);
    EXPECT_EQ(scatterv(&one, &none), MPI_SUCCESS);
    EXPECT_EQ(result, 1);
}

TEST(Errors, InPlaceWhereItHasNoMeaning) {
    int value = 1;
    EXPECT_EQ(MPI_Reduce(&value, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_THAT(text_of(MPI_ERR_BUFFER), HasSubstr("MPI_IN_PLACE cannot stand for this buffer"));
    EXPECT_EQ(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Allreduce(&value, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Scatter(MPI_IN_PLACE, 1, MPI_INT, &value, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Reduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD), MPI_SUCCESS);
}

TEST(Errors, UserOperations) {
    MPI_Op op = MPI_SUM;
    int commute = -1;
    EXPECT_EQ(MPI_Op_free(&op), MPI_ERR_OP);
    EXPECT_THAT(text_of(MPI_ERR_OP), HasSubstr("MPI_Op_free: 0x21 is no operation made by MPI_Op_create"));
    EXPECT_EQ(op, MPI_SUM);
    EXPECT_EQ(MPI_Op_create(nullptr, 1, &op), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Op_commutative(MPI_OP_NULL, &commute), MPI_ERR_OP);
    EXPECT_EQ(MPI_Op_commutative(MPI_MAXLOC, &commute), MPI_SUCCESS);
    EXPECT_EQ(commute, 1);
    EXPECT_EQ(MPI_Op_commutative(MPI_REPLACE, &commute), MPI_SUCCESS);
    EXPECT_EQ(commute, 0);
    std::array<std::uint64_t, 8> garbage{};
    const int value = 1;
    int result = 0;
    EXPECT_EQ(
        MPI_Allreduce(&value, &result, 1, MPI_INT, reinterpret_cast<MPI_Op>(garbage.data()), MPI_COMM_WORLD),
        MPI_ERR_OP);
}

TEST(Errors, EveryClassHasAText) {
    for (int code = MPI_SUCCESS; code <= MPI_ERR_ABI; ++code) {
        int error_class = -1;
        EXPECT_EQ(MPI_Error_class(code, &error_class), MPI_SUCCESS);
        EXPECT_EQ(error_class, code);
        EXPECT_THAT(text_of(code), HasSubstr("MPI_"));
    }
    int error_class = 0;
    EXPECT_EQ(MPI_Error_class(12345, &error_class), MPI_ERR_ARG);
}

TEST(Errors, BufferedSendWithoutRoom) {
    std::array<char, 100> out{};
    EXPECT_EQ(MPI_Bsend(out.data(), 100, MPI_CHAR, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    std::array<char, 64> small{};
    ASSERT_EQ(MPI_Buffer_attach(small.data(), 64), MPI_SUCCESS);
    EXPECT_EQ(MPI_Bsend(out.data(), 100, MPI_CHAR, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_THAT(text_of(MPI_ERR_BUFFER), HasSubstr("no room for 100 bytes"));
    void* detached = nullptr;
    int size = 0;
    EXPECT_EQ(MPI_Buffer_detach(static_cast<void*>(&detached), &size), MPI_SUCCESS);
    EXPECT_EQ(detached, small.data());
    EXPECT_EQ(size, 64);
}

}  // namespace
