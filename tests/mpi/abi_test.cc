// The values and layouts of the MPI 5.0 standard ABI, which binaries built against other libraries rely on.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "mpi.h"
#include "mpi/datatype.hpp"
#include "tests/mpi/alone.hpp"

namespace {

template <class Handle>
std::uintptr_t value_of(Handle handle) {
    return reinterpret_cast<std::uintptr_t>(handle);
}

static_assert(sizeof(MPI_Status) == 32 && alignof(MPI_Status) == 4);
static_assert(offsetof(MPI_Status, MPI_SOURCE) == 0 && offsetof(MPI_Status, MPI_TAG) == 4);
static_assert(offsetof(MPI_Status, MPI_ERROR) == 8 && offsetof(MPI_Status, MPI_internal) == 12);
static_assert(sizeof(MPI_Comm) == 8 && sizeof(MPI_Aint) == 8 && sizeof(MPI_Offset) == 8 &&
              sizeof(MPI_Count) == 8);
static_assert(MPI_VERSION == 5 && MPI_SUBVERSION == 0 && MPI_ABI_VERSION == 1 && MPI_ABI_SUBVERSION == 0);
static_assert(MPI_ANY_SOURCE == -1 && MPI_ANY_TAG == -2 && MPI_PROC_NULL == -3 && MPI_ROOT == -4);
static_assert(MPI_UNDEFINED == -32766 && MPI_KEYVAL_INVALID == 0 && MPI_TAG_UB == 501 &&
              MPI_UNIVERSE_SIZE == 507);
static_assert(MPI_THREAD_SINGLE == 0 && MPI_THREAD_FUNNELED == 1024 && MPI_THREAD_SERIALIZED == 2048 &&
              MPI_THREAD_MULTIPLE == 4096);
static_assert(MPI_SUCCESS == 0 && MPI_ERR_BUFFER == 1 && MPI_ERR_COUNT == 2 && MPI_ERR_TYPE == 3 &&
              MPI_ERR_TAG == 4 && MPI_ERR_COMM == 5 && MPI_ERR_RANK == 6 && MPI_ERR_REQUEST == 7 &&
              MPI_ERR_ROOT == 8 && MPI_ERR_GROUP == 9 && MPI_ERR_OP == 10 && MPI_ERR_ARG == 13 &&
              MPI_ERR_TRUNCATE == 15 && MPI_ERR_OTHER == 16 && MPI_ERR_INTERN == 17 &&
              MPI_ERR_PENDING == 18 && MPI_ERR_IN_STATUS == 19 && MPI_ERR_NO_MEM == 39 &&
              MPI_ERR_RMA_ATTACH == 46 && MPI_ERR_RMA_FLAVOR == 57 && MPI_ERR_PROC_ABORTED == 58 &&
              MPI_ERR_ERRHANDLER == 61 && MPI_ERR_ABI == 62 && MPI_ERR_LASTCODE == 16383 &&
              MPI_T_ERR_CANNOT_INIT == 1001 && MPI_T_ERR_PVAR_NO_ATOMIC == 1018);
static_assert(MPI_MAX_ERROR_STRING == 512 && MPI_MAX_PROCESSOR_NAME == 256 && MPI_MAX_OBJECT_NAME == 128 &&
              MPI_MAX_LIBRARY_VERSION_STRING == 8192 && MPI_BSEND_OVERHEAD == 512);
static_assert(MPI_COMBINER_NAMED == 101 && MPI_COMBINER_VALUE_INDEX == 117 && MPI_IDENT == 201 &&
              MPI_CART == 211 && MPI_COMM_TYPE_RESOURCE_GUIDED == 224 && MPI_LOCK_SHARED == 302 &&
              MPI_WIN_FLAVOR_SHARED == 314 && MPI_WIN_SEPARATE == 322 && MPI_SEEK_SET == 403 &&
              MPI_WIN_MODEL == 605 && MPI_MODE_NOSUCCEED == 16384);

TEST(Abi, PredefinedHandles) {
    EXPECT_EQ(value_of(MPI_COMM_NULL), 0x100u);
    EXPECT_EQ(value_of(MPI_COMM_WORLD), 0x101u);
    EXPECT_EQ(value_of(MPI_COMM_SELF), 0x102u);
    EXPECT_EQ(value_of(MPI_GROUP_EMPTY), 0x109u);
    EXPECT_EQ(value_of(MPI_MESSAGE_NULL), 0x128u);
    EXPECT_EQ(value_of(MPI_MESSAGE_NO_PROC), 0x129u);
    EXPECT_EQ(value_of(MPI_INFO_NULL), 0x130u);
    EXPECT_EQ(value_of(MPI_ERRORS_ARE_FATAL), 0x141u);
    EXPECT_EQ(value_of(MPI_ERRORS_ABORT), 0x142u);
    EXPECT_EQ(value_of(MPI_ERRORS_RETURN), 0x143u);
    EXPECT_EQ(value_of(MPI_REQUEST_NULL), 0x180u);
    EXPECT_EQ(value_of(MPI_SUM), 0x21u);
    EXPECT_EQ(value_of(MPI_MAXLOC), 0x39u);
    EXPECT_EQ(value_of(MPI_NO_OP), 0x3du);
    EXPECT_EQ(value_of(MPI_DATATYPE_NULL), 0x200u);
    EXPECT_EQ(value_of(MPI_INT), 0x209u);
    EXPECT_EQ(value_of(MPI_DOUBLE), 0x214u);
    EXPECT_EQ(value_of(MPI_BYTE), 0x247u);
    EXPECT_EQ(value_of(MPI_COMPLEX32), 0x2ebu);
}

TEST(Abi, PointerConstants) {
    EXPECT_EQ(MPI_BOTTOM, nullptr);
    EXPECT_EQ(value_of(MPI_IN_PLACE), 1u);
    EXPECT_EQ(value_of(MPI_BUFFER_AUTOMATIC), 2u);
    EXPECT_EQ(MPI_STATUS_IGNORE, nullptr);
    EXPECT_EQ(MPI_STATUSES_IGNORE, nullptr);
    EXPECT_EQ(value_of(MPI_UNWEIGHTED), 10u);
    EXPECT_EQ(value_of(MPI_WEIGHTS_EMPTY), 11u);
    EXPECT_EQ(value_of(MPI_COMM_DUP_FN), 1u);
}

TEST(Abi, SizesOfPredefinedDatatypes) {
    const std::pair<MPI_Datatype, MPI_Count> expected[] = {
        {MPI_CHAR, 1},        {MPI_BYTE, 1},
        {MPI_PACKED, 1},      {MPI_SHORT, 2},
        {MPI_INT, 4},         {MPI_LONG, 8},
        {MPI_LONG_LONG, 8},   {MPI_FLOAT, 4},
        {MPI_DOUBLE, 8},      {MPI_LONG_DOUBLE, 16},
        {MPI_C_BOOL, 1},      {MPI_WCHAR, 4},
        {MPI_INT8_T, 1},      {MPI_UINT16_T, 2},
        {MPI_INT32_T, 4},     {MPI_UINT64_T, 8},
        {MPI_AINT, 8},        {MPI_COUNT, 8},
        {MPI_OFFSET, 8},      {MPI_C_DOUBLE_COMPLEX, 16},
        {MPI_2INT, 8},        {MPI_FLOAT_INT, 8},
        {MPI_DOUBLE_INT, 12}, {MPI_SHORT_INT, 6},
        {MPI_LONG_INT, 12},   {MPI_LONG_DOUBLE_INT, 20},
        {MPI_COMPLEX32, 32},  {MPI_C_LONG_DOUBLE_COMPLEX, 32},
        {MPI_INTEGER, 4},     {MPI_DOUBLE_PRECISION, 8},
        {MPI_LOGICAL16, 16},  {MPI_UNSIGNED_CHAR, 1}};
    for (const auto& [datatype, size] : expected) {
        MPI_Count found = -1;
        EXPECT_EQ(MPI_Type_size_c(datatype, &found), MPI_SUCCESS);
        EXPECT_EQ(found, size) << std::hex << value_of(datatype);
    }
}

TEST(Abi, OnlyTheSeventyOneDatatypesExist) {
    int datatypes = 0;
    for (std::uintptr_t value = 0; value < 0x1000; ++value)
        datatypes +=
            rb2::mpi::extent_of(reinterpret_cast<MPI_Datatype>(value)) != rb2::mpi::kNoDatatype ? 1 : 0;
    EXPECT_EQ(datatypes, 70);  // the 71st value of the ABI is MPI_DATATYPE_NULL
}

}  // namespace
