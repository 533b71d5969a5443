#pragma once
// The jobs of this user that can be looked at, and the one that is meant.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace rb2::jobstat {

/// A job started by rb2run on this host, of which some rank lives.
struct Job {
    std::string page_prefix;   ///< of its ranks' pages
    std::vector<pid_t> ranks;  ///< processes that have a page, by rank
    pid_t launcher = 0;        ///< parent of the first rank that lives, up to an rb2run; 0: not found
};

/// In no order.
[[nodiscard]] std::vector<Job> find_jobs();

/// The one that `pid` belongs to: a rank, rb2run, or any process between the two. Without `pid` the only one.
/// Throws std::runtime_error with a text for the user.
[[nodiscard]] Job choose_job(std::vector<Job> jobs, std::optional<pid_t> pid);

}  // namespace rb2::jobstat
