#pragma once
// Starts the process of one rank.

#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "launcher/process/environment.hpp"
#include "launcher/sys/unique_fd.hpp"

namespace rb2::launcher {

/// Everything the child needs, ready before the fork: the launcher has threads by then, so the child may only
/// make system calls.
struct SpawnRequest {
    int rank = 0;
    std::string executable;
    std::vector<std::string> argv;
    Environment environment;
    std::string wdir;                     ///< empty: stay
    std::vector<unsigned long> cpu_mask;  ///< for sched_setaffinity; empty: unbound
    int stdin_fd = -1;                    ///< descriptors for the child's 0, 1 and 2; borrowed
    int stdout_fd = -1;
    int stderr_fd = -1;
    int failure_fd = -1;  ///< a SpawnFailure is written here when the program cannot be executed
    rlimit descriptor_limit{};
    sigset_t signal_mask{};
};

/// Why a child never became the program. Written whole (it is smaller than PIPE_BUF).
struct SpawnFailure {
    int rank;
    int error;       ///< errno
    char stage[16];  ///< "chdir" or "exec"
};

/// Forks. The child leads its own process group, dies with the launcher, and exits 127 if it cannot execute
/// the program. Returns its pid, or -1 with errno set.
[[nodiscard]] pid_t spawn(const SpawnRequest& request);

}  // namespace rb2::launcher
