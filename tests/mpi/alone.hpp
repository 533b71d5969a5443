#pragma once
// Starts the C interface in a world of one for the unit tests, with errors returned instead of fatal.

#include <gtest/gtest.h>

#include <string>

#include "mpi.h"

namespace rb2::test {

class Alone : public ::testing::Environment {
  public:
    void SetUp() override {
        ASSERT_EQ(MPI_Init(nullptr, nullptr), MPI_SUCCESS);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    }
    void TearDown() override { EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS); }
};
inline ::testing::Environment* const kAlone = ::testing::AddGlobalTestEnvironment(new Alone);

/// Text of an error code.
inline std::string text_of(int code) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    EXPECT_EQ(MPI_Error_string(code, text, &length), MPI_SUCCESS);
    return {text, static_cast<std::size_t>(length)};
}

}  // namespace rb2::test
