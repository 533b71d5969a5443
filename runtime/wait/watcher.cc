#include "runtime/wait/watcher.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <system_error>

namespace rb2::wait {
namespace {

void signal_event(int event) noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(event, &one, sizeof one);
}

/// The application's signals are for its own threads.
class SignalsBlocked {
  public:
    SignalsBlocked() noexcept {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  private:
    sigset_t before_{};
};

}  // namespace

Watcher::~Watcher() {
    if (thread_.joinable()) {
        over_ = true;
        disarm();
        signal_event(control_);
        thread_.join();
    }
    if (control_ >= 0) ::close(control_);
}

void Watcher::arm() noexcept {
    if (control_ < 0 && (control_ = ::eventfd(0, EFD_CLOEXEC)) < 0) return;
    disarm();
    turn_.store(turn_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (!thread_.joinable()) {
        const SignalsBlocked blocked;  // the new thread inherits it
        try {
            thread_ = std::thread([this] { run(); });
        } catch (const std::system_error&) {
            return;
        }
    }
    signal_event(control_);
}

void Watcher::run() noexcept {
    while (wait_for_arm()) wait_for_input();
}

bool Watcher::wait_for_arm() noexcept {
    std::uint64_t events = 0;
    while (::read(control_, &events, sizeof events) < 0 && errno == EINTR) {
    }
    return !over_;
}

/// Ends when input came, or the rank has ended its sleep by itself and begins another or leaves.
void Watcher::wait_for_input() noexcept {
    const std::uint64_t turn = turn_.load(std::memory_order_relaxed);
    if (!watches(turn)) return;
    std::vector<pollfd> polled;
    for (const int descriptor : descriptors_) polled.push_back({descriptor, POLLIN, 0});
    polled.push_back({control_, POLLIN, 0});
    if (::poll(polled.data(), polled.size(), -1) <= 0 || polled.back().revents != 0) return;
    // The rank arms before it goes to sleep, so its bell may not be ready yet: then ring again.
    constexpr std::chrono::microseconds again{50};
    while (turn_.load(std::memory_order_relaxed) == turn) {
        ring(bell_);
        std::this_thread::sleep_for(again);
    }
}

}  // namespace rb2::wait
