#include "launcher/job/supervisor.hpp"

#include <fmt/core.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "launcher/job/report.hpp"
#include "launcher/process/descendants.hpp"
#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

constexpr std::chrono::milliseconds kJudgeLimit{
    100};  // from the first failure seen to blaming one at the latest
constexpr std::chrono::duration<double> kFailureGrace{1.0};  // TERM to KILL when a rank failed
constexpr std::chrono::seconds kDrainGrace{2};            // for an output pipe that a grandchild holds open
constexpr std::chrono::duration<double> kWatchLead{1.0};  // the hang report begins before the timeout
constexpr std::chrono::milliseconds kStrangerGrace{500};  // for one that is held by none of ours

Clock::time_point from_now(std::chrono::duration<double> wait) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(wait);
}

bool expired(const Deadline& deadline) { return deadline && Clock::now() >= *deadline; }

}  // namespace

Supervisor::Supervisor(const SupervisorParts& parts)
    : parts_(parts), ranks_(parts.job.size), hang_watch_(parts.job) {
    parts_.signals.watch(parts_.loop, [this](int signal) { on_signal(signal); });
    (void)parts_.loop.add(parts_.events.fd(), EPOLLIN, [this](std::uint32_t) { handle_rank_events(); });
    if (parts_.options.timeout_s) {
        const std::chrono::duration<double> timeout(*parts_.options.timeout_s);
        timeout_at_ = from_now(timeout);
        watch_at_ = from_now(timeout - std::min<std::chrono::duration<double>>(kWatchLead, timeout / 2));
    }
}

int Supervisor::run() {
    start_ranks();
    while (!finished()) {
        parts_.loop.run_once(next_deadline());
        act_on_deadlines();
    }
    kill_remaining_children(parts_.keeper.pid());
    report();
    return outcome_.exit_code();
}

// ---- start

void Supervisor::start_ranks() {
    try {
        for (int rank = 0; rank < parts_.job.size; ++rank) {
            start_rank(rank);
        }
        trace("all ranks started");
    } catch (const LaunchError& error) {
        fail({Cause::launcher, -1, error.exit_code(), 0, error.what()});
        if (ranks_.alive() == 0) {
            on_all_ranks_ended();
        }
    }
}

void Supervisor::start_rank(int rank) {
    StartedRank started = parts_.starter.start(rank);
    ranks_.started(rank, started.pid);
    parts_.keeper.watch_group(started.pid);
    parts_.stdio.attach_output(rank, std::move(started.from_stdout), std::move(started.from_stderr));
    if (started.to_stdin) {
        parts_.stdio.attach_input(std::move(started.to_stdin));
    }
    trace(fmt::format("rank {} is pid {}", rank, started.pid));
}

// ---- events

void Supervisor::on_signal(int signal) {
    if (signal == SIGCHLD) {
        reap();
        return;
    }
    trace(fmt::format("received signal {}", signal));
    const SignalResponse response = signal_policy_.on(signal);
    if (response.ends_job) {
        output_abandoned_ = ranks_.alive() == 0;
        outcome_.interrupted_by(signal);
        // Ranks that handle the signal may still want to finalize; others die at once, perhaps inside a
        // fence.
        if (!ranks_.all_handle(response.forward)) {
            parts_.server.park();
        }
        kill_by(std::chrono::duration<double>(parts_.options.kill_wait_s.value_or(kDefaultKillWait)));
    }
    if (response.report) {
        report_wanted_ = true;
        hang_watch_.begin(ranks_);
        ranks_.signal_handlers(response.forward);
        return;
    }
    ranks_.signal_groups(response.forward);
    if (response.ends_job) {
        ranks_.signal_groups(SIGCONT);  // a stopped rank would not notice
    }
    if (response.stop_self) {
        ::raise(SIGSTOP);
    }
    if (signal == SIGCONT) {
        parts_.stdio.on_continue();
    }
}

