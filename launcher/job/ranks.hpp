#pragma once
// The processes of the ranks and what is known of each.

#include <sys/types.h>

#include <optional>
#include <vector>

#include "launcher/job/exit_status.hpp"

namespace rb2::launcher {

struct RankProcess {
    pid_t pid = -1;  ///< also its process group; -1 before the start
    bool alive = false;
    PmixState pmix = PmixState::none;
};

class Ranks {
  public:
    explicit Ranks(int count) : ranks_(static_cast<std::size_t>(count)) {}

    [[nodiscard]] RankProcess& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
    void started(int rank, pid_t pid);
    /// Marks the rank with this pid as ended; nullopt if the process was no rank.
    std::optional<int> ended(pid_t pid);

    [[nodiscard]] int alive() const;
    [[nodiscard]] std::vector<int> alive_ranks() const;
    /// Some rank is connected to PMIx and has not finalized.
    [[nodiscard]] bool any_connected() const;
    /// The lowest rank that ended without ever connecting, if any.
    [[nodiscard]] std::optional<int> ended_unconnected() const;

    /// To the process group of every rank alive.
    void signal_groups(int signal) const;
    /// True if every rank alive has a handler for `signal` or ignores it (its leader process, that is).
    [[nodiscard]] bool all_handle(int signal) const;

  private:
    std::vector<RankProcess> ranks_;
};

}  // namespace rb2::launcher
