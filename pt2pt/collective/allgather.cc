// Allgather, with equal and with uneven blocks: Bruck's algorithm for short ones, a ring for long ones.
//
// J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, "Efficient Algorithms for All-to-All Communications
// in Multiport Message-Passing Systems", IEEE Transactions on Parallel and Distributed Systems 8(11), 1997,
// section on concatenation: ceil(log2 n) messages for any n, but a second copy of the data. The choice by
// size is that of Thakur, Rabenseifner, Gropp 2005, on allgather (see broadcast.cc). Where ranks share CPUs
// and memory, each shows its block there: shared_parts.hpp.

#include <algorithm>
#include <vector>

#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/blocks.hpp"
#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/collective/ring.hpp"
#include "pt2pt/collective/schedule.hpp"
#include "pt2pt/collective/shared_parts.hpp"

namespace rb2::collective {
namespace {

constexpr std::size_t kLongTotal = 32U << 10;  ///< bytes of all blocks from which the ring is used

/// `rotated` holds the blocks of ranks r, r + 1, … at rank r; step k doubles how many are there. Blocks may
/// differ: all ranks know all sizes.
template <Steps S>
void bruck(S& steps, std::byte* all, std::span<const Block> blocks) {
    const auto size = static_cast<std::size_t>(steps.size());
    const auto rank = static_cast<std::size_t>(steps.rank());
    const auto block = [&](std::size_t k) -> const Block& { return blocks[(rank + k) % size]; };
    std::vector<std::size_t> starts(size + 1);  // of block k in `rotated`, and the end
    for (std::size_t k = 0; k < size; ++k) starts[k + 1] = starts[k] + block(k).bytes;
    const MutableBytes rotated = steps.scratch(starts[size]);

    steps.copy({all + block(0).offset, block(0).bytes}, rotated.data());
    for (std::size_t have = 1; have < size; have *= 2) {
        const std::size_t moved = std::min(have, size - have);
        steps.receive(rotated.subspan(starts[have], starts[have + moved] - starts[have]),
                      static_cast<int>((rank + have) % size));
        steps.send(rotated.first(starts[moved]), static_cast<int>((rank + size - have) % size));
        steps.wait();
    }
    for (std::size_t k = 1; k < size; ++k)
        steps.copy(rotated.subspan(starts[k], block(k).bytes), all + block(k).offset);
}

/// What is left for messages, the same in all ranks: nothing, or all from where somebody had no bank.
std::vector<Block> gather_in_memory(Immediate& steps, std::byte* all, std::span<const Block> blocks) {
    std::vector<Block> left(blocks.begin(), blocks.end());
    const auto piece = [&](int rank) {
        const Block& block = left[static_cast<std::size_t>(rank)];
        return MutableBytes(all + block.offset, std::min(block.bytes, SharedParts::kLongest));
    };
    const auto expected = [&](int rank) { return left[static_cast<std::size_t>(rank)].bytes; };
    SharedParts parts(steps);
    do {
        if (!parts.meet(piece(steps.rank()), expected(steps.rank()), expected)) return left;
        for (int rank = 0; rank < steps.size() && steps.good(); ++rank)
            if (rank != steps.rank())
                steps.copy(Bytes(parts.of(rank), piece(rank).size()), piece(rank).data());
        for (Block& block : left) {
            const std::size_t done = std::min(block.bytes, SharedParts::kLongest);
            block = {block.offset + done, block.bytes - done};
        }
    } while (std::ranges::any_of(left, &Block::bytes));
    return {};
}

/// By messages.
template <Steps S>
void gather_by_messages(S& steps, std::byte* all, std::span<const Block> blocks) {
    std::size_t total = 0;
    for (const Block& block : blocks) total += block.bytes;
    if (total < kLongTotal)
        bruck(steps, all, blocks);
    else
        ring_allgather(steps, all, blocks);
}

}  // namespace

template <Steps S>
void allgatherv(S& steps, std::byte* all, std::span<const Block> blocks) {
    if constexpr (std::same_as<S, Immediate>) {
        if (Gathering::possible(steps)) {
            const std::vector<Block> left = gather_in_memory(steps, all, blocks);
            if (!left.empty()) gather_by_messages(steps, all, left);
            return;
        }
    }
    gather_by_messages(steps, all, blocks);
}

template <Steps S>
void allgather(S& steps, MutableBytes all) {
    const int size = steps.size();
    allgatherv(steps, all.data(), equal_blocks(all.size() / static_cast<std::size_t>(size), size));
}

template void allgatherv(Immediate&, std::byte*, std::span<const Block>);
template void allgatherv(Schedule&, std::byte*, std::span<const Block>);
template void allgather(Immediate&, MutableBytes);
template void allgather(Schedule&, MutableBytes);

}  // namespace rb2::collective