void Supervisor::handle_rank_events() {
    for (const RankEvent& event : parts_.events.take()) {
        if (event.rank >= 0 && event.rank < parts_.job.size) {
            on_rank_event(event);
        }
    }
}

void Supervisor::on_rank_event(const RankEvent& event) {
    switch (event.kind) {
        case RankEvent::Kind::connected:
            ranks_.at(event.rank).pmix = PmixState::connected;
            if (const auto early = ranks_.left_quietly()) {
                fail({Cause::left_early, *early, 1, 0, {}});
            }
            break;
        case RankEvent::Kind::lost:
            ranks_.connection_lost(event.rank);
            judge_if_clear();
            break;
        case RankEvent::Kind::finalized:
            ranks_.at(event.rank).pmix = PmixState::finalized;
            break;
        case RankEvent::Kind::aborted:
            fail({Cause::aborted, event.rank, abort_exit_code(event.abort_code), event.abort_code,
                  event.abort_text});
            break;
    }
}

void Supervisor::reap() {
    std::vector<std::pair<int, int>> ended;  // rank, wait status
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        if (const auto rank = ranks_.ended(pid)) {
            ended.emplace_back(*rank, status);
        }
    }
    handle_rank_events();  // now complete for those ranks: PMIx told us before it answered them
    for (const auto& [rank, wait_status] : ended) {
        on_rank_end(rank, wait_status);
    }
    judge_if_clear();
    if (!ended.empty() && ranks_.alive() == 0) {
        on_all_ranks_ended();
    }
}

void Supervisor::on_rank_end(int rank, int wait_status) {
    trace(fmt::format("rank {} ended, wait status {:#x}", rank, wait_status));
    if (const auto failure = judge(describe_end(rank, wait_status), ranks_.any_connected())) {
        suspect(*failure);
    } else {
        ranks_.at(rank).left_quietly = ranks_.at(rank).pmix == PmixState::none;
    }
}

RankEnd Supervisor::describe_end(int rank, int wait_status) {
    RankEnd end{rank, wait_status, ranks_.at(rank).pmix, 0, {}};
    if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == kExitCannotStart) {
        if (const auto failure = parts_.starter.failure_of(rank)) {
            end.start_error = failure->error;
            end.start_stage = failure->stage;
        }
    }
    return end;
}

/// A rank that vanishes makes the fences of others fail, and they are often reaped before it: wait for
/// clarity.
void Supervisor::suspect(const Failure& failure) {
    if (ending_ || outcome_.is_interrupted()) {
        fail(failure);
        return;
    }
    suspects_.push_back(failure);
    if (!judge_at_) {
        judge_at_ = Clock::now() + kJudgeLimit;
    }
}

void Supervisor::judge_if_clear() {
    constexpr int first_lost = 1;
    if (std::any_of(suspects_.begin(), suspects_.end(), [this](const Failure& failure) {
            return ranks_.lost_order(failure.rank) <= first_lost;
        })) {
        judge_suspects();
    }
}

void Supervisor::judge_suspects() {
    judge_at_.reset();
    for (Failure& failure : suspects_) {
        failure.lost_order = ranks_.lost_order(failure.rank);
    }
    if (!suspects_.empty()) {
        fail(likely_origin(std::exchange(suspects_, {})));
    }
}

void Supervisor::on_all_ranks_ended() {
    all_ended_ = true;
    timeout_at_.reset();
    watch_at_.reset();
    hang_watch_.give_up();
    drain_until_ = kill_at_ ? *kill_at_ : Clock::now() + (killed_ ? Clock::duration::zero() : kDrainGrace);
    kill_at_.reset();
}

// ---- the end

void Supervisor::fail(const Failure& failure) {
    outcome_.record(failure);
    if (ending_ || outcome_.is_interrupted()) {
        return;
    }
    ending_ = true;
    const std::vector<int> alive = ranks_.alive_ranks();
    ended_others_ = static_cast<int>(
        std::count_if(alive.begin(), alive.end(), [&failure](int rank) { return rank != failure.rank; }));
    parts_.server.park();
    ranks_.signal_groups(SIGTERM);
    ranks_.signal_groups(SIGCONT);
    kill_by(kFailureGrace);
}

