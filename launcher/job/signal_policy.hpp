#pragma once
// What a signal to the launcher means for the job.

namespace rb2::launcher {

/// Sent to every rank's process group.
struct SignalResponse {
    int forward;          ///< signal for the ranks
    bool ends_job;        ///< start the wait after which what is left is killed
    bool stop_self;       ///< the launcher stops too, so that the shell gets its terminal back
    bool report = false;  ///< say where the ranks are; only those that handle the signal get it
};

/// INT, TERM, HUP and QUIT ask the job to end and are passed on as they are; a second request becomes TERM
/// after INT and KILL after the others, a third KILL. USR1, USR2, CONT, TSTP and WINCH are passed on; USR1
/// asks for the hang report, too, and nobody shall die of that.
class SignalPolicy {
  public:
    [[nodiscard]] SignalResponse on(int signal);

  private:
    int end_requests_ = 0;
};

}  // namespace rb2::launcher
