// Alltoall: Bruck's algorithm for short blocks, pairwise exchange for long ones and for uneven ones.
//
// Bruck et al. 1997 (see allgather.cc), section on the index operation, with radix 2: a block for the rank k
// further on travels the distances 2^j that k is made of, together with all others that do, so that there are
// ceil(log2 n) messages, but each byte is sent up to log2 n times. Pairwise exchange and the choice by size:
// Thakur, Rabenseifner, Gropp 2005 (see broadcast.cc), section 4.4: in step k rank r sends to r + k and
// receives from r - k, so that every rank is the target of one message at a time. Differs from the paper in:
// the middle range of sizes, where it posts all messages at once, is pairwise here too.
//
// In place, rank r meets k - r in step k: both partners meet in the same step, and one block is all that has
// to be kept aside.

#include <algorithm>
#include <cstring>
#include <vector>

#include "pt2pt/collective/collective.hpp"
#include "pt2pt/collective/exchange.hpp"

namespace rb2::collective {
namespace {

constexpr std::size_t kShortBlock = 256;  ///< bytes per rank up to which fewer messages win
constexpr int kManyRanks = 5;             ///< from here on ceil(log2 n) is clearly less than n - 1

/// The index algorithm. `in` may be `out`.
class Bruck {
  public:
    Bruck(Communicator& communicator, std::size_t block)
        : exchange_(communicator),
          block_(block),
          size_(static_cast<std::size_t>(exchange_.size())),
          rank_(static_cast<std::size_t>(exchange_.rank())),
          blocks_(size_ * block),
          packed_out_(blocks_.size()),
          packed_in_(blocks_.size()) {}

    Status run(const std::byte* in, std::byte* out) {
        for (std::size_t k = 0; k < size_; ++k)  // phase 1: block k is the one for rank r + k
            std::memcpy(at(k), in + (rank_ + k) % size_ * block_, block_);
        for (std::size_t distance = 1; distance < size_; distance *= 2) {  // phase 2
            const Status status = move_on(distance);
            if (status != Status::ok) return status;
        }
        for (std::size_t k = 0; k < size_; ++k)  // phase 3: block k came from rank r - k
            std::memcpy(out + (rank_ + size_ - k) % size_ * block_, at(k), block_);
        return Status::ok;
    }

  private:
    [[nodiscard]] std::byte* at(std::size_t k) { return blocks_.data() + k * block_; }

    /// All blocks k that have the bit `distance` go that far, and take the place of those that come.
    Status move_on(std::size_t distance) {
        std::size_t bytes = 0;
        for (std::size_t k = distance; k < size_; ++k) {
            if ((k & distance) == 0) continue;
            std::memcpy(packed_out_.data() + bytes, at(k), block_);
            bytes += block_;
        }
        const Status status = exchange_.send_receive(
            Bytes(packed_out_).first(bytes), static_cast<int>((rank_ + distance) % size_),
            MutableBytes(packed_in_).first(bytes), static_cast<int>((rank_ + size_ - distance) % size_));
        const std::byte* next = packed_in_.data();
        for (std::size_t k = distance; k < size_; ++k) {
            if ((k & distance) == 0) continue;
            std::memcpy(at(k), next, block_);
            next += block_;
        }
        return status;
    }

    Exchange exchange_;
    std::size_t block_;
    std::size_t size_;
    std::size_t rank_;
    std::vector<std::byte> blocks_;
    std::vector<std::byte> packed_out_;
    std::vector<std::byte> packed_in_;
};

/// Pairwise exchange between two buffers; `out_block(r)` and `in_block(r)` are the parts for and from rank r.
template <class OutBlock, class InBlock>
Status pairwise(Communicator& communicator, OutBlock out_block, InBlock in_block) {
    Exchange exchange(communicator);
    const int size = exchange.size();
    const int rank = exchange.rank();
    const Bytes own = out_block(rank);
    if (!own.empty()) std::memcpy(in_block(rank).data(), own.data(), own.size());
    for (int step = 1; step < size; ++step) {
        const int to = (rank + step) % size;
        const int from = (rank + size - step) % size;
        const Status status = exchange.send_receive(out_block(to), to, in_block(from), from);
        if (status != Status::ok) return status;
    }
    return Status::ok;
}

/// The same where the block for a rank is replaced by the one from it.
template <class Block>
Status pairwise_in_place(Communicator& communicator, Block block) {
    Exchange exchange(communicator);
    const int size = exchange.size();
    const int rank = exchange.rank();
    std::vector<std::byte> leaving;
    for (int step = 0; step < size; ++step) {
        const int partner = (step + size - rank) % size;
        if (partner == rank) continue;
        const MutableBytes part = block(partner);
        leaving.assign(part.begin(), part.end());
        const Status status = exchange.send_receive(leaving, partner, part, partner);
        if (status != Status::ok) return status;
    }
    return Status::ok;
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

}  // namespace

Status alltoall(Communicator& communicator, std::span<const std::byte> in, std::span<std::byte> out) {
    const std::size_t block = in.size() / static_cast<std::size_t>(communicator.size());
    if (block == 0) return Status::ok;
    if (block <= kShortBlock && communicator.size() >= kManyRanks)
        return Bruck(communicator, block).run(in.data(), out.data());
    if (in.data() == out.data()) return pairwise_in_place(communicator, equal_blocks_of(out, block));
    return pairwise(communicator, equal_blocks_of(in, block), equal_blocks_of(out, block));
}

Status alltoallv(Communicator& communicator, const std::byte* in, std::span<const Block> in_blocks,
                 std::byte* out, std::span<const Block> out_blocks) {
    return pairwise(communicator, blocks_of(in, in_blocks), blocks_of(out, out_blocks));
}

Status alltoallv_in_place(Communicator& communicator, std::byte* all, std::span<const Block> blocks) {
    return pairwise_in_place(communicator, blocks_of(all, blocks));
}

}  // namespace rb2::collective
