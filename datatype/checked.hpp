#pragma once
// Arithmetic on sizes and displacements that throws std::overflow_error instead of wrapping.

#include <stdexcept>

namespace rb2::datatype {

template <class Result, class Left, class Right>
Result checked_add(Left left, Right right) {
    Result sum{};
    if (__builtin_add_overflow(left, right, &sum))
        throw std::overflow_error("the datatype reaches further than an address can");
    return sum;
}

template <class Result, class Left, class Right>
Result checked_subtract(Left left, Right right) {
    Result difference{};
    if (__builtin_sub_overflow(left, right, &difference))
        throw std::overflow_error("the datatype reaches further than an address can");
    return difference;
}

template <class Result, class Left, class Right>
Result checked_multiply(Left left, Right right) {
    Result product{};
    if (__builtin_mul_overflow(left, right, &product))
        throw std::overflow_error("the datatype reaches further than an address can");
    return product;
}

}  // namespace rb2::datatype
