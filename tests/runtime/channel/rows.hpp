#pragma once
// The channels that the tests run over, one list for the writing side's families and one for the reading
// side's.

#include <tuple>

#include <gtest/gtest.h>

#include "tests/runtime/channel/rows_write.hpp"

namespace rb2::channel::test {

template <class... Tuples>
using Joined = decltype(std::tuple_cat(std::declval<Tuples>()...));

/// As GoogleTest wants it, of cases Case<C, Wire> that a wire can carry.
template <class Tuple>
struct AsTypes;
template <class... T>
struct AsTypes<std::tuple<T...>> {
    using type = testing::Types<T...>;
};

using AllRows = Joined<WriteRows>;

}  // namespace rb2::channel::test
