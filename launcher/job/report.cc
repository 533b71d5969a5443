#include "launcher/job/report.hpp"

#include <fmt/core.h>

#include <csignal>
#include <cstring>

namespace rb2::launcher {
namespace {

std::string signal_name(int signal) { return fmt::format("signal {} ({})", signal, ::strsignal(signal)); }

std::string what_happened(const Failure& failure) {
    switch (failure.cause) {
        case Cause::cannot_start:
            return fmt::format("could not be started: {}: {}{}", failure.text, std::strerror(failure.detail),
                               failure.text == "exec" && failure.detail == ENOENT
                                   ? " (is the interpreter in its first line missing?)"
                                   : "");
        case Cause::signal:
            return "was killed by " + signal_name(failure.detail);
        case Cause::exit_code:
            return fmt::format("exited with code {}", failure.detail);
        case Cause::unfinalized:
            return "exited with code 0 without finalizing (MPI_Finalize or PMIx_Finalize)";
        case Cause::left_early:
            return "exited with code 0 without initializing, while others wait for it";
        case Cause::aborted:
            return fmt::format("aborted the job with code {}{}{}", failure.detail,
                               failure.text.empty() ? "" : ": ", failure.text);
        case Cause::interrupted:
            return "ended after rb2run received " + signal_name(failure.detail);
        case Cause::launcher:
            break;
    }
    return "was ended";
}

}  // namespace

std::string describe_failure(const Failure& failure, const Job& job, pid_t pid, int ended_ranks) {
    if (failure.cause == Cause::launcher) {
        return fmt::format("rb2run: {}\n", failure.text);
    }
    if (failure.cause == Cause::interrupted) {
        return fmt::format("rb2run: the job ended after {}\n", signal_name(failure.detail));
    }
    std::string text =
        fmt::format("rb2run: rank {} of {} (host {}, pid {}, program {}) {}", failure.rank, job.size,
                    job.host, pid, job.app_of(failure.rank).argv.front(), what_happened(failure));
    if (ended_ranks > 0) {
        text += fmt::format("; rb2run ended the other {} running rank{}", ended_ranks,
                            ended_ranks == 1 ? "" : "s");
    }
    return text + "\n";
}

std::string describe_places(std::chrono::duration<double> since, std::string_view ranks) {
    return fmt::format("rb2run: where the ranks are, {:.1f} s after the start:\n{}", since.count(), ranks);
}

}  // namespace rb2::launcher
