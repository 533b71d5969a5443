// Reduce: on a binomial tree for short data, by Rabenseifner's algorithm for long data.
//
// Thakur, Rabenseifner, Gropp 2005 (see broadcast.cc), on reduce. Tree: in round k the ranks whose bit k is
// set send what they have to the rank without it, so the partial results always cover a run of consecutive
// ranks and are combined in order. An operation that is not commutative is reduced to rank 0, whose tree
// needs no rotation of the ranks, and sent on to the root. Rabenseifner's (rabenseifner.hpp): each rank
// combines one block and sends it to the root. Differs from the paper in: all send to the root itself, where
// the paper gathers on a tree, which moves blocks that are long up to log2 n times. Where ranks share CPUs
// and memory: shared_reduction.hpp.

#include <utility>

#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/collective/rabenseifner.hpp"
#include "pt2pt/collective/schedule.hpp"
#include "pt2pt/collective/shared_reduction.hpp"

namespace rb2::collective {
namespace {

/// The combined data of all ranks at `top`; elsewhere what was sent on.
template <Steps S>
Bytes reduce_to(S& steps, Bytes contribution, const Reduction& reduction, int top) {
    const int size = steps.size();
    const int relative = (steps.rank() + size - top) % size;
    Bytes mine = contribution;
    MutableBytes incoming;
    MutableBytes spare;
    for (int bit = 1; bit < size; bit *= 2) {
        if ((relative & bit) != 0) {
            steps.send(mine, (relative - bit + top) % size);
            break;
        }
        if (relative + bit >= size) continue;
        if (incoming.data() == nullptr) incoming = steps.scratch(contribution.size());
        steps.receive(incoming, (relative + bit + top) % size);
        steps.wait();
        steps.combine(reduction, mine, incoming);
        mine = incoming;
        std::swap(incoming, spare);
    }
    return mine;
}

template <Steps S>
void reduce_by_blocks(S& steps, Bytes contribution, MutableBytes result, const Reduction& reduction,
                      int root) {
    const Folding folding(steps.rank(), steps.size());
    const bool is_root = steps.rank() == root;
    MutableBytes data = result;
    if (!is_root && !folding.hands_over()) data = steps.scratch(contribution.size());
    Rabenseifner halves(steps, folding, data, reduction);
    if (folding.hands_over()) {
        steps.send(contribution, folding.other());
        steps.wait();  // `result` may be the contribution
    } else {
        steps.copy(contribution, data.data());
        if (folding.takes_over()) take_over(steps, folding, data, reduction);
        halves.reduce_scatter();
        if (!is_root) steps.send(halves.block_of(folding.position()), root);
    }
    for (int position = 0; is_root && position < folding.active(); ++position)
        if (folding.rank_at(position) != root)
            steps.receive(halves.block_of(position), folding.rank_at(position));
}

/// From this size on, with more than two ranks.
constexpr std::size_t kLongData = 64U << 10;

}  // namespace

template <Steps S>
void reduce(S& steps, Bytes contribution, MutableBytes result, const Reduction& reduction, int root) {
    if constexpr (std::same_as<S, Immediate>) {
        if (SharedReduction::possible(steps, reduction) &&
            SharedReduction::by_blocks(steps, contribution.size())) {
            if (steps.rank() != root) result = {};
            const std::size_t done = SharedReduction(steps, contribution, result, reduction).run();
            contribution = contribution.subspan(done);
            if (contribution.empty()) return;
            if (steps.rank() == root) result = result.subspan(done);
        }
    }
    const std::size_t elements = contribution.size() / reduction.element_bytes;
    if (contribution.size() >= kLongData && steps.size() > 2 &&
        elements >= static_cast<std::size_t>(steps.size()))
        return reduce_by_blocks(steps, contribution, result, reduction, root);
    const int top = reduction.commutative ? root : 0;
    const Bytes reduced = reduce_to(steps, contribution, reduction, top);
    if (top == root) {
        if (steps.rank() == root) steps.copy(reduced, result.data());
    } else if (steps.rank() == top) {
        steps.send(reduced, root);
    } else if (steps.rank() == root) {
        steps.wait();  // `result` may be the contribution, which is being sent
        steps.receive(result, top);
    }
}

template void reduce(Immediate&, Bytes, MutableBytes, const Reduction&, int);
template void reduce(Schedule&, Bytes, MutableBytes, const Reduction&, int);

}  // namespace rb2::collective
