#pragma once
// Finds and kills what a job leaves running: by parenthood while the launcher lives, by the nonce in the
// environment once it is gone.

#include <sys/types.h>

#include <string>
#include <vector>

namespace rb2::launcher {

/// Name (PR_SET_NAME) of every keeper process; keepers of other jobs are never killed, they have work to do.
inline constexpr const char* kKeeperName = "rb2run-keeper";

/// Orphans of the job become children of this process instead of init.
void become_subreaper();

/// Kills and reaps every child of this process but `keeper`, again and again as their own children turn up,
/// for at most 3 s. Call when all ranks are reaped.
void kill_remaining_children(pid_t keeper);

/// For the keeper, after the launcher's death: kills every process that has RB2_JOB_NONCE=`nonce` in its
/// environment or is in one of `groups` within `session`, until none is found, for at most 3 s.
void kill_job_processes(const std::string& nonce, const std::vector<pid_t>& groups, pid_t session);

}  // namespace rb2::launcher
