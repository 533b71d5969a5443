#pragma once
// What the PMIx server learns about a rank, carried from its progress thread to the event loop.

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "launcher/sys/unique_fd.hpp"

namespace rb2::launcher {

struct RankEvent {
    /// lost: the connection broke without PMIx_Finalize; these come in the order in which that happened.
    enum class Kind : std::uint8_t { connected, finalized, aborted, lost };
    Kind kind;
    int rank;
    int abort_code = 0;      ///< as given to PMIx_Abort
    std::string abort_text;  ///< may be empty
};

/// Many writers, one reader; readable through poll on fd().
class RankEventQueue {
  public:
    /// Throws LaunchError when there is no descriptor left.
    RankEventQueue();

    /// Any thread.
    void push(RankEvent event);

    /// All events so far, oldest first.
    [[nodiscard]] std::vector<RankEvent> take();

    [[nodiscard]] int fd() const { return wakeup_.get(); }

  private:
    UniqueFd wakeup_;
    std::mutex mutex_;
    std::vector<RankEvent> events_;
};

}  // namespace rb2::launcher
