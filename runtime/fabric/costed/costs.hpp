#pragma once
// What operations cost, and what has been charged.
//
// The model is LogGP (Alexandrov et al., "LogGP: incorporating long messages into the LogP model", SPAA 1995)
// with the overhead o split in two, because batching saves one part of it and not the other, and with no gap
// g between requests: the processor's share is the larger one for every request that is posted alone.
//
//   a request     costs the posting processor work_request_ns when it is posted,
//   a doorbell    doorbell_ns, whatever the number of requests it covers;
//   the wire      sends one request after the other, gigabits_per_second fast,
//   latency_ns    after its last byte has left, the request takes effect at the peer,
//                 and as much later its completion can be polled;
//   a completion  costs completion_ns to take, and work_request_ns more if it used up a receive, which must
//                 be posted anew.
//
// Where the defaults come from (rb2 paper, ConnectX-5, 100 Gbit/s):
//   160 ns for a WRITE posted alone, a request and its doorbell: Table II, M2. 12.8 Gbit/s of 512-byte
//   messages without batching are 320 ns a message, and each is written twice.
//   How they divide is our assumption: a quarter for the request, three for the store across PCIe.
//   1000 ns of latency: §V-B, Exp#2. L5's round trip of 2.5 us less what posting two writes each way costs.
//   40 ns for a completion, our assumption: a cache line that the card has written, as a request's is.

#include <cstdint>

namespace rb2::fabric::costed {

struct Costs {
    double work_request_ns = 40;
    double doorbell_ns = 120;
    double completion_ns = 40;
    double latency_ns = 1000;
    double gigabits_per_second = 100;  ///< 0: bytes take no time
};

/// How often each price was paid.
struct Charges {
    std::uint64_t work_requests = 0;
    std::uint64_t doorbells = 0;
    std::uint64_t completions = 0;
    std::uint64_t receives = 0;  ///< posted, or posted anew for an immediate

    friend bool operator==(const Charges&, const Charges&) = default;
};

}  // namespace rb2::fabric::costed
