// MPI_Reduce_local with predefined operations and with a user's on elements that have gaps.
#include <gmock/gmock.h>

#include <array>

#include "tests/mpi/alone.hpp"

namespace {

using ::testing::ElementsAre;

TEST(ReduceLocal, CombinesElementByElement) {
    const std::array<int, 3> in = {1, 2, 3};
    std::array<int, 3> inout = {10, 20, 30};
    ASSERT_EQ(MPI_Reduce_local(in.data(), inout.data(), 3, MPI_INT, MPI_SUM), MPI_SUCCESS);
    EXPECT_THAT(inout, ElementsAre(11, 22, 33));
    ASSERT_EQ(MPI_Reduce_local_c(in.data(), inout.data(), 2, MPI_INT, MPI_MIN), MPI_SUCCESS);
    EXPECT_THAT(inout, ElementsAre(1, 2, 33));
}

/// Elements are two ints, of which the first counts.
void subtract_first(void* in, void* inout, int* length, MPI_Datatype*) {
    for (int i = 0; i < *length; ++i) static_cast<int*>(inout)[2 * i] -= static_cast<const int*>(in)[2 * i];
}

TEST(ReduceLocal, GivesTheUsersFunctionTheBuffersAsTheyAre) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &type);
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(subtract_first, 0, &op);
    const std::array<int, 4> in = {1, 7, 2, 7};
    std::array<int, 4> inout = {10, 9, 20, 9};
    EXPECT_EQ(MPI_Reduce_local(in.data(), inout.data(), 2, type, op), MPI_ERR_TYPE) << "not committed";
    MPI_Type_commit(&type);
    ASSERT_EQ(MPI_Reduce_local(in.data(), inout.data(), 2, type, op), MPI_SUCCESS);
    EXPECT_THAT(inout, ElementsAre(9, 9, 18, 9));
    EXPECT_EQ(MPI_Reduce_local(in.data(), inout.data(), 2, type, MPI_SUM), MPI_ERR_OP);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

TEST(ReduceLocal, RefusesWhatIsNoBuffer) {
    int value = 0;
    EXPECT_EQ(MPI_Reduce_local(nullptr, &value, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Reduce_local(&value, &value, -1, MPI_INT, MPI_SUM), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Reduce_local(&value, &value, 1, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
}

}  // namespace
