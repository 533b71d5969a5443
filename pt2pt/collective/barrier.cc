// Barrier by dissemination; where ranks share CPUs, by a tree.
//
// D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier Synchronization", International Journal of
// Parallel Programming 17(1), 1988, section 3: in round k rank r signals r + 2^k and waits for r - 2^k, so
// that after ceil(log2 n) rounds everybody has heard of everybody. Any number of ranks; no root.
//
// Where ranks share CPUs, each round costs every rank a turn. There all report to rank 0, which then lets
// them go: the central barrier, or with many ranks the tree, of J. Mellor-Crummey, M. Scott, "Algorithms for
// Scalable Synchronization on Shared-Memory Multiprocessors", ACM TOCS 9(1), 1991, section 3, with messages.
// A rank waits once. Rank 0 leaves first, so that what it sends as the root of the next operation is there
// when the others come. Where they also share memory, flags there take the place of messages (gathering.hpp).

#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/gathering.hpp"
#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/collective/schedule.hpp"
#include "pt2pt/collective/tree.hpp"

namespace rb2::collective {
namespace {

template <Steps S>
void disseminate(S& steps) {
    const int size = steps.size();
    for (int distance = 1; distance < size; distance *= 2) {
        steps.receive({}, (steps.rank() + size - distance) % size);
        steps.send({}, (steps.rank() + distance) % size);
        steps.wait();
    }
}

template <Steps S>
void report_and_wait(S& steps) {
    const Tree tree(steps, 0);
    tree.for_each_child([&](int child) { steps.receive({}, child); });
    steps.wait();
    if (!tree.is_root()) steps.send({}, tree.parent());
    send_down(steps, tree, {});
}

/// False: the ranks share no memory for it.
bool through_memory(Immediate& steps) {
    if (!Gathering::possible(steps)) return false;
    Gathering gathering(steps);
    if (steps.rank() == 0) {
        gathering.wait_for_all();
        gathering.come();
    } else {
        gathering.come(0);
        gathering.wait_for_last(0);
    }
    return true;
}

}  // namespace

template <Steps S>
void barrier(S& steps) {
    if constexpr (std::same_as<S, Immediate>)
        if (through_memory(steps)) return;
    if (steps.crowded() && steps.size() > 2)
        report_and_wait(steps);
    else
        disseminate(steps);
}

template void barrier(Immediate&);
template void barrier(Schedule&);

}  // namespace rb2::collective
