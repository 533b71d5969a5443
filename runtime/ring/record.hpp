#pragma once
// The record format in ring memory, which is a wire format: docs/wire.md draws it.
//
//   byte 0   mark: bell (bits 0-31) | length (bits 32-55) | kind (bits 56-63), one aligned 8-byte word
//   byte 8   word: opaque to the ring
//   byte 16  payload, `length` bytes, contiguous; up to 48 of them share the first cache line with the header
//
// All fields are in host byte order: both sides of a ring have the same (checked when ranks meet, not here).

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rb2::ring {

inline constexpr std::size_t kLineBytes = 64;  ///< unit of cache coherence, and the smallest slot

/// First 16 bytes of a record's first slot.
struct RecordHeader {
    std::uint64_t mark;  ///< Mark::pack(); on shm the store that publishes the record
    std::uint64_t word;  ///< the caller's
};

static_assert(std::is_standard_layout_v<RecordHeader> && std::is_trivial_v<RecordHeader>);
static_assert(offsetof(RecordHeader, mark) == 0 && offsetof(RecordHeader, word) == 8);
static_assert(sizeof(RecordHeader) == 16 && alignof(RecordHeader) == 8);

inline constexpr std::size_t kLinePayloadBytes = kLineBytes - sizeof(RecordHeader);  ///< 48
inline constexpr std::uint32_t kLengthLimit = (1U << 24) - 1;  ///< largest length the mark can hold, bytes
inline constexpr std::uint8_t kPadding = 0;  ///< kind of the record that fills the end of a lap

/// The bell of the record at `position`: no other record of the same slot carries it for 2^32 positions.
[[nodiscard]] constexpr std::uint32_t bell_at(std::uint64_t position) noexcept {
    return static_cast<std::uint32_t>(position + 1);
}

/// The unpacked first word of a record.
struct Mark {
    std::uint32_t bell;
    std::uint32_t length;  ///< payload bytes, at most kLengthLimit
    std::uint8_t kind;

    [[nodiscard]] static constexpr std::uint64_t pack(std::uint64_t position, std::uint32_t length,
                                                      std::uint8_t kind) noexcept {
        return bell_at(position) | std::uint64_t{length} << 32 | std::uint64_t{kind} << 56;
    }
    [[nodiscard]] static constexpr Mark unpack(std::uint64_t mark) noexcept {
        return {static_cast<std::uint32_t>(mark), static_cast<std::uint32_t>(mark >> 32) & kLengthLimit,
                static_cast<std::uint8_t>(mark >> 56)};
    }
};

/// A mark for `position` that says "nothing here yet": the complement of the bell is never the bell.
[[nodiscard]] constexpr std::uint64_t silent_mark(std::uint64_t position) noexcept {
    return static_cast<std::uint32_t>(~bell_at(position));
}

}  // namespace rb2::ring
