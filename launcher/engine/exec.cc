#include "launcher/engine/exec.hpp"

#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "command/pointers.hpp"
#include "launcher/job/report.hpp"
#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kGrace{10};  // an engine that is told to end needs up to 3 seconds for it
constexpr double kForEver = 1e9;            // seconds that a clock can still count
constexpr std::array kForwarded = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1,
                                   SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH};

void apply_environment(const EngineCommand& command) {
    for (const std::string& name : command.unset) {
        ::unsetenv(name.c_str());
    }
    for (const std::string& variable : command.set) {
        const std::size_t equals = variable.find('=');
        ::setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
    }
}

[[noreturn]] void cannot_start(const EngineCommand& command, int error) {
    throw LaunchError(kExitLauncher,
                      fmt::format("cannot start {}: {}", command.argv.front(), std::strerror(error)));
}

sigset_t watched_signals() {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGCHLD);
    for (const int signal : kForwarded) {
        ::sigaddset(&set, signal);
    }
    return set;
}

/// The engine as a child in our own process group, so that it can read the terminal.
pid_t start(const EngineCommand& command, const sigset_t& mask) {
    std::vector<char*> argv = command::pointers_to(command.argv);
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) {
        cannot_start(command, errno);
    }
    if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        ::sigprocmask(SIG_SETMASK, &mask, nullptr);
        if (::getppid() == parent) {
            ::execv(argv[0], argv.data());
            fmt::print(stderr, "rb2run: cannot start {}: {}\n", argv[0], std::strerror(errno));
        }
        ::_exit(kExitLauncher);
    }
    return pid;
}

class Watch {
  public:
    Watch(pid_t pid, double timeout_s, const Survey& survey)
        : pid_(pid),
          survey_(survey),
          timeout_s_(timeout_s),
          deadline_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(std::min(timeout_s, kForEver)))) {}

    int run(const sigset_t& signals) {
        for (;;) {
            siginfo_t info{};
            const timespec left = time_left();
            if (::sigtimedwait(&signals, &info, &left) > 0) {
                on_signal(info);
            } else if (errno == EAGAIN) {
                on_deadline();
            }
            if (const std::optional<int> code = ended()) {
                return timed_out_ ? kExitTimeout : *code;
            }
        }
    }

  private:
    [[nodiscard]] timespec time_left() const {
        const auto left = std::max(deadline_ - Clock::now(), Clock::duration::zero());
        const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
        return {static_cast<time_t>(seconds.count()),
                static_cast<long>(std::chrono::nanoseconds(left - seconds).count())};
    }

    /// The terminal sends its signals to the engine, too; only those from processes are passed on.
    void on_signal(const siginfo_t& info) const {
        if (info.si_signo == SIGCHLD) {
            return;
        }
        if (info.si_signo == SIGUSR1) {
            tell_where();  // passed on, it would end ranks that do not expect it
            return;
        }
        if (info.si_code != SI_KERNEL) {
            ::kill(pid_, info.si_signo);
        }
        if (info.si_signo == SIGTSTP) {
            ::raise(SIGSTOP);
        }
    }

    void on_deadline() {
        if (timed_out_) {
            ::kill(pid_, SIGKILL);
        } else {
            tell_where();
            fmt::print(stderr, "rb2run: --timeout: {} s are over; ending the job\n", timeout_s_);
            ::kill(pid_, SIGTERM);
            ::kill(pid_, SIGCONT);  // a stopped engine would not notice
            timed_out_ = true;
        }
        deadline_ = Clock::now() + kGrace;
    }

    void tell_where() const {
        const std::chrono::duration<double> since = Clock::now() - began_;
        fmt::print(stderr, "{}", describe_places(since, survey_.hang_report()));
    }

    [[nodiscard]] std::optional<int> ended() const {
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) != pid_) {
            return std::nullopt;
        }
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }

    pid_t pid_;
    const Survey& survey_;
    Clock::time_point began_ = Clock::now();
    double timeout_s_;
    Clock::time_point deadline_;
    bool timed_out_ = false;
};

}  // namespace

int hand_over(const EngineCommand& command, const Options& options, const Survey* survey) {
    apply_environment(command);
    if (survey == nullptr) {
        ::execv(command.argv.front().c_str(), command::pointers_to(command.argv).data());
        cannot_start(command, errno);
    }
    ::signal(SIGCHLD, SIG_DFL);  // inherited as ignored, the engine's exit code would be lost
    const sigset_t signals = watched_signals();
    sigset_t before;
    ::sigprocmask(SIG_BLOCK, &signals, &before);
    const int code =
        Watch(start(command, before), options.timeout_s.value_or(kForEver), *survey).run(signals);
    // Ranks that have finalized have removed their pages themselves, unless they are to be looked at now.
    if (options.stats || code != 0) {
        const std::string exchanged = survey->finish();
        if (options.stats) {
            fmt::print(stderr, "{}", exchanged);
        }
    }
    return code;
}

}  // namespace rb2::launcher
