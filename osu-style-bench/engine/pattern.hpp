#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace rb2::bench {

/// First byte that differs from what the sender wrote.
struct Mismatch {
    std::size_t offset;
    std::byte expected;
    std::byte found;
};

/// Seed of one message, different for every sender and sequence number.
std::uint64_t pattern_seed(int sender, std::uint64_t sequence);

/// Fills the buffer with bytes that depend on the seed and on their position.
void fill_pattern(std::span<std::byte> buffer, std::uint64_t seed);

/// Compares the buffer with what fill_pattern(buffer, seed) writes.
std::optional<Mismatch> find_mismatch(std::span<const std::byte> buffer, std::uint64_t seed);

}  // namespace rb2::bench
