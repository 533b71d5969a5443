// Reduce on a binomial tree.
//
// Thakur, Rabenseifner, Gropp 2005 (see broadcast.cc), on reduce, the short-message algorithm: in round k
// the ranks whose bit k is set send what they have to the rank without it, so the partial results always
// cover a run of consecutive ranks and are combined in order. An operation that is not commutative is reduced
// to rank 0, whose tree needs no rotation of the ranks, and sent on to the root.

#include <utility>

#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/collective/schedule.hpp"

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

}  // namespace

template <Steps S>
void reduce(S& steps, Bytes contribution, MutableBytes result, const Reduction& reduction, int root) {
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
