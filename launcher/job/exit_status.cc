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
    Failure failure{Cause::signal, end.rank, 0, 0, {}, 0};
    if (end.start_error != 0) {
        failure.cause = Cause::cannot_start;
        failure.exit_code = kExitCannotStart;
        failure.detail = end.start_error;
        failure.text = end.start_stage;
    } else if (WIFSIGNALED(end.wait_status)) {
        failure.detail = WTERMSIG(end.wait_status);
        failure.exit_code = kSignalBase + failure.detail;
    } else if (WEXITSTATUS(end.wait_status) != 0) {
        failure.cause = Cause::exit_code;
        failure.detail = failure.exit_code = WEXITSTATUS(end.wait_status);
    } else if (end.pmix == PmixState::connected || (end.pmix == PmixState::none && others_wait)) {
        failure.cause = end.pmix == PmixState::connected ? Cause::unfinalized : Cause::left_early;
        failure.exit_code = kEarlyLeaveCode;
    } else {
        return std::nullopt;
    }
    return failure;
}

Failure likely_origin(std::vector<Failure> failures) {
    return *std::min_element(failures.begin(), failures.end(), [](const Failure& a, const Failure& b) {
        return std::tie(a.lost_order, a.cause, a.rank) < std::tie(b.lost_order, b.cause, b.rank);
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
