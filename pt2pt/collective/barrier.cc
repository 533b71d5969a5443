// Barrier by dissemination.
//
// D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier Synchronization", International Journal of
// Parallel Programming 17(1), 1988, section 3: in round k rank r signals r + 2^k and waits for r - 2^k, so
// that after ceil(log2 n) rounds everybody has heard of everybody. Any number of ranks; no root.

#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/collective/schedule.hpp"

namespace rb2::collective {

template <Steps S>
void barrier(S& steps) {
    const int size = steps.size();
    for (int distance = 1; distance < size; distance *= 2) {
        steps.receive({}, (steps.rank() + size - distance) % size);
        steps.send({}, (steps.rank() + distance) % size);
        steps.wait();
    }
}

template void barrier(Immediate&);
template void barrier(Schedule&);

}  // namespace rb2::collective
