#include "launcher/process/keeper.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <vector>

#include "launcher/process/descendants.hpp"
#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

constexpr int kPipeFd = 3;

void ignore_signals() {
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP, SIGPIPE}) {
        ::signal(signal, SIG_IGN);
    }
}

/// Keeps `pipe` only: a held copy of the launcher's output would hide its end from whoever reads it.
void keep_only(int pipe) {
    ::dup2(pipe, kPipeFd);
    ::close_range(kPipeFd + 1, UINT_MAX, 0);
    const int nothing = ::open("/dev/null", O_RDWR);
    for (int fd = 0; fd < kPipeFd; ++fd) {
        ::dup2(nothing, fd);
    }
    ::close(nothing);
}

/// All groups written by the launcher until it died.
std::vector<pid_t> read_groups() {
    std::vector<pid_t> groups;
    pid_t group = 0;
    for (;;) {
        const ssize_t got = ::read(kPipeFd, &group, sizeof group);
        if (got == static_cast<ssize_t>(sizeof group)) {
            groups.push_back(group);
        } else if (got >= 0 || errno != EINTR) {
            return groups;
        }
    }
}

[[noreturn]] void keep(int pipe, const Footprint& footprint) {
    const pid_t job_session = ::getsid(0);
    ::setsid();
    ::prctl(PR_SET_NAME, kKeeperName);
    ignore_signals();
    keep_only(pipe);
    (void)!::chdir("/");  // do not hold the user's directory busy; failing is harmless
    const std::vector<pid_t> groups = read_groups();
    kill_job_processes(footprint.nonce, groups, job_session);
    remove_footprint(footprint);
    ::_exit(0);
}

}  // namespace

Keeper::Keeper(const Footprint& footprint) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw LaunchError(kExitLauncher, std::string("pipe: ") + std::strerror(errno));
    }
    const UniqueFd read_end(ends[0]);
    to_keeper_ = UniqueFd(ends[1]);
    pid_ = ::fork();
    if (pid_ < 0) {
        throw LaunchError(kExitLauncher, std::string("fork: ") + std::strerror(errno));
    }
    if (pid_ == 0) {
        to_keeper_.reset();
        keep(read_end.get(), footprint);
    }
}

void Keeper::watch_group(pid_t group) const {
    // A write this small is atomic; if the keeper was killed the job goes on without it.
    (void)!::write(to_keeper_.get(), &group, sizeof group);
}

void Keeper::dismiss() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }
}

}  // namespace rb2::launcher
