#pragma once
// The ring step shared by allgather and long broadcasts.

#include <span>

#include "pt2pt/collective/collective.hpp"
#include "pt2pt/collective/exchange.hpp"

namespace rb2::collective {

/// Each rank starts with its own block of `all`; after size - 1 steps, in each of which a rank passes to its
/// right what it got last from its left, all have all.
inline Status ring_allgather(Exchange& exchange, std::byte* all, std::span<const Block> blocks) {
    const int size = exchange.size();
    const auto block = [&](int rank) {
        const Block& at = blocks[static_cast<std::size_t>((rank + size) % size)];
        return MutableBytes(all + at.offset, at.bytes);
    };
    const int rank = exchange.rank();
    for (int step = 0; step < size - 1; ++step) {
        const Status status = exchange.send_receive(block(rank - step), (rank + 1) % size,
                                                    block(rank - step - 1), (rank + size - 1) % size);
        if (status != Status::ok) return status;
    }
    return Status::ok;
}

}  // namespace rb2::collective
