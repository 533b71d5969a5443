#pragma once
// The hang report as text.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/state/diagnosis.hpp"

namespace rb2::state {

/// Ranks told of one by one. In a hang report those that do not wait, or are in a cycle, come first.
constexpr std::size_t kMostRanksTold = 64;

/// Two looks at a job.
struct Looks {
    std::vector<RankView> before;  ///< by rank; as many of each
    std::vector<RankView> now;
};

/// Lines that begin with `prefix` and end in newlines: where each rank stands, and what that means. Of many
/// ranks that wait alike only the first are told.
[[nodiscard]] std::string hang_report(const Looks& looks, const std::string& prefix);

/// "receive from rank 1, tag 7, up to 8 bytes, MPI_COMM_WORLD".
[[nodiscard]] std::string show_wait(const Wait& wait);

/// "0-3,7": ascending ranks for people.
[[nodiscard]] std::string rank_ranges(const std::vector<int>& ranks);

/// "rank 1" or "ranks 1-3".
[[nodiscard]] std::string show_ranks(const std::vector<int>& ranks);

}  // namespace rb2::state
