#pragma once
// The pages of a job as seen from another process of its host: found by name, asked, copied.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/state/page.hpp"

namespace rb2::state {

/// The kernel's view of a process, from /proc.
struct Process {
    char letter = 0;           ///< R, S, D, T, Z, ...; 0: there is no such process
    std::uint64_t cpu_ms = 0;  ///< processor time used
};
[[nodiscard]] Process look_at_process(pid_t pid);

/// One rank at one moment: a copy of its page.
struct RankView {
    bool has_page = false;  ///< false: nothing else here is known
    bool exited = false;    ///< known by the launcher only
    Phase phase = Phase::starting;
    pid_t pid = 0;
    Process process;
    std::uint64_t taken_ns = 0;  ///< CLOCK_MONOTONIC
    bool asleep = false;         ///< in the wait that `standing` describes
    bool answered = false;       ///< `standing` is the answer to what was asked last
    std::uint64_t awake_ns = 0;  ///< when it last left a wait in which it had slept
    Standing standing;
    struct Calls {
        std::uint32_t communicator;
        std::uint32_t calls;
    };
    std::vector<Calls> collectives;
    std::vector<Traffic> traffic;  ///< by world rank
    std::vector<Fabric> fabrics;   ///< the same
    std::uint64_t started_ns = 0;
    std::uint64_t ended_ns = 0;  ///< 0: it has not finalized
    Totals totals;

    [[nodiscard]] Traffic all_traffic() const noexcept;
};

// Of two looks at a job's ranks (Looks), for whoever asks them. A sleeping rank looks up ten times a second.
inline constexpr std::chrono::milliseconds kBetweenLooks{250};
inline constexpr std::chrono::milliseconds kAskAgain{50};
/// With ranks that are late because the machine is busy.
inline constexpr std::chrono::milliseconds kAnswerPatience{500};

class JobPages {
  public:
    /// `prefix`: of the names of the job's pages in /dev/shm; the rank follows.
    explicit JobPages(std::string prefix);
    JobPages(JobPages&&) noexcept;
    JobPages& operator=(JobPages&&) noexcept;
    ~JobPages();

    /// Maps pages that have turned up since; one that is no page of this version and user is left out.
    void find();
    /// Ranks of the job as its pages say, or one more than the highest that has a page; 0: no page yet.
    [[nodiscard]] int size() const noexcept;
    /// The ranks that wait or poll write where they stand, within a tenth of a second.
    void ask() noexcept;
    /// Every rank that has a page, and has not finalized, has answered.
    [[nodiscard]] bool all_answered() const noexcept;
    /// Takes the names of the found pages away: nobody finds them any more.
    void remove() noexcept;
    /// By rank, for `ranks` ranks.
    [[nodiscard]] std::vector<RankView> view(int ranks) const;

  private:
    class Mapped;
    [[nodiscard]] RankView view_of(const Mapped& mapped) const;

    std::string prefix_;
    std::vector<std::unique_ptr<Mapped>> pages_;  // by rank; null: none
};

}  // namespace rb2::state
