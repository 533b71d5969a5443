#pragma once
// Texts for users' buffers.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace rb2::mpi {

/// Copies with the final zero, cut to `capacity` characters with it; `length` is without it.
inline void copy_text(std::string_view text, char* out, std::size_t capacity, int* length) {
    const std::size_t characters = std::min(text.size(), capacity - 1);
    std::memcpy(out, text.data(), characters);
    out[characters] = '\0';
    *length = static_cast<int>(characters);
}

}  // namespace rb2::mpi
