#pragma once
// Where forwarded output goes: the launcher's own stdout or stderr.

#include <functional>
#include <string>
#include <string_view>

#include "launcher/sys/event_loop.hpp"

namespace rb2::launcher {

/// Writes without ever blocking the event loop, although the descriptor is shared with other programs and so
/// must stay in blocking mode: a pipe or terminal that poll calls writable takes at least one page.
class OutputSink {
  public:
    /// Who writes; a change of source in the middle of a line starts a new one.
    using Source = int;
    static constexpr Source kLauncher = -1;

    /// `fd` is borrowed. `on_room` runs whenever congested() or broken() has changed.
    OutputSink(EventLoop& loop, int fd, std::function<void()> on_room);
    OutputSink(const OutputSink&) = delete;
    OutputSink& operator=(const OutputSink&) = delete;

    void write(Source source, std::string_view text);

    /// Too much is waiting: stop reading from the ranks.
    [[nodiscard]] bool congested() const { return waiting_.size() - written_ > kHighWater; }
    [[nodiscard]] bool empty() const { return written_ == waiting_.size(); }
    /// Nobody reads any more; what is written is dropped.
    [[nodiscard]] bool broken() const { return broken_; }

  private:
    static constexpr std::size_t kHighWater = std::size_t{1} << 20;
    static constexpr std::size_t kPage = 4096;

    void pump();
    void tell_of_change();
    /// True if the descriptor took something.
    bool write_some();
    void fail();

    EventLoop& loop_;
    int fd_;
    std::function<void()> on_room_;
    bool watched_;         // false for regular files, which are always ready
    std::string waiting_;  // bytes [written_, size) are still to be written
    std::size_t written_ = 0;
    bool at_line_start_ = true;
    Source last_source_ = kLauncher;
    bool broken_ = false;
    bool told_congested_ = false;  // what on_room_ was last called for
};

}  // namespace rb2::launcher
