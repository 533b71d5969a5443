#pragma once
// Signals to the launcher, as events.

#include <csignal>
#include <functional>

#include "launcher/sys/event_loop.hpp"
#include "launcher/sys/unique_fd.hpp"

namespace rb2::launcher {

/// Blocks the handled signals for this thread and all threads it starts later, and reads them from a
/// signalfd. Create it before PMIx starts its threads.
class SignalSource {
  public:
    /// Throws LaunchError.
    SignalSource();

    /// Calls `handler` with each signal's number from now on.
    void watch(EventLoop& loop, std::function<void(int)> handler);

    /// The signal mask from before, for the ranks.
    [[nodiscard]] const sigset_t& mask_before() const { return mask_before_; }

  private:
    sigset_t mask_before_{};
    UniqueFd fd_;
};

}  // namespace rb2::launcher
