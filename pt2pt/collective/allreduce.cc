// Allreduce: recursive doubling for short data, Rabenseifner's algorithm for long data.
//
// Thakur, Rabenseifner, Gropp 2005 (see broadcast.cc), on allreduce. Doubling: in round k partners at
// distance 2^k exchange all m bytes and combine them, log2 n messages. R. Rabenseifner, "Optimization of
// Collective Reduction Operations", International Conference on Computational Science, LNCS 3036, 2004:
// reduce-scatter by vector halving and distance doubling, then allgather the same way back; 2 log2 n
// messages, but each rank sends only 2 m (n - 1) / n bytes and combines m (n - 1) / n. The halves go to
// partners in the order of their distance, nearest first, so that what is combined are neighbouring runs of
// ranks: operations that do not commute are right with both. Numbers of ranks that are no power of two:
// folding.hpp. Differs from the papers in: the choice depends on the size alone, as for two ranks already
// half of the combining is saved.
// Where ranks share CPUs: crowded_allreduce.hpp, shared_allreduce.hpp.

#include <algorithm>
#include <vector>

#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/blocks.hpp"
#include "pt2pt/collective/crowded_allreduce.hpp"
#include "pt2pt/collective/folding.hpp"
#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/collective/schedule.hpp"
#include "pt2pt/collective/shared_allreduce.hpp"

namespace rb2::collective {
namespace {

/// From this size on, twice the messages cost less than sending and combining all bytes in each round. About
/// where a message takes twice the time of an empty one.
constexpr std::size_t kLongData = 16U << 10;

template <Steps S>
void recursive_doubling(S& steps, const Folding& folding, MutableBytes data, const Reduction& reduction) {
    const MutableBytes other = steps.scratch(data.size());
    for (int distance = 1; distance < folding.active(); distance *= 2) {
        const int partner = folding.rank_at(folding.position() ^ distance);
        steps.receive(other, partner);
        steps.send(data, partner);
        steps.wait();
        combine_in_order(steps, reduction, data, other, (folding.position() & distance) != 0);
    }
}

/// Needs at least one element per position.
template <Steps S>
class Rabenseifner {
  public:
    Rabenseifner(S& steps, const Folding& folding, MutableBytes data, const Reduction& reduction)
        : steps_(steps),
          folding_(folding),
          data_(data),
          reduction_(reduction),
          blocks_(even_blocks(data.size() / reduction.element_bytes, folding.active())) {}

    void run() {
        reduce_scatter();
        allgather();
    }

  private:
    /// Consecutive blocks.
    struct Run {
        int first;
        int end;
        [[nodiscard]] int middle() const { return (first + end) / 2; }
        [[nodiscard]] Run half(bool upper) const { return upper ? Run{middle(), end} : Run{first, middle()}; }
    };

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

}  // namespace

template <Steps S>
void allreduce(S& steps, MutableBytes data, const Reduction& reduction) {
    if constexpr (std::same_as<S, Immediate>) {
        if (SharedAllreduce::possible(steps, reduction)) data = SharedAllreduce(steps, data, reduction).run();
        if (data.empty()) return;
    }
    if (steps.crowded() && steps.size() > 2 && steps.size() <= kExchangeRanks)
        return data.size() < kLongData ? combine_everywhere(steps, data, reduction)
                                       : combine_by_blocks(steps, data, reduction);
    const Folding folding(steps.rank(), steps.size());
    if (folding.hands_over()) {
        steps.send(data, folding.other());
        steps.wait();
        return steps.receive(data, folding.other());
    }
    if (folding.takes_over()) {
        const MutableBytes other = steps.scratch(data.size());
        steps.receive(other, folding.other());
        steps.wait();
        steps.combine(reduction, other, data);
    }
    const std::size_t elements = data.size() / reduction.element_bytes;
    if (data.size() >= kLongData && elements >= static_cast<std::size_t>(folding.active()))
        Rabenseifner(steps, folding, data, reduction).run();
    else
        recursive_doubling(steps, folding, data, reduction);
    if (folding.takes_over()) steps.send(data, folding.other());
}

template void allreduce(Immediate&, MutableBytes, const Reduction&);
template void allreduce(Schedule&, MutableBytes, const Reduction&);

}  // namespace rb2::collective
