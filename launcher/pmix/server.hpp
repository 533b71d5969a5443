#pragma once
// The embedded PMIx server: the ranks' only meeting point.

#include <string>
#include <vector>

#include "launcher/job/job.hpp"
#include "launcher/pmix/rank_events.hpp"
#include "launcher/process/environment.hpp"
#include "runtime/topology/cpu_set.hpp"
#include "runtime/topology/topology.hpp"

namespace rb2::launcher {

/// Where the ranks are bound: one entry per rank, empty for a rank that is not.
using RankCpus = std::vector<topology::CpuSet>;

/// One per process, never destroyed: PMIx is not finalized, the process ends with _exit (see park()).
/// All calls from the main thread; events arrive in `events` from PMIx's progress thread.
class PmixServer {
  public:
    /// Starts the server and describes `job` to it. `machine` and `events` must live as long as the process.
    /// Call with all handled signals blocked: the library's threads inherit the mask. Throws LaunchError.
    PmixServer(const Job& job, const topology::Machine& machine, const RankCpus& cpus,
               RankEventQueue& events);

    /// Adds what a rank needs to find the server. Throws LaunchError.
    void add_variables(int rank, Environment& environment) const;

    /// Stops the progress thread for good, before ranks are killed. The library (4.2.2) can crash or hang
    /// when several clients of one fence vanish at once; a parked server cannot. No PMIx call may follow.
    void park();

  private:
    std::string nspace_;
    bool parked_ = false;
};

}  // namespace rb2::launcher
