#pragma once
// Start and end of a rank.

#include <string>
#include <string_view>

#include "rb2/communicator.hpp"
#include "rb2/detail/export.hpp"

namespace rb2 {

/// While it lives, this process is a rank: started by rb2run or another PMIx launcher, or alone as a world of
/// one. One at a time; it may live together with MPI_Init … MPI_Finalize of the C interface, over the same
/// engine. The process is a rank once: after both have ended, neither can start again.
class RB2_API Environment {
  public:
    /// Finds the other ranks. Throws an exception derived from std::runtime_error that says what failed.
    Environment();
    /// Collective: waits for the own sends, then leaves. When an exception is under way the job is ended
    /// instead, since the other ranks would wait for this one forever.
    ~Environment();
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

    /// All ranks of the job.
    [[nodiscard]] const Communicator& world() const noexcept { return world_; }
    /// This rank alone.
    [[nodiscard]] const Communicator& self() const noexcept { return self_; }
    /// Name of the machine a world rank runs on.
    [[nodiscard]] std::string host(int world_rank) const;
    /// Ends the job with `code` on all ranks and tells the user `text`.
    [[noreturn]] void abort(int code, std::string_view text) const;

  private:
    Communicator world_;
    Communicator self_;
    int exceptions_at_start_ = 0;
};

/// Seconds of a clock that only goes forward. Its zero is no particular time.
[[nodiscard]] RB2_API double wall_time() noexcept;

}  // namespace rb2
