#include "launcher/sys/signal_source.hpp"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {

SignalSource::SignalSource() {
    sigset_t handled;
    sigemptyset(&handled);
    for (const int signal :
         {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP, SIGWINCH}) {
        sigaddset(&handled, signal);
    }
    ::sigprocmask(SIG_BLOCK, &handled, &mask_before_);
    ::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write
    ::signal(SIGCHLD, SIG_DFL);  // ignored by a careless parent, it would reap the ranks before us
    fd_ = UniqueFd(::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd_) {
        throw LaunchError(kExitLauncher, std::string("signalfd: ") + std::strerror(errno));
    }
}

void SignalSource::watch(EventLoop& loop, std::function<void(int)> handler) {
    const int fd = fd_.get();
    (void)loop.add(fd, EPOLLIN, [fd, handler = std::move(handler)](std::uint32_t) {
        signalfd_siginfo info{};
        while (::read(fd, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
            handler(static_cast<int>(info.ssi_signo));
        }
    });
}

}  // namespace rb2::launcher
