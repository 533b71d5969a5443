#pragma once
// Messages whose content can be told from their number, so that a torn, lost or repeated one is seen.

#include <cstddef>
#include <cstdint>
#include <span>

namespace rb2::test {

/// Mixes a number into 64 well-spread bits (finaliser of MurmurHash3).
constexpr std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdU;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53U;
    return x ^ x >> 33;
}

/// Byte `at` of message `number`.
constexpr std::byte byte_of(std::uint64_t number, std::size_t at) {
    return static_cast<std::byte>(mixed(number) >> at % 8 * 8) ^ static_cast<std::byte>(at);
}

inline void fill(std::uint64_t number, std::span<std::byte> payload) {
    for (std::size_t at = 0; at < payload.size(); ++at) payload[at] = byte_of(number, at);
}

[[nodiscard]] inline bool intact(std::uint64_t number, std::span<const std::byte> payload) {
    for (std::size_t at = 0; at < payload.size(); ++at) {
        if (payload[at] != byte_of(number, at)) return false;
    }
    return true;
}

}  // namespace rb2::test
