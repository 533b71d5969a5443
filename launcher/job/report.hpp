#pragma once
// The one message that says why a job failed.

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>

#include "launcher/job/exit_status.hpp"
#include "launcher/job/job.hpp"
#include "runtime/state/report.hpp"

namespace rb2::launcher {

/// `pid`: of the failed rank. `ended_ranks`: how many others ran when the failure was seen.
/// One or two lines, each ending in a newline.
[[nodiscard]] std::string describe_failure(const Failure& failure, const Job& job, pid_t pid,
                                           int ended_ranks);

/// `ranks`: lines that say where they are, `since` the start of the job.
[[nodiscard]] std::string describe_places(std::chrono::duration<double> since, std::string_view ranks);

using state::rank_ranges;

}  // namespace rb2::launcher
