#pragma once
// Even grids.

#include <vector>

namespace rb2::mpi {

/// `count` (at least one) factors of n (at least one), descending, with the least possible difference between
/// the largest and the smallest; among those the one with the largest smallest factor.
[[nodiscard]] std::vector<int> even_factors(int n, int count);

}  // namespace rb2::mpi
