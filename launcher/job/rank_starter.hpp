#pragma once
// Starts the job's ranks one by one, each with its streams, environment and binding.

#include <sys/resource.h>

#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launcher/job/job.hpp"
#include "launcher/pmix/server.hpp"
#include "launcher/process/spawn.hpp"
#include "launcher/sys/unique_fd.hpp"

namespace rb2::launcher {

/// What the launcher keeps of a started rank.
struct StartedRank {
    pid_t pid = -1;
    UniqueFd to_stdin;     ///< rank 0 only
    UniqueFd from_stdout;  ///< none with --output
    UniqueFd from_stderr;
};

class RankStarter {
  public:
    /// Settings that all ranks share.
    struct Common {
        std::string output_dir;
        rlimit descriptor_limit;
        sigset_t signal_mask;
    };

    /// `outer`: the launcher's own environment. The references must outlive this object. Throws LaunchError.
    RankStarter(const Job& job, const PmixServer& server, const RankCpus& cpus, const Environment& outer,
                Common common);

    /// Throws LaunchError when descriptors, processes or output files run out.
    [[nodiscard]] StartedRank start(int rank);

    /// After rank's process was reaped: why it could not become its program, if that was the case.
    [[nodiscard]] std::optional<SpawnFailure> failure_of(int rank);

  private:
    [[nodiscard]] SpawnRequest request_for(int rank) const;

    const Job& job_;
    const PmixServer& server_;
    const RankCpus& cpus_;
    Common common_;
    std::vector<Environment> environments_;  // one per program
    UniqueFd null_input_;
    UniqueFd failures_read_;
    UniqueFd failures_write_;
    std::map<int, SpawnFailure> failures_;
};

}  // namespace rb2::launcher
