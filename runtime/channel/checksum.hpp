#pragma once
// Whether bytes that were READ while their owner may have been writing them belong together: the check that
// lets one READ fetch a message and its bell in no order, as in Pilaf (Mitchell, Geng, Li, "Using One-Sided
// RDMA Reads to Build a Fast, CPU-Efficient Key-Value Store", USENIX ATC 2013, section 3).
//
// Differs from Pilaf in: one multiplication per word in place of a CRC. It finds torn messages, whose words
// are old or new at random, but for one in 2^64; it is no defence against a peer who forges them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rb2::channel {

/// Of `bytes` bytes and a number that tells the message from older ones with the same bytes.
[[nodiscard]] inline std::uint64_t checksum(const std::byte* data, std::size_t bytes,
                                            std::uint64_t number) noexcept {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;  // 2^64 / golden ratio: its bits are well spread
    std::uint64_t sum = (number + 1) * odd;
    for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, data + at, std::min(bytes - at, sizeof word));
        sum = (sum ^ word) * odd;
        sum ^= sum >> 32;  // high bits back to the low ones, or a change there would be lost
    }
    return sum;
}

}  // namespace rb2::channel
