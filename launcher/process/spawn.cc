#include "launcher/process/spawn.hpp"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "command/pointers.hpp"
#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

[[noreturn]] void report_and_exit(const SpawnRequest& request, const char* stage) {
    SpawnFailure failure{};
    failure.rank = request.rank;
    failure.error = errno;
    std::strncpy(failure.stage, stage, sizeof failure.stage - 1);
    (void)!::write(request.failure_fd, &failure, sizeof failure);
    ::_exit(kExitCannotStart);
}

void leave_with(pid_t launcher) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != launcher) {
        ::_exit(kExitLauncher);  // it died before the line above
    }
}

void become_program(const SpawnRequest& request, char* const* argv, char* const* environment,
                    pid_t launcher) {
    ::setpgid(0, 0);
    leave_with(launcher);
    if (!request.cpu_mask.empty()) {
        // A binding that became impossible meanwhile is no reason to fail.
        ::syscall(SYS_sched_setaffinity, 0, request.cpu_mask.size() * sizeof(unsigned long),
                  request.cpu_mask.data());
    }
    ::setrlimit(RLIMIT_NOFILE, &request.descriptor_limit);
    ::dup2(request.stdin_fd, STDIN_FILENO);
    ::dup2(request.stdout_fd, STDOUT_FILENO);
    ::dup2(request.stderr_fd, STDERR_FILENO);
    ::signal(SIGPIPE, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &request.signal_mask, nullptr);
    if (!request.wdir.empty() && ::chdir(request.wdir.c_str()) != 0) {
        report_and_exit(request, "chdir");
    }
    ::execvpe(request.executable.c_str(), argv, environment);  // falls back to sh for a script without "#!"
    report_and_exit(request, "exec");
}

}  // namespace

pid_t spawn(const SpawnRequest& request) {
    const std::vector<char*> argv = command::pointers_to(request.argv);
    const std::vector<char*> environment = command::pointers_to(request.environment);
    const pid_t launcher = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
        become_program(request, argv.data(), environment.data(), launcher);
    }
    if (pid > 0) {
        ::setpgid(pid, pid);  // in both, so that it is true whoever runs first
    }
    return pid;
}

}  // namespace rb2::launcher
