#pragma once
// Sizes of a channel. Both sides are built with the same.

#include <cstddef>
#include <cstdint>

namespace rb2::channel {

struct Parameters {
    std::uint32_t slots = 16;            ///< buffers of the slot channels, 1 to kMaxSlots
    std::uint32_t message_bytes = 1024;  ///< longest message, 1 to kMaxMessageBytes
    std::uint32_t ring_bytes = 16384;    ///< of the ring channels, at least twice the longest record
    std::uint32_t credits_per_lap = 4;   ///< the receiver gives memory back in this many parts of the whole
};

inline constexpr std::uint32_t kMaxSlots = 64;  ///< one bit each in a credit word
inline constexpr std::uint32_t kMaxMessageBytes = (1U << 24) - 1;
inline constexpr std::size_t kWordBytes = sizeof(std::uint64_t);  ///< what lands whole

/// Returns `parameters`; throws StartupError that names the one out of range and what to try.
const Parameters& validate(const Parameters& parameters);

/// Up to the next word boundary.
[[nodiscard]] constexpr std::size_t word_aligned(std::size_t bytes) noexcept {
    return (bytes + kWordBytes - 1) / kWordBytes * kWordBytes;
}

}  // namespace rb2::channel
