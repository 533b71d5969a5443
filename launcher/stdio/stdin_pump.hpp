#pragma once
// Feeds the launcher's standard input to rank 0.

#include <string>

#include "launcher/sys/event_loop.hpp"
#include "launcher/sys/unique_fd.hpp"

namespace rb2::launcher {

/// Reads only when the rank's pipe has taken everything read before, so a rank that does not read holds at
/// most one buffer; and not at all while the launcher is a background process group of the terminal, which
/// would stop it.
class StdinPump {
  public:
    /// `input` is borrowed and keeps its blocking mode (it is shared with other programs); `to_rank` is ours.
    StdinPump(EventLoop& loop, int input, UniqueFd to_rank);
    StdinPump(const StdinPump&) = delete;
    StdinPump& operator=(const StdinPump&) = delete;
    ~StdinPump() { close(); }

    /// After SIGCONT: the launcher may be in the foreground again.
    void on_continue() { want_input(); }

  private:
    static constexpr std::size_t kBufferBytes = 65536;

    void want_input();
    void on_input();
    void on_output();
    void forward();
    void close();

    EventLoop& loop_;
    int input_;
    UniqueFd to_rank_;
    bool input_watched_ = false;  // false for regular files, which are always ready
    std::string buffer_;
    std::size_t forwarded_ = 0;
};

}  // namespace rb2::launcher
