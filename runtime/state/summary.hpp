#pragma once
// What a job has exchanged, added up from what its ranks show. Pure functions.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/state/job_pages.hpp"

namespace rb2::state {

struct Amount {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;

    friend bool operator==(const Amount&, const Amount&) = default;
};

/// Messages that one rank has sent, by the way they took; every message is in one of these.
struct ByProtocol {
    Amount eager;        ///< at once through a ring
    Amount rendezvous;   ///< through a ring after the receiver's answer
    Amount single_copy;  ///< read by the receiver from the sender's memory
    Amount direct;       ///< written by a network into the receiver's memory
    Amount self;         ///< to the own rank
};
[[nodiscard]] ByProtocol by_protocol(const RankView& view, int rank);

/// "eager", ... in the order of the struct.
struct NamedAmount {
    std::string_view name;
    Amount amount;
};
[[nodiscard]] std::array<NamedAmount, 5> named(const ByProtocol& amounts);

/// Sent by `view`'s rank, by what reaches the peer; in the order of Fabric. Those without a peer are left
/// out.
[[nodiscard]] std::vector<NamedAmount> by_fabric(const RankView& view);

/// All ranks together.
struct JobSummary {
    int ranks_seen = 0;  ///< with a page
    Amount sent;
    Amount received;
    ByProtocol protocols;
    std::vector<NamedAmount> fabrics;
    std::uint64_t waited_ns = 0;
    std::uint64_t running_ns = 0;  ///< of all ranks together
};
[[nodiscard]] JobSummary summarize(const std::vector<RankView>& views);

/// Lines for people that begin with `prefix`: the job, its protocols and fabrics, and a line for each rank.
[[nodiscard]] std::string summary_text(const std::vector<RankView>& views, const std::string& prefix);

/// "1.23 GiB", "4 B".
[[nodiscard]] std::string show_bytes(double bytes);

}  // namespace rb2::state
