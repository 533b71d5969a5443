#pragma once
// Runs a job from its first rank to its end.

#include <chrono>
#include <string>
#include <vector>

#include "launcher/cli/options.hpp"
#include "launcher/job/exit_status.hpp"
#include "launcher/job/hang_watch.hpp"
#include "launcher/job/job.hpp"
#include "launcher/job/rank_starter.hpp"
#include "launcher/job/ranks.hpp"
#include "launcher/job/signal_policy.hpp"
#include "launcher/pmix/rank_events.hpp"
#include "launcher/pmix/server.hpp"
#include "launcher/process/keeper.hpp"
#include "launcher/stdio/stdio_hub.hpp"
#include "launcher/sys/event_loop.hpp"
#include "launcher/sys/signal_source.hpp"

namespace rb2::launcher {

/// The parts a Supervisor works with; all outlive it.
struct SupervisorParts {
    const Options& options;
    const Job& job;
    EventLoop& loop;
    SignalSource& signals;
    RankEventQueue& events;
    PmixServer& server;
    RankStarter& starter;
    StdioHub& stdio;
    Keeper& keeper;
};

/// A job ends when all ranks are reaped and their output is drained. It is ended, TERM first and KILL after a
/// wait, by the first failure (job/exit_status.hpp), by --timeout, or by a signal to the launcher.
class Supervisor {
  public:
    explicit Supervisor(const SupervisorParts& parts);
    Supervisor(const Supervisor&) = delete;
    Supervisor& operator=(const Supervisor&) = delete;

    /// Starts the ranks, waits for the end, leaves no process behind, prints the report. The exit code.
    int run();

  private:
    void start_ranks();
    void start_rank(int rank);

    void on_signal(int signal);
    void on_rank_event(const RankEvent& event);
    void handle_rank_events();
    void reap();
    void on_rank_end(int rank, int wait_status);
    [[nodiscard]] RankEnd describe_end(int rank, int wait_status);
    void suspect(const Failure& failure);
    void judge_if_clear();
    void judge_suspects();
    void on_all_ranks_ended();

    void fail(const Failure& failure);
    void kill_ranks();
    void kill_by(std::chrono::duration<double> wait);
    void act_on_deadlines();
    void hurry_drain();
    void ask_ranks();
    void tell_where_ranks_are();
    [[nodiscard]] Deadline next_deadline() const;
    [[nodiscard]] bool finished() const;
    void report();
    void trace(const std::string& text);

    SupervisorParts parts_;
    Ranks ranks_;
    HangWatch hang_watch_;
    bool report_wanted_ = false;  // by a signal
    SignalPolicy signal_policy_;
    JobOutcome outcome_;
    bool ending_ = false;            // a failure was seen and the ranks were told to end
    int ended_others_ = 0;           // ranks alive at that moment, without the failed one
    bool killed_ = false;            // the ranks were sent KILL
    bool all_ended_ = false;         // the last rank was reaped
    bool children_killed_ = false;   // so were all other descendants
    bool output_abandoned_ = false;  // the user does not want to wait for a slow reader of our output
    Clock::time_point started_at_ = Clock::now();
    std::vector<Failure> suspects_;  // failures seen, none of them blamed yet
    Deadline judge_at_;
    Deadline timeout_at_;
    Deadline watch_at_;  // when the hang report for the timeout begins
    Deadline kill_at_;
    Deadline drain_until_;  // from when the last rank has ended
};

}  // namespace rb2::launcher
