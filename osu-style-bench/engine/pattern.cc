#include "osu-style-bench/engine/pattern.hpp"

#include <algorithm>
#include <cstring>

namespace rb2::bench {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

/// An odd multiplier and a shift spread neighbouring positions over all bits, so a shifted, stale or
/// swapped piece of a message never looks right.
std::uint64_t word_at(std::uint64_t seed, std::size_t index) {
    std::uint64_t word = (seed + index) * 0x9E3779B97F4A7C15ULL;
    word ^= word >> 29;
    return word;
}

}  // namespace

std::uint64_t pattern_seed(int sender, std::uint64_t sequence) {
    return (static_cast<std::uint64_t>(sender) + 1) * 0xD1B54A32D192ED03ULL +
           sequence * 0x8CB92BA72F3D8DD7ULL;
}

void fill_pattern(std::span<std::byte> buffer, std::uint64_t seed) {
    for (std::size_t offset = 0; offset < buffer.size(); offset += kWord) {
        const std::uint64_t word = word_at(seed, offset / kWord);
        std::memcpy(buffer.data() + offset, &word, std::min(kWord, buffer.size() - offset));
    }
}

std::optional<Mismatch> find_mismatch(std::span<const std::byte> buffer, std::uint64_t seed) {
    for (std::size_t offset = 0; offset < buffer.size(); offset += kWord) {
        const std::uint64_t word = word_at(seed, offset / kWord);
        const std::size_t length = std::min(kWord, buffer.size() - offset);
        if (std::memcmp(buffer.data() + offset, &word, length) == 0) {
            continue;
        }
        const auto expected = std::as_bytes(std::span(&word, 1));
        const auto found = buffer.subspan(offset, length);
        const auto differ = std::mismatch(found.begin(), found.end(), expected.begin());
        return Mismatch{offset + static_cast<std::size_t>(differ.first - found.begin()), *differ.second,
                        *differ.first};
    }
    return std::nullopt;
}

}  // namespace rb2::bench
