#pragma once
// The launcher's only wait: one epoll set with a handler per descriptor, used by one thread.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

#include "launcher/sys/unique_fd.hpp"

namespace rb2::launcher {

using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;

class EventLoop {
  public:
    /// Called with the epoll events that came in.
    using Handler = std::function<void(std::uint32_t events)>;

    /// Throws LaunchError when the kernel gives no epoll descriptor.
    EventLoop();

    /// Watches `fd` (borrowed) for `events`. False when this kind of file cannot be watched, as a regular
    /// file or /dev/null: such a file is always ready.
    [[nodiscard]] bool add(int fd, std::uint32_t events, Handler handler);

    /// Stops watching without forgetting the handler. A watched descriptor always reports hang-up, so a
    /// paused one must leave the set.
    void pause(int fd);

    /// Watches a paused descriptor again.
    void resume(int fd);

    /// Forgets `fd`; call it before closing. Safe inside any handler.
    void remove(int fd);

    /// Waits for events until `until` (for ever without one) and calls the handlers.
    void run_once(Deadline until);

  private:
    struct Watch {
        std::uint32_t events;
        bool active;
        std::shared_ptr<Handler> handler;  // shared: a handler may remove itself while it runs
    };

    UniqueFd epoll_;
    std::unordered_map<int, Watch> watches_;
};

}  // namespace rb2::launcher
