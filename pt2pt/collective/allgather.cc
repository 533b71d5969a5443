// Allgather, with equal and with uneven blocks: Bruck's algorithm for short ones, a ring for long ones.
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

/// `rotated` holds the blocks of ranks r, r + 1, … at rank r; step k doubles how many are there. Blocks may
/// differ: all ranks know all sizes.
class Bruck {
  public:
    Bruck(Exchange& exchange, std::span<const Block> blocks)
        : exchange_(exchange),
          blocks_(blocks),
          size_(static_cast<std::size_t>(exchange.size())),
          rank_(static_cast<std::size_t>(exchange.rank())),
          starts_(size_ + 1) {
        for (std::size_t k = 0; k < size_; ++k) starts_[k + 1] = starts_[k] + block(k).bytes;
        rotated_.resize(starts_[size_]);
    }

    Status run(std::byte* all) {
        copy(rotated_.data(), all + block(0).offset, block(0).bytes);
        for (std::size_t have = 1; have < size_; have *= 2) {
            const std::size_t moved = std::min(have, size_ - have);
            const Status status = exchange_.send_receive(
                Bytes(rotated_).first(starts_[moved]), static_cast<int>((rank_ + size_ - have) % size_),
                MutableBytes(rotated_).subspan(starts_[have], starts_[have + moved] - starts_[have]),
                static_cast<int>((rank_ + have) % size_));
            if (status != Status::ok) return status;
        }
        for (std::size_t k = 1; k < size_; ++k)
            copy(all + block(k).offset, rotated_.data() + starts_[k], block(k).bytes);
        return Status::ok;
    }

  private:
    [[nodiscard]] const Block& block(std::size_t k) const { return blocks_[(rank_ + k) % size_]; }
    static void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
        if (bytes != 0) std::memcpy(to, from, bytes);
    }

    Exchange& exchange_;
    std::span<const Block> blocks_;
    std::size_t size_;
    std::size_t rank_;
    std::vector<std::size_t> starts_;  // of block k in `rotated_`, and the end
    std::vector<std::byte> rotated_;
};

}  // namespace

Status allgatherv(Communicator& communicator, std::byte* all, std::span<const Block> blocks) {
    Exchange exchange(communicator);
    std::size_t total = 0;
    for (const Block& block : blocks) total += block.bytes;
    return total < kLongTotal ? Bruck(exchange, blocks).run(all) : ring_allgather(exchange, all, blocks);
}

Status allgather(Communicator& communicator, std::span<std::byte> all) {
    const int size = communicator.size();
    return allgatherv(communicator, all.data(),
                      equal_blocks(all.size() / static_cast<std::size_t>(size), size));
}

}  // namespace rb2::collective
