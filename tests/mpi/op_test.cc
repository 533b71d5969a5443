// Reduction operations against plain loops, on the types they are defined for.
#include "mpi/op.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <limits>
#include <vector>

#include "mpi/datatype.hpp"

namespace {

using rb2::mpi::reduction_for;
using rb2::mpi::ValueIndex;

/// in op inout, element by element.
template <class T>
std::vector<T> apply(MPI_Op op, MPI_Datatype datatype, const std::vector<T>& in, std::vector<T> inout) {
    const auto reduction = reduction_for(op, datatype);
    EXPECT_NE(reduction.apply, nullptr);
    EXPECT_EQ(reduction.element_bytes, sizeof(T));
    EXPECT_EQ(rb2::mpi::extent_of(datatype), sizeof(T));
    reduction.apply(reinterpret_cast<const std::byte*>(in.data()), reinterpret_cast<std::byte*>(inout.data()),
                    in.size(), reduction.argument);
    return inout;
}

TEST(Op, Integers) {
    const std::vector<int> a{1, -5, 0, 12};
    const std::vector<int> b{3, 2, 0, 10};
    EXPECT_EQ(apply(MPI_SUM, MPI_INT, a, b), (std::vector<int>{4, -3, 0, 22}));
    EXPECT_EQ(apply(MPI_PROD, MPI_INT, a, b), (std::vector<int>{3, -10, 0, 120}));
    EXPECT_EQ(apply(MPI_MIN, MPI_INT, a, b), (std::vector<int>{1, -5, 0, 10}));
    EXPECT_EQ(apply(MPI_MAX, MPI_INT, a, b), (std::vector<int>{3, 2, 0, 12}));
    EXPECT_EQ(apply(MPI_BAND, MPI_INT, a, b), (std::vector<int>{1, 2, 0, 8}));
    EXPECT_EQ(apply(MPI_BOR, MPI_INT, a, b), (std::vector<int>{3, -5, 0, 14}));
    EXPECT_EQ(apply(MPI_BXOR, MPI_INT, a, b), (std::vector<int>{2, -7, 0, 6}));
    EXPECT_EQ(apply(MPI_LAND, MPI_INT, a, b), (std::vector<int>{1, 1, 0, 1}));
    EXPECT_EQ(apply(MPI_LOR, MPI_INT, a, b), (std::vector<int>{1, 1, 0, 1}));
    EXPECT_EQ(apply(MPI_LXOR, MPI_INT, a, b), (std::vector<int>{0, 0, 0, 0}));
}

TEST(Op, IntegersWrapAround) {
    constexpr int largest = std::numeric_limits<int>::max();
    EXPECT_EQ(apply<int>(MPI_SUM, MPI_INT, {largest}, {1}),
              std::vector<int>{std::numeric_limits<int>::min()});
    EXPECT_EQ(apply<std::uint16_t>(MPI_PROD, MPI_UINT16_T, {0xffff}, {0xffff}),
              std::vector<std::uint16_t>{1});
    EXPECT_EQ(apply<std::uint8_t>(MPI_SUM, MPI_UINT8_T, {200}, {100}), std::vector<std::uint8_t>{44});
}

TEST(Op, FloatingAndComplex) {
    EXPECT_EQ(apply<double>(MPI_SUM, MPI_DOUBLE, {1.5}, {2.25}), std::vector<double>{3.75});
    EXPECT_EQ(apply<float>(MPI_MAX, MPI_FLOAT, {1.5F}, {-2.0F}), std::vector<float>{1.5F});
    EXPECT_EQ(apply<long double>(MPI_PROD, MPI_LONG_DOUBLE, {3.0L}, {2.0L}), std::vector<long double>{6.0L});
    using Complex = std::complex<double>;
    EXPECT_EQ(apply<Complex>(MPI_PROD, MPI_C_DOUBLE_COMPLEX, {{0, 1}}, {{0, 1}}),
              std::vector<Complex>{Complex(-1, 0)});
}

TEST(Op, Locations) {
    using Pair = ValueIndex<double>;
    const auto lowest = apply<Pair>(MPI_MINLOC, MPI_DOUBLE_INT, {{2.0, 7}, {1.0, 3}}, {{2.0, 4}, {5.0, 0}});
    EXPECT_EQ(lowest[0].index, 4);
    EXPECT_EQ(lowest[1].index, 3);
    const auto highest = apply<Pair>(MPI_MAXLOC, MPI_DOUBLE_INT, {{2.0, 7}, {1.0, 3}}, {{2.0, 4}, {5.0, 0}});
    EXPECT_EQ(highest[0].index, 4);
    EXPECT_EQ(highest[1].value, 5.0);
}

TEST(Op, NotDefined) {
    EXPECT_EQ(reduction_for(MPI_BAND, MPI_DOUBLE).apply, nullptr);
    EXPECT_EQ(reduction_for(MPI_MAX, MPI_C_DOUBLE_COMPLEX).apply, nullptr);
    EXPECT_EQ(reduction_for(MPI_SUM, MPI_BYTE).apply, nullptr);
    EXPECT_EQ(reduction_for(MPI_SUM, MPI_2INT).apply, nullptr);
    EXPECT_EQ(reduction_for(MPI_MINLOC, MPI_INT).apply, nullptr);
    EXPECT_EQ(reduction_for(MPI_REPLACE, MPI_INT).apply, nullptr);
    EXPECT_EQ(reduction_for(MPI_SUM, MPI_DATATYPE_NULL).apply, nullptr);
}

}  // namespace
