#pragma once
// Function objects as reductions: rb2::Maximum, std::plus<>, a lambda …

#include <cstddef>
#include <cstring>
#include <functional>
#include <type_traits>

#include "rb2/buffers.hpp"

namespace rb2 {

struct Maximum {
    template <class T>
    constexpr T operator()(const T& a, const T& b) const {
        return b < a ? a : b;
    }
};
struct Minimum {
    template <class T>
    constexpr T operator()(const T& a, const T& b) const {
        return b < a ? b : a;
    }
};

/// True for operations whose operands may be swapped, which saves a copy. Specialize it for your own.
template <class Operation>
inline constexpr bool kCommutative = false;
template <>
inline constexpr bool kCommutative<Maximum> = true;
template <>
inline constexpr bool kCommutative<Minimum> = true;
template <class T>
inline constexpr bool kCommutative<std::plus<T>> = true;
template <class T>
inline constexpr bool kCommutative<std::multiplies<T>> = true;

namespace detail {

/// An operation on arrays of one element type, without the type.
struct Combine {
    void (*apply)(const std::byte* in, std::byte* inout, std::size_t count, const void* argument) = nullptr;
    std::size_t element_bytes = 0;
    bool commutative = false;
    const void* argument = nullptr;  // the function object, which outlives the call
};

template <Transferable T, class Operation>
Combine combine(const Operation& operation) {
    const auto apply = [](const std::byte* in, std::byte* inout, std::size_t count, const void* argument) {
        const Operation& call = *static_cast<const Operation*>(argument);
        for (std::size_t i = 0; i < count; ++i) {
            T left;
            T right;
            std::memcpy(&left, in + i * sizeof(T), sizeof(T));
            std::memcpy(&right, inout + i * sizeof(T), sizeof(T));
            const T result = call(left, right);
            std::memcpy(inout + i * sizeof(T), &result, sizeof(T));
        }
    };
    return {apply, sizeof(T), kCommutative<Operation>, &operation};
}

}  // namespace detail
}  // namespace rb2
