#pragma once
// Plain values in and out of what ranks publish.

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "runtime/status.hpp"

namespace rb2::network {

template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::size_t before = bytes.size();
    bytes.resize(before + sizeof value);
    std::memcpy(bytes.data() + before, &value, sizeof value);
}

/// Takes a T off the front of `bytes`. Throws StartupError when there is none.
template <class T>
[[nodiscard]] T take(std::span<const std::byte>& bytes) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (bytes.size() < sizeof(T))
        throw StartupError("a rank's network card ends in the middle: do all ranks run the same rb2?");
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes = bytes.subspan(sizeof value);
    return value;
}

}  // namespace rb2::network
