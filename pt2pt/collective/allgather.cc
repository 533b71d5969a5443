// Allgather: Bruck's algorithm for short blocks, a ring for long ones.
//
// J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, "Efficient Algorithms for All-to-All Communications
// in Multiport Message-Passing Systems", IEEE Transactions on Parallel and Distributed Systems 8(11), 1997,
// section on concatenation: ceil(log2 n) messages for any n, but a second copy of the data. The choice by
// size is that of Thakur, Rabenseifner, Gropp 2005, section 4.1 (see broadcast.cc).

#include <algorithm>
#include <cstring>
#include <vector>

#include "pt2pt/collective/blocks.hpp"
#include "pt2pt/collective/collective.hpp"
#include "pt2pt/collective/exchange.hpp"
#include "pt2pt/collective/ring.hpp"

namespace rb2::collective {
namespace {

constexpr std::size_t kLongTotal = 32U << 10;  ///< bytes of all blocks from which the ring is used

/// `rotated` holds the blocks of ranks r, r + 1, … at rank r; step k doubles how many are there.
Status bruck(Exchange& exchange, MutableBytes all, std::size_t block) {
    const auto size = static_cast<std::size_t>(exchange.size());
    const auto rank = static_cast<std::size_t>(exchange.rank());
    std::vector<std::byte> rotated(all.size());
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(rank * block), block, rotated.begin());
    for (std::size_t have = 1; have < size; have *= 2) {
        const std::size_t moved = std::min(have, size - have) * block;
        const Status status = exchange.send_receive(
            Bytes(rotated).first(moved), static_cast<int>((rank + size - have) % size),
            MutableBytes(rotated).subspan(have * block, moved), static_cast<int>((rank + have) % size));
        if (status != Status::ok) return status;
    }
    std::rotate_copy(rotated.begin(), rotated.end() - static_cast<std::ptrdiff_t>(rank * block),
                     rotated.end(), all.begin());
    return Status::ok;
}

}  // namespace

Status allgather(Communicator& communicator, std::span<std::byte> all) {
    Exchange exchange(communicator);
    const std::size_t block = all.size() / static_cast<std::size_t>(exchange.size());
    if (all.size() < kLongTotal) return bruck(exchange, all, block);
    return ring_allgather(exchange, all, equal_blocks(block, exchange.size()));
}

}  // namespace rb2::collective
