#pragma once
// The two halves of Rabenseifner's algorithm, for the ranks that take part in folding.hpp.
//
// R. Rabenseifner, "Optimization of Collective Reduction Operations", International Conference on
// Computational Science, LNCS 3036, 2004: reduce-scatter by vector halving and distance doubling, then
// allgather the same way back; 2 log2 n messages, but each rank sends only 2 m (n - 1) / n bytes and combines
// m (n - 1) / n. The halves go to partners in the order of their distance, nearest first, so that what is
// combined are neighbouring runs of ranks: operations that do not commute are right, too.

#include <vector>

#include "pt2pt/collective/blocks.hpp"
#include "pt2pt/collective/folding.hpp"

namespace rb2::collective {

/// Of ranks that are not folded away. Needs at least one element per position.
template <Steps S>
class Rabenseifner {
  public:
    Rabenseifner(S& steps, const Folding& folding, MutableBytes data, const Reduction& reduction)
        : steps_(steps),
          folding_(folding),
          data_(data),
          reduction_(reduction),
          blocks_(even_blocks(data.size() / reduction.element_bytes, folding.active())) {}

    /// The part of `data` that a position has combined after reduce_scatter().
    [[nodiscard]] MutableBytes block_of(int position) const {
        Run run{0, folding_.active()};
        for (int distance = 1; distance < folding_.active(); distance *= 2)
            run = run.half((position & distance) != 0);
        return bytes_of(run);
    }

    void reduce_scatter() {
        const int position = folding_.position();
        Run mine{0, folding_.active()};
        const MutableBytes other =
            folding_.active() > 1 ? steps_.scratch(bytes_of(mine.half(false)).size()) : MutableBytes();
        for (int distance = 1; distance < folding_.active(); distance *= 2) {
            const bool upper = (position & distance) != 0;
            const int partner = folding_.rank_at(position ^ distance);
            const MutableBytes kept = bytes_of(mine.half(upper));
            const MutableBytes incoming = other.first(kept.size());
            steps_.receive(incoming, partner);
            steps_.send(bytes_of(mine.half(!upper)), partner);
            steps_.wait();
            combine_in_order(steps_, reduction_, kept, incoming, upper);
            halved_.push_back(mine);
            mine = mine.half(upper);
        }
    }

    /// After it all of `data` is combined everywhere.
    void allgather() {
        const int position = folding_.position();
        for (int distance = folding_.active() / 2; distance > 0; distance /= 2) {
            const bool upper = (position & distance) != 0;
            const int partner = folding_.rank_at(position ^ distance);
            steps_.receive(bytes_of(halved_.back().half(!upper)), partner);
            steps_.send(bytes_of(halved_.back().half(upper)), partner);
            steps_.wait();
            halved_.pop_back();
        }
    }

  private:
    /// Consecutive blocks.
    struct Run {
        int first;
        int end;
        [[nodiscard]] int middle() const { return (first + end) / 2; }
        [[nodiscard]] Run half(bool upper) const { return upper ? Run{middle(), end} : Run{first, middle()}; }
    };

    [[nodiscard]] MutableBytes bytes_of(Run run) const {
        const std::size_t start = offset_of(run.first);
        return data_.subspan(start, offset_of(run.end) - start);
    }
    [[nodiscard]] std::size_t offset_of(int block) const {
        const auto index = static_cast<std::size_t>(block);
        return index == blocks_.size() ? data_.size() : blocks_[index].offset * reduction_.element_bytes;
    }

    S& steps_;
    const Folding& folding_;
    MutableBytes data_;
    const Reduction& reduction_;
    std::vector<Block> blocks_;  // in elements
    std::vector<Run> halved_;    // what was halved, in order
};

}  // namespace rb2::collective
