#pragma once
// The ring step shared by allgather and long broadcasts.

#include <span>

#include "pt2pt/collective/algorithms.hpp"

namespace rb2::collective {

/// Each rank starts with its own block of `all`; after size - 1 steps, in each of which a rank passes to its
/// right what it got last from its left, all have all.
template <Steps S>
void ring_allgather(S& steps, std::byte* all, std::span<const Block> blocks) {
    const int size = steps.size();
    const int rank = steps.rank();
    const auto block = [&](int of) {
        const Block& at = blocks[static_cast<std::size_t>((of + size) % size)];
        return MutableBytes(all + at.offset, at.bytes);
    };
    for (int step = 0; step < size - 1; ++step) {
        steps.receive(block(rank - step - 1), (rank + size - 1) % size);
        steps.send(block(rank - step), (rank + 1) % size);
        steps.wait();
    }
}

}  // namespace rb2::collective
