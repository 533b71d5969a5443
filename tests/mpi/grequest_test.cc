// Generalized requests: complete when the user says so, in all waits and tests.
#include <gtest/gtest.h>

#include <array>

#include "tests/mpi/alone.hpp"

namespace {

struct Calls {
    int query = 0;
    int free = 0;
    int cancel = 0;
    int cancelled_when_complete = -1;
    int query_result = MPI_SUCCESS;
};

int query(void* extra, MPI_Status* status) {
    auto* const calls = static_cast<Calls*>(extra);
    ++calls->query;
    MPI_Status_set_elements(status, MPI_INT, 3);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_TAG = 77;
    return calls->query_result;
}
int release(void* extra) {
    ++static_cast<Calls*>(extra)->free;
    return MPI_SUCCESS;
}
int cancel(void* extra, int complete) {
    auto* const calls = static_cast<Calls*>(extra);
    ++calls->cancel;
    calls->cancelled_when_complete = complete;
    return MPI_SUCCESS;
}

class Grequest : public ::testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(MPI_Grequest_start(query, release, cancel, &calls_, &request_), MPI_SUCCESS);
    }
    Calls calls_;
    MPI_Request request_ = MPI_REQUEST_NULL;
    MPI_Status status_{};
    int flag_ = -1;
};

TEST_F(Grequest, WaitTellsWhatTheQuerySays) {
    MPI_Test(&request_, &flag_, &status_);
    EXPECT_EQ(flag_, 0);
    EXPECT_EQ(MPI_Grequest_complete(request_), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&request_, &status_), MPI_SUCCESS);
    EXPECT_EQ(request_, MPI_REQUEST_NULL);
    int count = -1;
    MPI_Get_count(&status_, MPI_INT, &count);
    EXPECT_EQ(count, 3);
    EXPECT_EQ(status_.MPI_TAG, 77);
    EXPECT_EQ(calls_.query, 1);
    EXPECT_EQ(calls_.free, 1);
}

TEST_F(Grequest, AmongOthers) {
    int in = 0;
    const int out = 5;
    std::array<MPI_Request, 2> both{MPI_REQUEST_NULL, request_};
    MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &both[0]);
    int index = -1;
    MPI_Testany(2, both.data(), &index, &flag_, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag_, 0);
    MPI_Grequest_complete(request_);
    MPI_Waitany(2, both.data(), &index, MPI_STATUS_IGNORE);
    EXPECT_EQ(index, 1);
    EXPECT_EQ(calls_.query, 1);
    EXPECT_EQ(calls_.free, 1);
    MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    MPI_Waitall(2, both.data(), MPI_STATUSES_IGNORE);
    EXPECT_EQ(in, 5);
}

TEST_F(Grequest, LookingQueriesButDoesNotFree) {
    MPI_Grequest_complete(request_);
    MPI_Request_get_status(request_, &flag_, &status_);
    EXPECT_EQ(flag_, 1);
    EXPECT_EQ(calls_.query, 1);
    EXPECT_EQ(calls_.free, 0);
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    EXPECT_EQ(calls_.free, 1);
}

TEST_F(Grequest, FreedBeforeItIsComplete) {
    const MPI_Request kept = request_;
    EXPECT_EQ(MPI_Request_free(&request_), MPI_SUCCESS);
    EXPECT_EQ(request_, MPI_REQUEST_NULL);
    EXPECT_EQ(calls_.free, 0);
    EXPECT_EQ(MPI_Grequest_complete(kept), MPI_SUCCESS);
    EXPECT_EQ(calls_.free, 1);
}

TEST_F(Grequest, FreedOnceComplete) {
    MPI_Grequest_complete(request_);
    EXPECT_EQ(MPI_Request_free(&request_), MPI_SUCCESS);
    EXPECT_EQ(calls_.free, 1);
}

TEST_F(Grequest, CancelIsTheUsers) {
    MPI_Cancel(&request_);
    EXPECT_EQ(calls_.cancel, 1);
    EXPECT_EQ(calls_.cancelled_when_complete, 0);
    MPI_Grequest_complete(request_);
    MPI_Cancel(&request_);
    EXPECT_EQ(calls_.cancelled_when_complete, 1);
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

TEST_F(Grequest, ErrorOfTheQueryIsReturned) {
    calls_.query_result = MPI_ERR_OTHER;
    MPI_Grequest_complete(request_);
    EXPECT_EQ(MPI_Wait(&request_, MPI_STATUS_IGNORE), MPI_ERR_OTHER);
    EXPECT_EQ(calls_.free, 1);
}

TEST_F(Grequest, OthersCannotBeCompletedByTheUser) {
    MPI_Request receive = MPI_REQUEST_NULL;
    int in = 0;
    MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &receive);
    EXPECT_EQ(MPI_Grequest_complete(receive), MPI_ERR_REQUEST);
    MPI_Cancel(&receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Grequest_complete(request_);
    EXPECT_EQ(MPI_Grequest_complete(request_), MPI_ERR_REQUEST);
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

}  // namespace
