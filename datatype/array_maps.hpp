#pragma once
// Parts of multidimensional arrays: subarrays and what one rank holds of a distributed array (MPI 5.0,
// sections 5.1.3 and 5.1.4). Both span the whole array: the lower bound is its first element, the extent its
// size.

#include <cstdint>
#include <span>

#include "datatype/type_map.hpp"

namespace rb2::datatype {

/// Which dimension's elements lie next to each other: the last (C) or the first (Fortran).
enum class Order : std::uint8_t { c, fortran };

/// One dimension of a subarray: `length` of `whole` elements from `start` on. Must fit.
struct Section {
    std::int64_t whole = 0;
    std::int64_t length = 0;
    std::int64_t start = 0;
};
[[nodiscard]] TypeMapPtr subarray(std::span<const Section> dimensions, Order order,
                                  const TypeMapPtr& element);

/// One dimension of a distributed array: `whole` elements dealt out to `ranks` ranks in runs of `run`
/// elements, of which this rank is number `rank`. A block distribution is one whose runs go round once.
struct Distribution {
    std::int64_t whole = 0;
    std::int64_t run = 0;  ///< at least 1
    std::int64_t ranks = 1;
    std::int64_t rank = 0;
};
[[nodiscard]] TypeMapPtr distributed_array(std::span<const Distribution> dimensions, Order order,
                                           const TypeMapPtr& element);

}  // namespace rb2::datatype
