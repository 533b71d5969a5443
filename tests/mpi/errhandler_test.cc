// Error handlers that users make, and error classes and codes that they add.
#include <gmock/gmock.h>

#include <vector>

#include "tests/mpi/alone.hpp"

namespace {

using rb2::test::text_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Seen {
    MPI_Comm comm;
    int code;
    bool operator==(const Seen&) const = default;
};
std::vector<Seen> seen;

void note(MPI_Comm* comm, int* code, ...) { seen.push_back({*comm, *code}); }

class UserErrors : public ::testing::Test {
  protected:
    void SetUp() override {
        seen.clear();
        ASSERT_EQ(MPI_Comm_create_errhandler(note, &handler_), MPI_SUCCESS);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, handler_);
    }
    void TearDown() override {
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        if (handler_ != MPI_ERRHANDLER_NULL) MPI_Errhandler_free(&handler_);
    }
    MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

TEST_F(UserErrors, HandlerIsToldCommunicatorAndCode) {
    EXPECT_EQ(MPI_Send(nullptr, 1, MPI_INT, 5, 0, MPI_COMM_SELF), MPI_ERR_RANK);
    EXPECT_THAT(seen, ElementsAre(Seen{MPI_COMM_SELF, MPI_ERR_RANK}));
}

TEST_F(UserErrors, ErrorsOfNoCommunicatorGoToThatOfSelf) {
    MPI_Comm none = MPI_COMM_NULL;
    EXPECT_EQ(MPI_Comm_free(&none), MPI_ERR_COMM);
    EXPECT_THAT(seen, ElementsAre(Seen{MPI_COMM_SELF, MPI_ERR_COMM}));
}

TEST_F(UserErrors, DuplicateInheritsHandlerAlsoOnceItIsFreed) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    MPI_Errhandler_free(&handler_);
    EXPECT_EQ(handler_, MPI_ERRHANDLER_NULL);
    EXPECT_EQ(MPI_Comm_call_errhandler(copy, MPI_ERR_OTHER), MPI_SUCCESS);
    EXPECT_THAT(seen, ElementsAre(Seen{copy, MPI_ERR_OTHER}));
    MPI_Comm_free(&copy);
}

TEST_F(UserErrors, HandlerThatWasGotIsToBeFreed) {
    MPI_Errhandler got = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &got);
    EXPECT_EQ(got, handler_);
    EXPECT_EQ(MPI_Errhandler_free(&got), MPI_SUCCESS);
    MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER);
    EXPECT_EQ(seen.size(), 1u);
}

TEST_F(UserErrors, AddedCodesHaveClassAndText) {
    int error_class = 0;
    int code = 0;
    ASSERT_EQ(MPI_Add_error_class(&error_class), MPI_SUCCESS);
    ASSERT_EQ(MPI_Add_error_code(error_class, &code), MPI_SUCCESS);
    EXPECT_GT(error_class, static_cast<int>(MPI_ERR_LASTCODE));
    EXPECT_GT(code, error_class);
    EXPECT_THAT(text_of(code), IsEmpty());
    MPI_Add_error_string(code, "the sieve is empty");
    EXPECT_EQ(text_of(code), "the sieve is empty");
    int found = 0;
    MPI_Error_class(code, &found);
    EXPECT_EQ(found, error_class);
    MPI_Error_class(error_class, &found);
    EXPECT_EQ(found, error_class);

    int* last = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
    ASSERT_EQ(flag, 1);
    EXPECT_EQ(*last, code);

    MPI_Comm_call_errhandler(MPI_COMM_SELF, code);
    EXPECT_THAT(seen, ElementsAre(Seen{MPI_COMM_SELF, code}));
}

TEST_F(UserErrors, CodeOfAPredefinedClass) {
    int code = 0;
    int found = 0;
    ASSERT_EQ(MPI_Add_error_code(MPI_ERR_ARG, &code), MPI_SUCCESS);
    MPI_Error_class(code, &found);
    EXPECT_EQ(found, MPI_ERR_ARG);
}

TEST_F(UserErrors, RemovedCodesAreUnknown) {
    int error_class = 0;
    int code = 0;
    MPI_Add_error_class(&error_class);
    MPI_Add_error_code(error_class, &code);
    EXPECT_EQ(MPI_Remove_error_code(code), MPI_SUCCESS);
    EXPECT_EQ(MPI_Remove_error_class(error_class), MPI_SUCCESS);
    EXPECT_EQ(MPI_Add_error_string(code, "too late"), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Remove_error_code(code), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Add_error_code(error_class, &code), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Add_error_string(MPI_ERR_ARG, "not ours"), MPI_ERR_ARG);
}

TEST_F(UserErrors, WhatIsNoHandlerIsRefused) {
    EXPECT_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
    EXPECT_THAT(text_of(MPI_ERR_ERRHANDLER), HasSubstr("is no error handler"));
    MPI_Errhandler none = MPI_ERRHANDLER_NULL;
    EXPECT_EQ(MPI_Errhandler_free(&none), MPI_ERR_ERRHANDLER);
    EXPECT_EQ(MPI_Comm_create_errhandler(nullptr, &none), MPI_ERR_ARG);
}

}  // namespace