void Supervisor::kill_by(std::chrono::duration<double> wait) {
    const Clock::time_point deadline = from_now(wait);
    kill_at_ = kill_at_ ? std::min(*kill_at_, deadline) : deadline;
}

void Supervisor::kill_ranks() {
    parts_.server.park();
    ranks_.signal_groups(SIGKILL);
    killed_ = true;
    kill_at_.reset();
}

void Supervisor::act_on_deadlines() {
    ask_ranks();
    if (expired(timeout_at_) && !hang_watch_.deadline()) {
        timeout_at_.reset();
        tell_where_ranks_are();
        fail({Cause::launcher, -1, kExitTimeout, 0,
              fmt::format("the job did not end within {} s (--timeout); still running: rank {}",
                          *parts_.options.timeout_s, rank_ranges(ranks_.alive_ranks()))});
    }
    if (expired(judge_at_)) {
        judge_suspects();
    }
    if (expired(kill_at_)) {
        kill_ranks();
    }
    if (expired(drain_until_)) {
        drain_until_.reset();
        hurry_drain();
    }
}

void Supervisor::ask_ranks() {
    if (expired(watch_at_)) {
        watch_at_.reset();
        hang_watch_.begin(ranks_);
    }
    if (expired(hang_watch_.deadline())) {
        hang_watch_.go_on(ranks_);
        if (report_wanted_ && !hang_watch_.deadline()) {
            tell_where_ranks_are();
        }
    }
}

void Supervisor::tell_where_ranks_are() {
    report_wanted_ = false;
    if (!ending_ && !outcome_.is_interrupted()) {
        parts_.stdio.note(describe_places(Clock::now() - started_at_, hang_watch_.text()));
    }
}

/// Somebody still holds an output pipe: first our own descendants go, then the pipe is given up. While our
/// own reader is slow nothing is given up.
void Supervisor::hurry_drain() {
    if (!children_killed_) {
        children_killed_ = true;
        kill_remaining_children(parts_.keeper.pid());
        drain_until_ = Clock::now() + kStrangerGrace;
    } else if (parts_.stdio.flushed()) {
        parts_.stdio.close_outputs();
    } else {
        drain_until_ = Clock::now() + kStrangerGrace;
    }
}

Deadline Supervisor::next_deadline() const {
    Deadline next;
    const Deadline timeout = hang_watch_.deadline() ? std::nullopt : timeout_at_;
    for (const Deadline& deadline :
         {judge_at_, watch_at_, hang_watch_.deadline(), timeout, kill_at_, drain_until_}) {
        if (deadline && (!next || *deadline < *next)) {
            next = deadline;
        }
    }
    return next;
}

bool Supervisor::finished() const {
    return all_ended_ && suspects_.empty() &&
           (output_abandoned_ || (parts_.stdio.outputs_closed() && parts_.stdio.flushed()));
}

void Supervisor::report() {
    if (parts_.options.stats) {
        parts_.stdio.note("rb2run: what the job has exchanged:\n" + hang_watch_.summary(ranks_));
    }
    if (const auto& failure = outcome_.failure()) {
        const pid_t pid = failure->rank >= 0 ? ranks_.at(failure->rank).pid : -1;
        parts_.stdio.note(describe_failure(*failure, parts_.job, pid, ended_others_));
    }
    while (!parts_.stdio.flushed() && !output_abandoned_) {
        parts_.loop.run_once({});
    }
}

void Supervisor::trace(const std::string& text) {
    if (parts_.options.verbose) {
        const std::chrono::duration<double, std::milli> since = Clock::now() - started_at_;
        parts_.stdio.note(fmt::format("rb2run: {:7.2f} ms: {}\n", since.count(), text));
    }
}

}  // namespace rb2::launcher
