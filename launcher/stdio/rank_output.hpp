#pragma once
// Forwards one output stream of one rank.

#include "launcher/stdio/line_assembler.hpp"
#include "launcher/stdio/output_sink.hpp"
#include "launcher/sys/event_loop.hpp"
#include "launcher/sys/unique_fd.hpp"

namespace rb2::launcher {

/// Reads the pipe from a rank, hands whole lines to a sink, and stops reading while the sink is congested.
/// When nobody reads the sink any more the pipe is closed, so that the rank learns of it as it would in a
/// shell.
class RankOutput {
  public:
    /// `source`: the rank. The references must outlive this object.
    RankOutput(EventLoop& loop, OutputSink& sink, OutputSink::Source source, LineAssembler lines,
               UniqueFd pipe);
    RankOutput(const RankOutput&) = delete;
    RankOutput& operator=(const RankOutput&) = delete;
    ~RankOutput() { close(); }

    /// To be called when the sink has changed.
    void on_sink_change();

    /// End of file reached, or given up.
    [[nodiscard]] bool closed() const { return !pipe_; }

    /// Passes on what is held back and stops.
    void close();

  private:
    void on_readable();

    EventLoop& loop_;
    OutputSink& sink_;
    OutputSink::Source source_;
    LineAssembler lines_;
    UniqueFd pipe_;
};

}  // namespace rb2::launcher
