#pragma once
// Texts for users' buffers.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace rb2::mpi {

/// Copies with the final zero, cut to `capacity` characters with it. Returns how many there are without it.
inline std::size_t copy_cut(std::string_view text, char* out, std::size_t capacity) {
    if (capacity == 0) return 0;
    const std::size_t characters = std::min(text.size(), capacity - 1);
    std::memcpy(out, text.data(), characters);
    out[characters] = '\0';
    return characters;
}

/// The same; `length` is without the zero.
inline void copy_text(std::string_view text, char* out, std::size_t capacity, int* length) {
    *length = static_cast<int>(copy_cut(text, out, capacity));
}

}  // namespace rb2::mpi
