#pragma once
// Half-open ranges of addresses.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace rb2::memory::registration {

inline constexpr std::uintptr_t kPageBytes =
    4096;  ///< x86-64 and the usual arm64; larger pages are multiples

/// [begin, end) in bytes.
struct Range {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;

    [[nodiscard]] std::uintptr_t bytes() const noexcept { return end - begin; }
    [[nodiscard]] bool empty() const noexcept { return begin >= end; }
    [[nodiscard]] bool contains(Range other) const noexcept {
        return begin <= other.begin && other.end <= end;
    }
    [[nodiscard]] bool overlaps(Range other) const noexcept { return begin < other.end && other.begin < end; }
    friend bool operator==(Range, Range) = default;
};

[[nodiscard]] inline Range range_of(const void* start, std::size_t bytes) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(start);
    return {begin, begin + bytes};
}
[[nodiscard]] inline Range range_of(std::span<const std::byte> memory) noexcept {
    return range_of(memory.data(), memory.size());
}

/// The whole pages that `range` touches.
[[nodiscard]] constexpr Range pages_of(Range range) noexcept {
    return {range.begin & ~(kPageBytes - 1), (range.end + kPageBytes - 1) & ~(kPageBytes - 1)};
}

[[nodiscard]] inline std::span<const std::byte> memory_of(Range range) noexcept {
    // Was a pointer before it became part of a range
    return {reinterpret_cast<const std::byte*>(range.begin), range.bytes()};
}

}  // namespace rb2::memory::registration
