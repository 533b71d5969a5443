#pragma once
// Allreduce of few ranks that share CPUs.
//
// There a message waits for its receiver's turn, which takes longer than sending a few more. So the same
// bytes go in as few rounds as there can be, each of them all to all: short data in one, and everybody
// combines everything; long data in two, to the rank that combines the block and its result back to all (the
// direct reduce-scatter and allgather of Thakur, Rabenseifner, Gropp 2005, see broadcast.cc, with all
// messages of a round under way at once).

#include <vector>

#include "pt2pt/collective/blocks.hpp"

namespace rb2::collective {

/// Ranks up to which n - 1 messages in a round cost less than log2 n rounds.
constexpr int kExchangeRanks = 16;

/// `out(r)` goes to rank r and `in(r)` comes from it, for all other ranks, the next one first.
template <Steps S, class Out, class In>
void exchange(S& steps, Out out, In in) {
    const int size = steps.size();
    for (int distance = 1; distance < size; ++distance) {
        const int from = (steps.rank() + size - distance) % size;
        const int to = (steps.rank() + distance) % size;
        steps.receive(in(from), from);
        steps.send(out(to), to);
    }
}

/// What every rank has of one block: the own part where it is, the others' in scratch memory.
class Parts {
  public:
    template <Steps S>
    Parts(S& steps, MutableBytes own) : rank_(steps.rank()), own_(own) {
        if (!own.empty()) others_ = steps.scratch(own.size() * static_cast<std::size_t>(steps.size() - 1));
    }

    [[nodiscard]] MutableBytes of(int rank) const {
        if (rank == rank_) return own_;
        return others_.subspan(static_cast<std::size_t>(rank - (rank > rank_ ? 1 : 0)) * own_.size(),
                               own_.size());
    }
    /// All parts in rank order, into the own one.
    template <Steps S>
    void combine(S& steps, const Reduction& reduction) const {
        for (int rank = 1; rank < steps.size(); ++rank) steps.combine(reduction, of(rank - 1), of(rank));
        if (rank_ != steps.size() - 1) steps.copy(of(steps.size() - 1), own_.data());
    }

  private:
    int rank_;
    MutableBytes own_;
    MutableBytes others_;
};

/// Short data.
template <Steps S>
void combine_everywhere(S& steps, MutableBytes data, const Reduction& reduction) {
    const Parts parts(steps, data);
    exchange(
        steps, [&](int) { return data; }, [&](int rank) { return parts.of(rank); });
    steps.wait();
    parts.combine(steps, reduction);
}

/// Long data: each rank combines one block.
template <Steps S>
void combine_by_blocks(S& steps, MutableBytes data, const Reduction& reduction) {
    const std::vector<Block> blocks = even_blocks(data.size() / reduction.element_bytes, steps.size());
    const auto block = [&](int rank) {
        const Block& elements = blocks[static_cast<std::size_t>(rank)];
        return data.subspan(elements.offset * reduction.element_bytes,
                            elements.bytes * reduction.element_bytes);
    };
    const MutableBytes own = block(steps.rank());
    const Parts parts(steps, own);
    exchange(steps, block, [&](int rank) { return parts.of(rank); });
    steps.wait();
    parts.combine(steps, reduction);
    exchange(
        steps, [&](int) { return own; }, block);
}

}  // namespace rb2::collective
