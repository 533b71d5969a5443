#pragma once
// All standard streams of the job: the ranks' outputs, rank 0's input, and the launcher's own messages.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/stdio/output_sink.hpp"
#include "launcher/stdio/rank_output.hpp"
#include "launcher/stdio/stdin_pump.hpp"
#include "launcher/sys/event_loop.hpp"

namespace rb2::launcher {

class StdioHub {
  public:
    /// What stands before each line of a rank.
    struct Prefix {
        bool rank = false;
        bool time = false;
    };

    /// Uses descriptors 0, 1 and 2 of this process.
    StdioHub(EventLoop& loop, Prefix prefix);

    /// Takes the pipes from a rank; either may be empty when the rank writes elsewhere.
    void attach_output(int rank, UniqueFd from_stdout, UniqueFd from_stderr);

    /// Takes the pipe to rank 0's standard input.
    void attach_input(UniqueFd to_rank);

    /// A message of rb2run itself on stderr, on a line of its own; `text` ends in a newline.
    void note(std::string_view text) { err().write(OutputSink::kLauncher, text); }

    /// Every output pipe is at its end.
    [[nodiscard]] bool outputs_closed() const;
    /// Everything read was written.
    [[nodiscard]] bool flushed() const;
    /// Gives up on pipes that somebody still holds open.
    void close_outputs();
    /// After SIGCONT.
    void on_continue();

  private:
    void on_sink_change();
    OutputSink& err() { return err_ ? *err_ : out_; }

    EventLoop& loop_;
    Prefix prefix_;
    OutputSink out_;
    std::optional<OutputSink>
        err_;  // none when stdout and stderr are the same file: lines must not mix there
    std::vector<std::unique_ptr<RankOutput>> outputs_;
    std::optional<StdinPump> input_;
};

}  // namespace rb2::launcher
