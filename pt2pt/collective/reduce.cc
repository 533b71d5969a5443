// Reduce: on a binomial tree for short data, by Rabenseifner's algorithm for long data.
//
// Thakur, Rabenseifner, Gropp 2005 (see broadcast.cc), on reduce. Tree: in round k the ranks whose bit k is
// set send what they have to the rank without it, so the partial results always cover a run of consecutive
// ranks and are combined in order. An operation that is not commutative is reduced to rank 0, whose tree
// needs no rotation of the ranks, and sent on to the root. Rabenseifner's (rabenseifner.hpp): each rank
// combines one block and sends it to the root. Differs from the paper in: all send to the root itself, where
// the paper gathers on a tree, which moves blocks up to log2 n times. Where ranks share CPUs and memory:
// shared_reduction.hpp.

#include <bit>
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

/// From this size on, with a number of ranks that is a power of two: where some would have to take part for
/// others, the tree is faster (docs/experiments.md).
constexpr std::size_t kLongReduce = 256U << 10;

bool by_blocks(int ranks, std::size_t bytes, const Reduction& reduction) {
    return bytes >= kLongReduce && ranks > 2 && std::has_single_bit(static_cast<unsigned>(ranks)) &&
           bytes / reduction.element_bytes >= static_cast<std::size_t>(ranks);
}

template <Steps S>
void reduce_by_blocks(S& steps, Bytes contribution, MutableBytes result, const Reduction& reduction,
                      int root) {
    const Folding positions(steps.rank(), steps.size());  // those of the ranks
    const bool is_root = steps.rank() == root;
    const MutableBytes data = is_root ? result : steps.scratch(contribution.size());
    steps.copy(contribution, data.data());
    Rabenseifner halves(steps, positions, data, reduction);
    halves.reduce_scatter();
    if (!is_root) return steps.send(halves.block_of(steps.rank()), root);
    for (int rank = 0; rank < steps.size(); ++rank)
        if (rank != root) steps.receive(halves.block_of(rank), rank);
}

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
    if (by_blocks(steps.size(), contribution.size(), reduction))
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
