#pragma once
// What may be chosen of a verbs device from outside (docs/tuning.md); everything has a default that is found
// out.

#include <string>

namespace rb2::fabric::verbs {

struct Options {
    /// RB2_VERBS_DEVICE: as ibv_devices lists it; empty: the nearest with an active port
    std::string device{};
    int port = 0;        ///< RB2_VERBS_PORT: from 1; 0: the first active one
    int gid_index = -1;  ///< RB2_VERBS_GID_INDEX: -1: chosen by content (gid.hpp)
    int mtu = 0;         ///< RB2_VERBS_MTU: bytes, 256 to 4096; 0: the port's. Peers use the smaller of two.
    int timeout = 14;    ///< RB2_VERBS_TIMEOUT: an acknowledgement is waited for 4.096 us * 2^timeout
    /// RB2_VERBS_RETRIES: how often, at most 7, before the peer counts as lost. Soft-RoCE takes 7 for
    /// "without end", and would never report a dead peer.
    int retries = 6;
    /// RB2_VERBS_RNR_RETRIES: how often a message is repeated that finds no receive posted, before the peer
    /// counts as lost; 7: without end. Rings never need it (ring/immediate_or_twice.hpp).
    int not_ready_retries = 7;
    int queue_pairs = 1;  ///< RB2_VERBS_QPS: to each peer; large writes are spread over them
};

}  // namespace rb2::fabric::verbs
