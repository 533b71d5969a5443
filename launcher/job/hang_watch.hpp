#pragma once
// Asks the ranks where they are, twice, so that the answer tells who has stopped moving.

#include <string>

#include "launcher/job/job.hpp"
#include "launcher/job/ranks.hpp"
#include "launcher/sys/event_loop.hpp"
#include "runtime/state/job_pages.hpp"
#include "runtime/state/report.hpp"

namespace rb2::launcher {

/// Takes about half a second. Ranks answer while they wait or poll in the library; nobody is interrupted, so
/// that of a rank outside, stopped or dead just that is told.
class HangWatch {
  public:
    explicit HangWatch(const Job& job);

    /// Asks for the first time; goes on if it is at it already.
    void begin(Ranks& ranks);
    /// When to call go_on(); none when there is nothing to wait for.
    [[nodiscard]] Deadline deadline() const { return next_; }
    void go_on(Ranks& ranks);
    void give_up() { next_.reset(); }

    /// Of the last two looks; lines that begin with "rb2run: ".
    [[nodiscard]] std::string text() const;
    /// What the job has exchanged up to now; the same kind of lines.
    [[nodiscard]] std::string summary(Ranks& ranks);

  private:
    [[nodiscard]] std::vector<state::RankView> look(Ranks& ranks) const;

    enum class Step { first_look, second_look };

    state::JobPages pages_;
    int size_;
    Step step_ = Step::first_look;
    Deadline next_;
    Clock::time_point give_up_at_{};
    state::Looks looks_;
};

}  // namespace rb2::launcher
