// Handles as ints and back.
#include <gtest/gtest.h>

#include "tests/mpi/alone.hpp"

namespace {

TEST(HandleInt, PredefinedHandlesAreTheirNumbers) {
    EXPECT_EQ(MPI_Comm_toint(MPI_COMM_WORLD), 0x101);
    EXPECT_EQ(MPI_Comm_fromint(0x101), MPI_COMM_WORLD);
    EXPECT_EQ(MPI_Type_toint(MPI_INT), 0x209);
    EXPECT_EQ(MPI_Type_fromint(0x209), MPI_INT);
    EXPECT_EQ(MPI_Op_fromint(MPI_Op_toint(MPI_SUM)), MPI_SUM);
    EXPECT_EQ(MPI_Request_fromint(MPI_Request_toint(MPI_REQUEST_NULL)), MPI_REQUEST_NULL);
    EXPECT_EQ(MPI_File_fromint(MPI_File_toint(MPI_FILE_NULL)), MPI_FILE_NULL);
    EXPECT_EQ(MPI_Win_fromint(MPI_Win_toint(MPI_WIN_NULL)), MPI_WIN_NULL);
    EXPECT_EQ(MPI_Session_fromint(MPI_Session_toint(MPI_SESSION_NULL)), MPI_SESSION_NULL);
    EXPECT_EQ(MPI_Info_fromint(MPI_Info_toint(MPI_INFO_ENV)), MPI_INFO_ENV);
    EXPECT_EQ(MPI_Message_fromint(MPI_Message_toint(MPI_MESSAGE_NO_PROC)), MPI_MESSAGE_NO_PROC);
    EXPECT_EQ(MPI_Errhandler_fromint(MPI_Errhandler_toint(MPI_ERRORS_RETURN)), MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Group_fromint(MPI_Group_toint(MPI_GROUP_EMPTY)), MPI_GROUP_EMPTY);
}

TEST(HandleInt, ObjectsKeepTheirNumber) {
    MPI_Comm first = MPI_COMM_NULL;
    MPI_Comm second = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &first);
    MPI_Comm_dup(MPI_COMM_SELF, &second);
    const int number = MPI_Comm_toint(first);
    EXPECT_GE(number, 0x1000);
    EXPECT_NE(MPI_Comm_toint(second), number);
    EXPECT_EQ(MPI_Comm_toint(first), number);
    EXPECT_EQ(MPI_Comm_fromint(number), first);
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
}

TEST(HandleInt, NumbersOfNobodyAreNoHandle) {
    EXPECT_EQ(MPI_Comm_fromint(-1), nullptr);
    EXPECT_EQ(MPI_Comm_fromint(0x7ffffff0), nullptr);
}

}  // namespace
