#pragma once
// Copies of any length between user buffers, ring slots and packed bytes.

#include <cstddef>
#include <cstring>

namespace rb2 {

/// The first and the last `Width` bytes, which overlap unless there are twice as many.
template <std::size_t Width>
[[gnu::always_inline]] inline void copy_ends(std::byte* to, const std::byte* from,
                                             std::size_t bytes) noexcept {
    std::byte head[Width];
    std::byte tail[Width];
    std::memcpy(head, from, Width);
    std::memcpy(tail, from + bytes - Width, Width);
    std::memcpy(to, head, Width);
    std::memcpy(to + bytes - Width, tail, Width);
}

/// Copies `bytes`; the ranges do not overlap. Up to one cache line without a call: two overlapping moves of
/// the largest fitting power of two cover every length.
[[gnu::always_inline]] inline void copy_payload(std::byte* to, const std::byte* from,
                                                std::size_t bytes) noexcept {
    if (bytes >= 8 && bytes <= 16) {
        copy_ends<8>(to, from, bytes);
    } else if (bytes > 64) {
        std::memcpy(to, from, bytes);
    } else if (bytes > 32) {
        copy_ends<32>(to, from, bytes);
    } else if (bytes > 16) {
        copy_ends<16>(to, from, bytes);
    } else if (bytes >= 4) {
        copy_ends<4>(to, from, bytes);
    } else if (bytes >= 2) {
        copy_ends<2>(to, from, bytes);
    } else if (bytes == 1) {
        *to = *from;
    }
}

}  // namespace rb2
