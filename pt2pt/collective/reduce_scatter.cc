// Reduce-scatter: recursive halving for short data, pairwise exchange for long data and for operations that
// do not commute.
//
// Thakur, Rabenseifner, Gropp 2005 (see broadcast.cc), section on reduce-scatter. Halving: in each of log2 n
// rounds partners exchange the half of the data that the other is going to need, and combine what they keep;
// with n no power of two, pairs of the first ranks work as one, as in allreduce.cc. It combines ranks that
// are no neighbours, hence only for operations that commute. Pairwise exchange: in step k rank r sends to
// rank r + k the block that is that rank's, n - 1 messages, but every byte is sent once. Differs from the
// paper in: operations that do not commute use pairwise exchange as well, where the paper doubles the data.
// The blocks come from r - 1 down to 0, then from n - 1 down to r + 1: each in front of those before it, in
// two runs that are joined at the end.

#include <algorithm>
#include <bit>
#include <vector>

#include "pt2pt/collective/collective.hpp"
#include "pt2pt/collective/exchange.hpp"

namespace rb2::collective {
namespace {

constexpr std::size_t kLongTotal = 512U << 10;  ///< bytes of all blocks from which each is sent only once

class RecursiveHalving {
  public:
    RecursiveHalving(Communicator& communicator, Bytes contribution, std::span<const Block> blocks,
                     const Reduction& reduction)
        : exchange_(communicator),
          blocks_(blocks),
          reduction_(reduction),
          data_(contribution.begin(), contribution.end()),
          other_(data_.size()),
          active_(static_cast<int>(std::bit_floor(static_cast<unsigned>(communicator.size())))),
          pairs_(communicator.size() - active_) {}

    Status run(MutableBytes result) {
        const int rank = exchange_.rank();
        if (rank >= 2 * pairs_) return halve(rank - pairs_, result);
        if (rank % 2 == 0) {
            const Status status = exchange_.send(data_, rank + 1);
            return status == Status::ok ? exchange_.receive(result, rank + 1) : status;
        }
        Status status = exchange_.receive(other_, rank - 1);
        if (status != Status::ok) return status;
        combine(reduction_, other_, data_);
        status = halve(rank / 2, result);
        return status == Status::ok ? exchange_.send(ranks_part(rank - 1, rank), rank - 1) : status;
    }

  private:
    Status halve(int position, MutableBytes result) {
        int first = 0;  // this rank and its partners of the rounds to come share positions first to end - 1
        int end = active_;
        for (int distance = active_ / 2; distance > 0; distance /= 2) {
            const int middle = first + distance;
            const bool upper = (position & distance) != 0;
            const MutableBytes lower_part = ranks_part(first_rank(first), first_rank(middle));
            const MutableBytes upper_part = ranks_part(first_rank(middle), first_rank(end));
            const MutableBytes kept = upper ? upper_part : lower_part;
            const MutableBytes incoming = MutableBytes(other_).first(kept.size());
            const int partner = rank_at(position ^ distance);
            const Status status =
                exchange_.send_receive(upper ? lower_part : upper_part, partner, incoming, partner);
            if (status != Status::ok) return status;
            combine(reduction_, incoming, kept);
            (upper ? first : end) = middle;
        }
        const MutableBytes own = ranks_part(exchange_.rank(), exchange_.rank() + 1);
        std::copy(own.begin(), own.end(), result.begin());
        return Status::ok;
    }

    /// Lowest rank that a position works for; it works for all up to the next position's.
    [[nodiscard]] int first_rank(int position) const {
        return position < pairs_ ? 2 * position : position + pairs_;
    }
    /// Rank that stands at a position.
    [[nodiscard]] int rank_at(int position) const {
        return position < pairs_ ? 2 * position + 1 : position + pairs_;
    }
    /// The blocks of ranks first to end - 1.
    [[nodiscard]] MutableBytes ranks_part(int first, int end) {
        const std::size_t start = start_of(first);
        return MutableBytes(data_).subspan(start, start_of(end) - start);
    }
    [[nodiscard]] std::size_t start_of(int rank) const {
        return rank < exchange_.size() ? blocks_[static_cast<std::size_t>(rank)].offset : data_.size();
    }

    Exchange exchange_;
    std::span<const Block> blocks_;
    const Reduction& reduction_;
    std::vector<std::byte> data_;
    std::vector<std::byte> other_;
    int active_;  // largest power of two that is not above the number of ranks
    int pairs_;   // the first 2 * pairs_ ranks work in pairs
};

Status pairwise(Communicator& communicator, Bytes contribution, std::span<const Block> blocks,
                MutableBytes result, const Reduction& reduction) {
    Exchange exchange(communicator);
    const int size = exchange.size();
    const int rank = exchange.rank();
    const auto block_for = [&](int peer) {
        const Block& block = blocks[static_cast<std::size_t>(peer)];
        return contribution.subspan(block.offset, block.bytes);
    };
    const Bytes own = block_for(rank);
    std::vector<std::byte> below(own.begin(), own.end());  // of a run of ranks that ends with this one
    std::vector<std::byte> above(own.size());              // of a run that ends with the last rank
    std::vector<std::byte> incoming(own.size());
    for (int step = 1; step < size; ++step) {
        const int to = (rank + step) % size;
        const int from = (rank + size - step) % size;
        const Status status = exchange.send_receive(block_for(to), to, incoming, from);
        if (status != Status::ok) return status;
        if (from == size - 1)
            above.swap(incoming);
        else
            combine(reduction, incoming, from < rank ? below : above);
    }
    if (rank != size - 1) {
        combine(reduction, below, above);
        below.swap(above);
    }
    std::copy(below.begin(), below.end(), result.begin());
    return Status::ok;
}

}  // namespace

Status reduce_scatter(Communicator& communicator, std::span<const std::byte> contribution,
                      std::span<const Block> blocks, std::span<std::byte> result,
                      const Reduction& reduction) {
    if (reduction.commutative && contribution.size() < kLongTotal)
        return RecursiveHalving(communicator, contribution, blocks, reduction).run(result);
    return pairwise(communicator, contribution, blocks, result, reduction);
}

}  // namespace rb2::collective
