// Alltoall: Bruck's algorithm for short blocks, pairwise exchange for long ones and for uneven ones.
//
// Bruck et al. 1997 (see allgather.cc), section on the index operation, with radix 2: a block for the rank k
// further on travels the distances 2^j that k is made of, together with all others that do, so that there are
// ceil(log2 n) messages, but each byte is sent up to log2 n times. Pairwise exchange and the choice by size:
// Thakur, Rabenseifner, Gropp 2005, on all-to-all (see broadcast.cc): in step k rank r sends to r + k and
// receives from r - k, so that every rank is the target of one message at a time. Differs from the paper in:
// the middle range of sizes, where it posts all messages at once, is pairwise here too. Where ranks share
// CPUs and memory, each shows all its blocks there if they fit: shared_parts.hpp.
//
// In place, rank r meets k - r in step k: both partners meet in the same step, and one block is all that has
// to be kept aside.

#include <algorithm>
#include <vector>

#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/collective/schedule.hpp"
#include "pt2pt/collective/shared_parts.hpp"

namespace rb2::collective {
namespace {

constexpr std::size_t kShortBlock = 256;  ///< bytes per rank up to which fewer messages win
constexpr int kManyRanks = 5;             ///< from here on ceil(log2 n) is clearly less than n - 1

/// The index algorithm. `in` may be `out`.
template <Steps S>
class Bruck {
  public:
    Bruck(S& steps, std::size_t block)
        : steps_(steps),
          block_(block),
          size_(static_cast<std::size_t>(steps.size())),
          rank_(static_cast<std::size_t>(steps.rank())),
          blocks_(steps.scratch(size_ * block)),
          packed_out_(steps.scratch(size_ * block)),
          packed_in_(steps.scratch(size_ * block)) {}

    void run(Bytes in, MutableBytes out) {
        for (std::size_t k = 0; k < size_; ++k)  // phase 1: block k is the one for rank r + k
            steps_.copy(in.subspan((rank_ + k) % size_ * block_, block_), at(k).data());
        for (std::size_t distance = 1; distance < size_; distance *= 2) move_on(distance);  // phase 2
        for (std::size_t k = 0; k < size_; ++k)  // phase 3: block k came from rank r - k
            steps_.copy(at(k), out.data() + (rank_ + size_ - k) % size_ * block_);
    }

  private:
    [[nodiscard]] MutableBytes at(std::size_t k) const { return blocks_.subspan(k * block_, block_); }

    /// All blocks k that have the bit `distance` go that far, and take the place of those that come.
    void move_on(std::size_t distance) {
        std::size_t bytes = 0;
        for (std::size_t k = distance; k < size_; ++k) {
            if ((k & distance) == 0) continue;
            steps_.copy(at(k), packed_out_.data() + bytes);
            bytes += block_;
        }
        steps_.receive(packed_in_.first(bytes), static_cast<int>((rank_ + size_ - distance) % size_));
        steps_.send(packed_out_.first(bytes), static_cast<int>((rank_ + distance) % size_));
        steps_.wait();
        std::size_t next = 0;
        for (std::size_t k = distance; k < size_; ++k) {
            if ((k & distance) == 0) continue;
            steps_.copy(packed_in_.subspan(next, block_), at(k).data());
            next += block_;
        }
    }

    S& steps_;
    std::size_t block_;
    std::size_t size_;
    std::size_t rank_;
    MutableBytes blocks_;
    MutableBytes packed_out_;
    MutableBytes packed_in_;
};

/// Pairwise exchange between two buffers; `out_block(r)` and `in_block(r)` are the parts for and from rank r.
template <Steps S, class OutBlock, class InBlock>
void pairwise(S& steps, OutBlock out_block, InBlock in_block) {
    const int size = steps.size();
    const int rank = steps.rank();
    steps.copy(out_block(rank), in_block(rank).data());
    for (int step = 1; step < size; ++step) {
        const int to = (rank + step) % size;
        const int from = (rank + size - step) % size;
        steps.receive(in_block(from), from);
        steps.send(out_block(to), to);
        steps.wait();
    }
}

/// The same where the block for a rank is replaced by the one from it.
template <Steps S, class InOutBlock>
void pairwise_in_place(S& steps, std::size_t longest, InOutBlock block) {
    const int size = steps.size();
    const int rank = steps.rank();
    const MutableBytes leaving = steps.scratch(longest);
    for (int step = 0; step < size; ++step) {
        const int partner = (step + size - rank) % size;
        if (partner == rank) continue;
        const MutableBytes part = block(partner);
        steps.copy(part, leaving.data());
        steps.receive(part, partner);
        steps.send(leaving.first(part.size()), partner);
        steps.wait();
    }
}

template <class Byte>
auto blocks_of(Byte* all, std::span<const Block> blocks) {
    return [=](int rank) {
        const Block& block = blocks[static_cast<std::size_t>(rank)];
        return std::span<Byte>(all + block.offset, block.bytes);
    };
}
template <class Span>
auto equal_blocks_of(Span all, std::size_t block) {
    return [=](int rank) { return all.subspan(static_cast<std::size_t>(rank) * block, block); };
}

/// False, in all ranks: nothing was done.
bool exchange_in_memory(Immediate& steps, Bytes in, MutableBytes out, std::size_t block) {
    if (in.size() > SharedParts::kLongest || !Gathering::possible(steps)) return false;
    SharedParts parts(steps);
    const bool complete = parts.meet(in, in.size(), [&](int) { return in.size(); });
    if (!steps.good()) return true;
    const std::size_t offset = static_cast<std::size_t>(steps.rank()) * block;
    for (int rank = 0; rank < steps.size() && complete; ++rank)
        steps.copy(Bytes(parts.of(rank) + offset, block),
                   out.data() + static_cast<std::size_t>(rank) * block);
    return complete;
}

}  // namespace

template <Steps S>
void alltoall(S& steps, Bytes in, MutableBytes out) {
    const std::size_t block = in.size() / static_cast<std::size_t>(steps.size());
    if (block == 0) return;
    if constexpr (std::same_as<S, Immediate>)
        if (exchange_in_memory(steps, in, out, block)) return;
    if (block <= kShortBlock && steps.size() >= kManyRanks)
        Bruck(steps, block).run(in, out);
    else if (in.data() == out.data())
        pairwise_in_place(steps, block, equal_blocks_of(out, block));
    else
        pairwise(steps, equal_blocks_of(in, block), equal_blocks_of(out, block));
}

template <Steps S>
void alltoallv(S& steps, const std::byte* in, std::span<const Block> in_blocks, std::byte* out,
               std::span<const Block> out_blocks) {
    pairwise(steps, blocks_of(in, in_blocks), blocks_of(out, out_blocks));
}

template <Steps S>
void alltoallv_in_place(S& steps, std::byte* all, std::span<const Block> blocks) {
    std::size_t longest = 0;
    for (const Block& block : blocks) longest = std::max(longest, block.bytes);
    pairwise_in_place(steps, longest, blocks_of(all, blocks));
}

template void alltoall(Immediate&, Bytes, MutableBytes);
template void alltoall(Schedule&, Bytes, MutableBytes);
template void alltoallv(Immediate&, const std::byte*, std::span<const Block>, std::byte*,
                        std::span<const Block>);
template void alltoallv(Schedule&, const std::byte*, std::span<const Block>, std::byte*,
                        std::span<const Block>);
template void alltoallv_in_place(Immediate&, std::byte*, std::span<const Block>);
template void alltoallv_in_place(Schedule&, std::byte*, std::span<const Block>);

}  // namespace rb2::collective
