// Scan and exclusive scan by distance doubling.
//
// W. D. Hillis, G. L. Steele, "Data Parallel Algorithms", Communications of the ACM 29(12), 1986, section
// "All Partial Sums of an Array": in round k rank r passes what it has to r + 2^k and puts what comes from
// r - 2^k in front of it, so that after ceil(log2 n) rounds it covers all ranks up to itself. Any number of
// ranks; what is combined are neighbouring runs of ranks, in order, so operations need not commute. Differs
// from the paper in: the exclusive scan, which combines what comes a second time, without the own value.

#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/collective/schedule.hpp"

namespace rb2::collective {
namespace {

/// Calls `take(lower, first)` with what comes in each round, before it joins `covered`: the combined data of
/// the ranks just below those taken until then.
template <Steps S, class Take>
void double_up(S& steps, MutableBytes covered, const Reduction& reduction, Take take) {
    const int size = steps.size();
    const int rank = steps.rank();
    const MutableBytes lower = rank > 0 ? steps.scratch(covered.size()) : MutableBytes();
    for (int distance = 1; distance < size; distance *= 2) {
        if (rank >= distance) steps.receive(lower, rank - distance);
        if (rank + distance < size) steps.send(covered, rank + distance);
        steps.wait();
        if (rank < distance) continue;
        take(lower, distance == 1);
        steps.combine(reduction, lower, covered);
    }
}

}  // namespace

template <Steps S>
void scan(S& steps, MutableBytes data, const Reduction& reduction) {
    double_up(steps, data, reduction, [](MutableBytes, bool) {});
}

template <Steps S>
void exclusive_scan(S& steps, Bytes contribution, MutableBytes result, const Reduction& reduction) {
    const MutableBytes covered = steps.scratch(contribution.size());
    steps.copy(contribution, covered.data());
    double_up(steps, covered, reduction, [&](MutableBytes lower, bool first) {
        if (first)
            steps.copy(lower, result.data());
        else
            steps.combine(reduction, lower, result);
    });
}

template void scan(Immediate&, MutableBytes, const Reduction&);
template void scan(Schedule&, MutableBytes, const Reduction&);
template void exclusive_scan(Immediate&, Bytes, MutableBytes, const Reduction&);
template void exclusive_scan(Schedule&, Bytes, MutableBytes, const Reduction&);

}  // namespace rb2::collective
