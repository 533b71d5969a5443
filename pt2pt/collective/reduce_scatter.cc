// Reduce-scatter: recursive halving for short data, pairwise exchange for long data and for operations that
// do not commute.
//
// Thakur, Rabenseifner, Gropp 2005 (see broadcast.cc), on reduce-scatter. Halving: in each of log2 n
// rounds partners exchange the half of the data that the other is going to need, and combine what they keep;
// numbers of ranks that are no power of two: folding.hpp. It combines ranks that are no neighbours, hence
// only for operations that commute. Pairwise exchange: in step k rank r sends to rank r + k the block that is
// that rank's, n - 1 messages, but every byte is sent once. Differs from the paper in: operations that do not
// commute use pairwise exchange as well, where the paper doubles the data. The blocks come from r - 1 down to
// 0, then from n - 1 down to r + 1: each in front of those before it, in two runs that are joined at the end.

#include <utility>

#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/folding.hpp"
#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/collective/schedule.hpp"

namespace rb2::collective {
namespace {

constexpr std::size_t kLongTotal = 512U << 10;  ///< bytes of all blocks from which each is sent only once

template <Steps S>
class RecursiveHalving {
  public:
    RecursiveHalving(S& steps, Bytes contribution, std::span<const Block> blocks, const Reduction& reduction)
        : steps_(steps),
          folding_(steps.rank(), steps.size()),
          contribution_(contribution),
          blocks_(blocks),
          reduction_(reduction) {}

    void run(MutableBytes result) {
        if (folding_.hands_over()) {
            steps_.send(contribution_, folding_.other());
            steps_.wait();  // `result` may lie in the contribution
            return steps_.receive(result, folding_.other());
        }
        data_ = steps_.scratch(contribution_.size());
        other_ = steps_.scratch(contribution_.size());
        if (folding_.takes_over()) steps_.receive(other_, folding_.other());
        steps_.copy(contribution_, data_.data());
        if (folding_.takes_over()) {
            steps_.wait();
            steps_.combine(reduction_, other_, data_);
        }
        halve();
        steps_.copy(ranks_part(steps_.rank(), steps_.rank() + 1), result.data());
        if (folding_.takes_over())
            steps_.send(ranks_part(folding_.other(), folding_.other() + 1), folding_.other());
    }

  private:
    void halve() {
        const int position = folding_.position();
        int first = 0;  // this rank and its partners of the rounds to come share positions first to end - 1
        int end = folding_.active();
        for (int distance = end / 2; distance > 0; distance /= 2) {
            const int middle = first + distance;
            const bool upper = (position & distance) != 0;
            const MutableBytes lower_part =
                ranks_part(folding_.first_rank(first), folding_.first_rank(middle));
            const MutableBytes upper_part = ranks_part(folding_.first_rank(middle), folding_.first_rank(end));
            const MutableBytes kept = upper ? upper_part : lower_part;
            const MutableBytes incoming = other_.first(kept.size());
            const int partner = folding_.rank_at(position ^ distance);
            steps_.receive(incoming, partner);
            steps_.send(upper ? lower_part : upper_part, partner);
            steps_.wait();
            steps_.combine(reduction_, incoming, kept);
            (upper ? first : end) = middle;
        }
    }

    /// The blocks of ranks first to end - 1.
    [[nodiscard]] MutableBytes ranks_part(int first, int end) const {
        const std::size_t start = start_of(first);
        return data_.subspan(start, start_of(end) - start);
    }
    [[nodiscard]] std::size_t start_of(int rank) const {
        return rank < steps_.size() ? blocks_[static_cast<std::size_t>(rank)].offset : data_.size();
    }

    S& steps_;
    Folding folding_;
    Bytes contribution_;
    std::span<const Block> blocks_;
    const Reduction& reduction_;
    MutableBytes data_;
    MutableBytes other_;
};

template <Steps S>
void pairwise(S& steps, Bytes contribution, std::span<const Block> blocks, MutableBytes result,
              const Reduction& reduction) {
    const int size = steps.size();
    const int rank = steps.rank();
    const auto block_for = [&](int peer) {
        const Block& block = blocks[static_cast<std::size_t>(peer)];
        return contribution.subspan(block.offset, block.bytes);
    };
    const Bytes own = block_for(rank);
    MutableBytes below = steps.scratch(own.size());  // of a run of ranks that ends with this one
    MutableBytes above = steps.scratch(own.size());  // of a run that ends with the last rank
    MutableBytes incoming = steps.scratch(own.size());
    steps.copy(own, below.data());
    for (int step = 1; step < size; ++step) {
        const int from = (rank + size - step) % size;
        const int to = (rank + step) % size;
        steps.receive(incoming, from);
        steps.send(block_for(to), to);
        steps.wait();
        if (from == size - 1)
            std::swap(above, incoming);
        else
            steps.combine(reduction, incoming, from < rank ? below : above);
    }
    if (rank != size - 1) {
        steps.combine(reduction, below, above);
        std::swap(below, above);
    }
    steps.copy(below, result.data());
}

}  // namespace

template <Steps S>
void reduce_scatter(S& steps, Bytes contribution, std::span<const Block> blocks, MutableBytes result,
                    const Reduction& reduction) {
    if (reduction.commutative && contribution.size() < kLongTotal)
        RecursiveHalving(steps, contribution, blocks, reduction).run(result);
    else
        pairwise(steps, contribution, blocks, result, reduction);
}

template void reduce_scatter(Immediate&, Bytes, std::span<const Block>, MutableBytes, const Reduction&);
template void reduce_scatter(Schedule&, Bytes, std::span<const Block>, MutableBytes, const Reduction&);

}  // namespace rb2::collective
