#pragma once
// A file that says host and cores of every rank, in the syntax of Open MPI's rank files.

#include <string>
#include <string_view>
#include <vector>

#include "launcher/cli/hosts.hpp"

namespace rb2::launcher {

/// Consecutive cores, or hardware threads with --bind-to hwthread, by hwloc's logical numbers.
struct SlotRange {
    static constexpr int kAny = -1;
    int package = kAny;  ///< numbers count within this package; kAny: within the machine
    int first = 0;
    int last = kAny;  ///< kAny: up to the end
};

/// One line: "rank N=HOST slot=LIST".
struct RankSlots {
    std::string host;              ///< empty: this rank has no line
    std::vector<SlotRange> slots;  ///< not empty if there is a line
};

/// Parses the text of a rank file; the result is in the order of ranks. LIST has numbers, ranges ("0-2") and
/// "*", with commas between them and each perhaps after a package's number ("1:0-2"; that also holds for
/// those behind it up to a semicolon); "#" begins a comment. HOST "+nK" is the K-th of `hosts`, from 0. If
/// hosts are given, others may not occur. Throws std::invalid_argument with the line's number.
[[nodiscard]] std::vector<RankSlots> parse_rank_file(std::string_view text,
                                                     const std::vector<HostSpec>& hosts);

/// Reads `path`. Throws std::invalid_argument naming the file.
[[nodiscard]] std::vector<RankSlots> read_rank_file(const std::string& path,
                                                    const std::vector<HostSpec>& hosts);

/// The hosts of a rank file in the order of their first rank, each with the number of its ranks.
[[nodiscard]] std::vector<HostSpec> hosts_of(const std::vector<RankSlots>& ranks);

}  // namespace rb2::launcher
