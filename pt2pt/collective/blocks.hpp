#pragma once
// Cutting a buffer into one block per rank.

#include <algorithm>
#include <vector>

#include "pt2pt/collective/algorithms.hpp"

namespace rb2::collective {

/// `count` (at least one) blocks of nearly the same size that cover `bytes` in order; the first ones are
/// longer, the last may be empty.
inline std::vector<Block> even_blocks(std::size_t bytes, int count) {
    std::vector<Block> blocks(static_cast<std::size_t>(count));
    const std::size_t step = (bytes + blocks.size() - 1) / blocks.size();
    std::size_t offset = 0;
    for (Block& block : blocks) {
        block = {offset, std::min(step, bytes - offset)};
        offset += block.bytes;
    }
    return blocks;
}

/// `count` blocks of `bytes` each, one behind the other; none when the count is zero.
inline std::vector<Block> equal_blocks(std::size_t bytes, int count) {
    std::vector<Block> blocks(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = {i * bytes, bytes};
    return blocks;
}

}  // namespace rb2::collective
