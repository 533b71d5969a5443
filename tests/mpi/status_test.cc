// Fields of statuses, and requests that are looked at without being completed.
#include <gtest/gtest.h>

#include <array>

#include "tests/mpi/alone.hpp"

namespace {

TEST(Status, ElementsThatWereSetAreCounted) {
    MPI_Status status{};
    int count = -1;
    MPI_Count large = -1;
    ASSERT_EQ(MPI_Status_set_elements(&status, MPI_DOUBLE, 5), MPI_SUCCESS);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    EXPECT_EQ(count, 5);
    MPI_Get_elements(&status, MPI_DOUBLE, &count);
    EXPECT_EQ(count, 5);
    MPI_Status_set_elements(&status, MPI_DOUBLE_INT, 6);
    MPI_Get_elements(&status, MPI_DOUBLE_INT, &count);
    EXPECT_EQ(count, 6);
    MPI_Get_count(&status, MPI_DOUBLE_INT, &count);
    EXPECT_EQ(count, 3);
    const MPI_Count many = MPI_Count{1} << 40;
    MPI_Status_set_elements_x(&status, MPI_INT, many);
    MPI_Get_elements_x(&status, MPI_INT, &large);
    EXPECT_EQ(large, many);
    MPI_Get_elements(&status, MPI_INT, &count);
    EXPECT_EQ(count, MPI_UNDEFINED);
    EXPECT_EQ(MPI_Status_set_elements(&status, MPI_INT, -1), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Status_set_elements(&status, MPI_DATATYPE_NULL, 1), MPI_ERR_TYPE);
}

TEST(Status, ElementsOfADerivedTypeAreCounted) {
    const int lengths[] = {1, 2};
    const MPI_Aint places[] = {0, 8};
    const MPI_Datatype parts[] = {MPI_INT, MPI_DOUBLE};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(2, lengths, places, parts, &type);
    MPI_Status status{};
    int count = -1;
    ASSERT_EQ(MPI_Status_set_elements(&status, type, 5),
              MPI_SUCCESS);  // the second one ends in its first double
    MPI_Get_elements(&status, type, &count);
    EXPECT_EQ(count, 5);
    MPI_Get_count(&status, type, &count);
    EXPECT_EQ(count, MPI_UNDEFINED);
    MPI_Get_count(&status, MPI_BYTE, &count);
    EXPECT_EQ(count, 20 + 4 + 8);
    MPI_Type_free(&type);
}

TEST(Status, FieldsAreSetAndRead) {
    MPI_Status status{};
    int value = 0;
    MPI_Status_set_source(&status, 3);
    MPI_Status_set_tag(&status, 4);
    MPI_Status_set_error(&status, MPI_ERR_OTHER);
    MPI_Status_set_cancelled(&status, 7);
    MPI_Status_get_source(&status, &value);
    EXPECT_EQ(value, 3);
    MPI_Status_get_tag(&status, &value);
    EXPECT_EQ(value, 4);
    MPI_Status_get_error(&status, &value);
    EXPECT_EQ(value, MPI_ERR_OTHER);
    MPI_Test_cancelled(&status, &value);
    EXPECT_EQ(value, 1);
    MPI_Status_set_cancelled(&status, 0);
    MPI_Test_cancelled(&status, &value);
    EXPECT_EQ(value, 0);
}

TEST(Status, EmptyStatusHasNoError) {
    MPI_Status status{};
    status.MPI_ERROR = MPI_ERR_OTHER;
    int flag = 0;
    MPI_Request_get_status(MPI_REQUEST_NULL, &flag, &status);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
    EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
    EXPECT_EQ(status.MPI_ERROR, MPI_SUCCESS);
}

/// A receive of which nothing has come, and one that is complete.
class Looking : public ::testing::Test {
  protected:
    void SetUp() override {
        MPI_Irecv(&in_[0], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests_[1]);
        MPI_Irecv(&in_[1], 1, MPI_INT, 0, 2, MPI_COMM_SELF, &requests_[2]);
        send(2);
    }
    void TearDown() override {
        if (requests_[1] != MPI_REQUEST_NULL) send(1);
        MPI_Waitall(3, requests_.data(), MPI_STATUSES_IGNORE);
    }
    static void send(int tag) { MPI_Send(&tag, 1, MPI_INT, 0, tag, MPI_COMM_SELF); }

    std::array<int, 2> in_{};
    std::array<MPI_Request, 3> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    std::array<MPI_Status, 3> statuses_{};
    int flag_ = -1;
};

TEST_F(Looking, AtAny) {
    int index = -1;
    ASSERT_EQ(MPI_Request_get_status_any(3, requests_.data(), &index, &flag_, statuses_.data()), MPI_SUCCESS);
    EXPECT_EQ(flag_, 1);
    EXPECT_EQ(index, 2);
    EXPECT_EQ(statuses_[0].MPI_TAG, 2);
    EXPECT_NE(requests_[2], MPI_REQUEST_NULL);
    MPI_Request_get_status_any(2, requests_.data(), &index, &flag_, statuses_.data());
    EXPECT_EQ(flag_, 0);
    MPI_Request_get_status_any(1, requests_.data(), &index, &flag_, statuses_.data());
    EXPECT_EQ(flag_, 1);
    EXPECT_EQ(index, MPI_UNDEFINED);
}

TEST_F(Looking, AtSome) {
    int count = -1;
    std::array<int, 3> indices{};
    ASSERT_EQ(MPI_Request_get_status_some(3, requests_.data(), &count, indices.data(), statuses_.data()),
              MPI_SUCCESS);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(indices[0], 2);
    EXPECT_EQ(statuses_[0].MPI_TAG, 2);
    MPI_Request_get_status_some(2, requests_.data(), &count, indices.data(), statuses_.data());
    EXPECT_EQ(count, 0);
    MPI_Request_get_status_some(1, requests_.data(), &count, indices.data(), statuses_.data());
    EXPECT_EQ(count, MPI_UNDEFINED);
}

TEST_F(Looking, AtAll) {
    ASSERT_EQ(MPI_Request_get_status_all(3, requests_.data(), &flag_, statuses_.data()), MPI_SUCCESS);
    EXPECT_EQ(flag_, 0);
    send(1);
    MPI_Request_get_status_all(3, requests_.data(), &flag_, statuses_.data());
    EXPECT_EQ(flag_, 1);
    EXPECT_EQ(statuses_[0].MPI_TAG, MPI_ANY_TAG);
    EXPECT_EQ(statuses_[1].MPI_TAG, 1);
    EXPECT_EQ(statuses_[2].MPI_TAG, 2);
    EXPECT_EQ(statuses_[2].MPI_ERROR, MPI_SUCCESS);
    MPI_Waitall(3, requests_.data(), MPI_STATUSES_IGNORE);
}

}  // namespace
