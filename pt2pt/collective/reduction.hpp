#pragma once
// How a collective combines elements it knows only as bytes.

#include <cstddef>
#include <cstring>
#include <span>

namespace rb2::collective {

/// Element-wise operation on arrays of one type.
struct Reduction {
    /// inout[i] = in[i] op inout[i] for `count` elements. `in` holds the values of the lower ranks. Not
    /// aligned.
    void (*apply)(const std::byte* in, std::byte* inout, std::size_t count, const void* argument) = nullptr;
    std::size_t element_bytes = 0;
    bool commutative = true;
    const void* argument = nullptr;  ///< handed to `apply`; owned by the caller for the length of the call
};

/// inout = in op inout for all elements of buffers of the same size; `in` is the lower ranks'.
inline void combine(const Reduction& reduction, std::span<const std::byte> in, std::span<std::byte> inout) {
    reduction.apply(in.data(), inout.data(), inout.size() / reduction.element_bytes, reduction.argument);
}

struct Maximum {
    template <class T>
    T operator()(T a, T b) const {
        return b < a ? a : b;
    }
};
struct Minimum {
    template <class T>
    T operator()(T a, T b) const {
        return b < a ? b : a;
    }
};

/// The reduction with a stateless function object. Loads and stores by memcpy: user buffers may be unaligned.
template <class T, class Operation>
constexpr Reduction reduction(bool commutative = true) {
    const auto apply = [](const std::byte* in, std::byte* inout, std::size_t count, const void*) {
        for (std::size_t i = 0; i < count; ++i) {
            T left;
            T right;
            std::memcpy(&left, in + i * sizeof(T), sizeof(T));
            std::memcpy(&right, inout + i * sizeof(T), sizeof(T));
            const T result = static_cast<T>(Operation{}(left, right));
            std::memcpy(inout + i * sizeof(T), &result, sizeof(T));
        }
    };
    return {apply, sizeof(T), commutative, nullptr};
}

}  // namespace rb2::collective
