#pragma once
// What may be chosen of a verbs device from outside (docs/tuning.md); everything has a default that is found
// out.

#include <cstddef>
#include <string>

namespace rb2::fabric::verbs {

/// Ports that a rank uses at once.
inline constexpr std::size_t kMostRails = 4;

struct Options {
    /// RB2_VERBS_DEVICE: those that may be used, as ibv_devices lists them, or ports of them:
    /// "mlx5_0,mlx5_1:2"; empty: any
    std::string device{};
    int port = 0;        ///< RB2_VERBS_PORT: from 1; 0: any active one
    int gid_index = -1;  ///< RB2_VERBS_GID_INDEX: -1: chosen by content (gid.hpp)
    int mtu = 0;         ///< RB2_VERBS_MTU: bytes, 256 to 4096; 0: the port's. Peers use the smaller of two.
    int timeout = 14;    ///< RB2_VERBS_TIMEOUT: an acknowledgement is waited for 4.096 us * 2^timeout
    /// RB2_VERBS_RETRIES: how often, at most 7, before the peer counts as lost. Soft-RoCE takes 7 for
    /// "without end", and would never report a dead peer.
    int retries = 6;
    /// RB2_VERBS_RNR_RETRIES: how often a message is repeated that finds no receive posted, before the peer
    /// counts as lost; 7: without end. Rings never need it (ring/immediate_or_twice.hpp).
    int not_ready_retries = 7;
    /// RB2_VERBS_RAILS: how many ports at most, up to kMostRails; 0: all that are as near and as fast as the
    /// best. Large writes are spread over them.
    int rails = 0;
    int queue_pairs = 1;  ///< RB2_VERBS_QPS: to each peer and port; large writes are spread over them
};

}  // namespace rb2::fabric::verbs
