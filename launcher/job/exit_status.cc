#include "launcher/job/exit_status.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

constexpr int kSignalBase = 128;  // as shells do
constexpr int kEarlyLeaveCode = 1;

bool is_signal_or_early(Cause cause) {
    return cause == Cause::signal || cause == Cause::unfinalized || cause == Cause::left_early;
}

}  // namespace

std::optional<Failure> judge(const RankEnd& end, bool others_wait) {
    if (end.start_error != 0) {
        return Failure{Cause::cannot_start, end.rank, kExitCannotStart, end.start_error, end.start_stage};
    }
    if (WIFSIGNALED(end.wait_status)) {
        const int signal = WTERMSIG(end.wait_status);
        return Failure{Cause::signal, end.rank, kSignalBase + signal, signal, {}};
    }
    if (const int code = WEXITSTATUS(end.wait_status); code != 0) {
        return Failure{Cause::exit_code, end.rank, code, code, {}};
    }
    if (end.pmix == PmixState::connected) {
        return Failure{Cause::unfinalized, end.rank, kEarlyLeaveCode, 0, {}};
    }
    if (end.pmix == PmixState::none && others_wait) {
        return Failure{Cause::left_early, end.rank, kEarlyLeaveCode, 0, {}};
    }
    return std::nullopt;
}

Failure likely_origin(std::vector<Failure> failures) {
    // The enumerators are in this order.
    return *std::min_element(failures.begin(), failures.end(), [](const Failure& a, const Failure& b) {
        return std::tie(a.cause, a.rank) < std::tie(b.cause, b.rank);
    });
}

void JobOutcome::record(Failure failure) {
    if (failure_) {
        return;
    }
    if (is_interrupted() && is_signal_or_early(failure.cause)) {
        failure.cause = Cause::interrupted;
        failure.detail = interrupt_;
        failure.exit_code = kSignalBase + interrupt_;
    }
    failure_ = std::move(failure);
}

void JobOutcome::interrupted_by(int signal) {
    if (interrupt_ == 0) {
        interrupt_ = signal;
    }
}

int abort_exit_code(int code) {
    const int low = code & 0xff;
    return low != 0 ? low : 1;
}

}  // namespace rb2::launcher
