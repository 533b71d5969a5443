#pragma once

namespace rb2::bench::study {

/// One line a message, in 1024 slots, between two processes: the queue of rb2_limits, and the ring that
/// messaging on one host is built on, with loops as plain as the queue's.
struct BareRing {
    double queue;  ///< slots per second, median
    double ring;   ///< records per second, median
    double part;   ///< ring over the queues measured before and after it, median of the rounds
};

/// Takes about a tenth of a second per round. Throws std::runtime_error if a record is lost or repeated.
BareRing measure_bare_ring(int rounds);

}  // namespace rb2::bench::study
