#pragma once
// Which end of a rank is a failure, which failure counts, and the exit code it gives. No system calls here.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rb2::launcher {

/// How far a rank has come with PMIx.
enum class PmixState : std::uint8_t { none, connected, finalized };

/// A rank that was reaped.
struct RankEnd {
    int rank = 0;
    int wait_status = 0;  ///< from waitpid
    PmixState pmix = PmixState::none;
    int start_error = 0;      ///< errno if the program could not be executed, else 0
    std::string start_stage;  ///< "exec" or "chdir" then
};

enum class Cause : std::uint8_t {
    cannot_start,  ///< the program could not be executed
    signal,        ///< killed by a signal
    unfinalized,   ///< exited 0 after connecting, without finalizing
    exit_code,     ///< exited with a code other than 0
    left_early,    ///< exited 0 without ever connecting while others had
    aborted,       ///< called PMIx_Abort
    interrupted,   ///< a signal to the launcher ended it
    launcher,      ///< --timeout, or rb2run itself failed; no rank is to blame
};

/// Why the job fails.
struct Failure {
    Cause cause;
    int rank;               ///< -1 when no rank is to blame
    int exit_code;          ///< of the launcher
    int detail = 0;         ///< signal number, exit code of the rank, or errno
    std::string text = {};  ///< of PMIx_Abort, the stage of a failed start, or the launcher's own message
    /// 1, 2, … in the order in which the ranks' connections to PMIx broke, more for those that did not break;
    /// 0 for a rank that never connected.
    int lost_order = 0;
};

/// The failure that one rank's end is by itself, if any. `others_wait`: some other rank is connected and has
/// not finalized.
[[nodiscard]] std::optional<Failure> judge(const RankEnd& end, bool others_wait);

/// Of failures seen at about the same moment, the likely origin. A rank whose fence fails because another has
/// vanished soon exits, too, and is often reaped first; so a rank that never connected is blamed, else the
/// one whose connection broke first. Among equals: the order of Cause, then the lowest rank. `failures` is
/// not empty.
[[nodiscard]] Failure likely_origin(std::vector<Failure> failures);

/// Remembers the first real failure. What ranks do after the launcher began to kill them is its own doing.
class JobOutcome {
  public:
    /// Keeps the first; later ones are dropped.
    void record(Failure failure);

    /// A signal to the launcher asked the job to end, and ranks may die of that: later deaths by a signal,
    /// and exits with 0 before the end, count as 128 + `signal`. The first call counts.
    void interrupted_by(int signal);

    [[nodiscard]] bool is_interrupted() const { return interrupt_ != 0; }
    [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

    /// 0 without a failure.
    [[nodiscard]] int exit_code() const { return failure_ ? failure_->exit_code : 0; }

  private:
    std::optional<Failure> failure_;
    int interrupt_ = 0;
};

/// The code for PMIx_Abort(`code`): never 0, and what a process can exit with.
[[nodiscard]] int abort_exit_code(int code);

}  // namespace rb2::launcher
