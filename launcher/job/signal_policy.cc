#include "launcher/job/signal_policy.hpp"

#include <csignal>

namespace rb2::launcher {

SignalResponse SignalPolicy::on(int signal) {
    if (signal != SIGINT && signal != SIGTERM && signal != SIGHUP && signal != SIGQUIT) {
        return {signal, false, signal == SIGTSTP, signal == SIGUSR1};
    }
    ++end_requests_;
    if (end_requests_ == 1) {
        return {signal, true, false};
    }
    const bool gentle = end_requests_ == 2 && signal == SIGINT;
    return {gentle ? SIGTERM : SIGKILL, true, false};
}

}  // namespace rb2::launcher
