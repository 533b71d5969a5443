// MPI_Dims_create: even grids.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/mpi/alone.hpp"

namespace {

using Dims = std::vector<int>;

Dims dims_of(int nodes, Dims dims) {
    EXPECT_EQ(MPI_Dims_create(nodes, static_cast<int>(dims.size()), dims.data()), MPI_SUCCESS);
    return dims;
}

TEST(Dims, AsEvenAsCanBe) {
    EXPECT_EQ(dims_of(6, {0, 0}), (Dims{3, 2}));
    EXPECT_EQ(dims_of(7, {0, 0}), (Dims{7, 1}));
    EXPECT_EQ(dims_of(12, {0, 0, 0}), (Dims{3, 2, 2}));
    EXPECT_EQ(dims_of(16, {0, 0, 0}), (Dims{4, 2, 2}));
    EXPECT_EQ(dims_of(36, {0, 0}), (Dims{6, 6}));
    EXPECT_EQ(dims_of(1'000'000, {0, 0, 0}), (Dims{100, 100, 100}));
    EXPECT_EQ(dims_of(2'147'483'647, {0, 0, 0}), (Dims{2'147'483'647, 1, 1}));
    EXPECT_EQ(dims_of(1, {0, 0, 0, 0}), (Dims{1, 1, 1, 1}));
}

TEST(Dims, NoOtherGridIsMoreEven) {
    for (int nodes = 1; nodes <= 360; ++nodes) {
        const Dims found = dims_of(nodes, {0, 0, 0});
        ASSERT_EQ(std::accumulate(found.begin(), found.end(), 1, std::multiplies<>()), nodes);
        ASSERT_TRUE(std::is_sorted(found.rbegin(), found.rend()));
        std::pair<int, int> best(nodes, 0);  // difference, and the smallest factor turned round
        for (int a = 1; a <= nodes; ++a)
            for (int b = 1; nodes % a == 0 && b <= a && a * b <= nodes; ++b)
                if (const int c = nodes / a / b; nodes / a % b == 0 && c <= b)
                    best = std::min(best, std::pair(a - c, -c));
        ASSERT_EQ(std::pair(found.front() - found.back(), -found.back()), best) << nodes;
    }
}

TEST(Dims, GivenOnesStay) {
    EXPECT_EQ(dims_of(24, {0, 2, 0}), (Dims{4, 2, 3}));
    EXPECT_EQ(dims_of(24, {4, 6}), (Dims{4, 6}));
}

TEST(Dims, Errors) {
    Dims dims = {0, 5};
    EXPECT_EQ(MPI_Dims_create(24, 2, dims.data()), MPI_ERR_DIMS);
    dims = {0, -1};
    EXPECT_EQ(MPI_Dims_create(24, 2, dims.data()), MPI_ERR_DIMS);
    dims = {2, 3};
    EXPECT_EQ(MPI_Dims_create(24, 2, dims.data()), MPI_ERR_DIMS);
    EXPECT_EQ(MPI_Dims_create(0, 2, dims.data()), MPI_ERR_DIMS);
    EXPECT_EQ(MPI_Dims_create(7, 0, nullptr), MPI_SUCCESS);
}

}  // namespace
