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
    int lost_order = 0;         ///< position among the ranks whose PMIx connection broke; 0: it did not
    bool left_quietly = false;  ///< ended with 0 and without ever connecting
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
    /// The lowest rank that left quietly, if any.
    [[nodiscard]] std::optional<int> left_quietly() const;

    /// The connection of `rank` to PMIx broke.
    void connection_lost(int rank);
    /// See Failure::lost_order; behind all broken ones for a connection that is not known to be broken, and
    /// last for a rank that has finalized.
    [[nodiscard]] int lost_order(int rank) const;

    /// To the process group of every rank alive.
    void signal_groups(int signal) const;
    /// True if every rank alive has a handler for `signal` or ignores it (its leader process, that is).
    [[nodiscard]] bool all_handle(int signal) const;
    /// Sends `signal` to the process groups of the ranks that catch or ignore it.
    void signal_handlers(int signal) const;

  private:
    std::vector<RankProcess> ranks_;
    int lost_ = 0;
};

}  // namespace rb2::launcher
