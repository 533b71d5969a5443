// Barrier by dissemination.
//
// D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier Synchronization", International Journal of
// Parallel Programming 17(1), 1988, section 3: in round k rank r signals r + 2^k and waits for r - 2^k, so
// that after ceil(log2 n) rounds everybody has heard of everybody. Any number of ranks; no root.

#include "pt2pt/collective/collective.hpp"
#include "pt2pt/collective/exchange.hpp"

namespace rb2::collective {

Status barrier(Communicator& communicator) {
    Exchange exchange(communicator);
    const int size = exchange.size();
    for (int distance = 1; distance < size; distance *= 2) {
        const int to = (exchange.rank() + distance) % size;
        const int from = (exchange.rank() + size - distance) % size;
        const Status status = exchange.send_receive({}, to, {}, from);
        if (status != Status::ok) return status;
    }
    return Status::ok;
}

}  // namespace rb2::collective
