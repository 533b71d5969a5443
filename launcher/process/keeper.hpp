#pragma once
// A helper process that outlives a killed launcher just long enough to clean up after it.

#include <sys/types.h>

#include "launcher/process/footprint.hpp"
#include "launcher/sys/unique_fd.hpp"

namespace rb2::launcher {

/// Holds the read end of a pipe whose only writer is the launcher. End of file means that the launcher died:
/// the keeper then kills the job's processes, removes its footprint and exits. It has its own session and
/// ignores what a terminal sends. Create it before any thread exists.
class Keeper {
  public:
    /// Forks. Throws LaunchError.
    explicit Keeper(const Footprint& footprint);
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;
    /// Dismisses it: the launcher has cleaned up itself.
    ~Keeper() { dismiss(); }

    /// Tells it of a rank's process group.
    void watch_group(pid_t group) const;

    /// Ends it and waits for that; further calls do nothing.
    void dismiss();

    [[nodiscard]] pid_t pid() const { return pid_; }

  private:
    UniqueFd to_keeper_;
    pid_t pid_ = -1;
};

}  // namespace rb2::launcher
