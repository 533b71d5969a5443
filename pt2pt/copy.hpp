#pragma once
// Copies between user buffers and ring slots.

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace rb2::pt2pt {

/// Copies `bytes`; the ranges do not overlap. Up to one cache line without a call: two overlapping moves of
/// the largest fitting power of two cover every length.
inline void copy_payload(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
    const auto ends = [&]<std::size_t Width>(std::integral_constant<std::size_t, Width>) {
        std::byte head[Width];
        std::byte tail[Width];
        std::memcpy(head, from, Width);
        std::memcpy(tail, from + bytes - Width, Width);
        std::memcpy(to, head, Width);
        std::memcpy(to + bytes - Width, tail, Width);
    };
    if (bytes > 64) [[unlikely]] {
        std::memcpy(to, from, bytes);
    } else if (bytes >= 32) {
        ends(std::integral_constant<std::size_t, 32>{});
    } else if (bytes >= 16) {
        ends(std::integral_constant<std::size_t, 16>{});
    } else if (bytes >= 8) {
        ends(std::integral_constant<std::size_t, 8>{});
    } else if (bytes >= 4) {
        ends(std::integral_constant<std::size_t, 4>{});
    } else if (bytes >= 2) {
        ends(std::integral_constant<std::size_t, 2>{});
    } else if (bytes == 1) {
        *to = *from;
    }
}

}  // namespace rb2::pt2pt
