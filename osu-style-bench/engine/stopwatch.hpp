#pragma once

#include <chrono>

namespace rb2::bench {

/// Time since construction. The system's steady clock rather than MPI_Wtime, so that all libraries are
/// measured with the same resolution.
class Stopwatch {
  public:
    [[nodiscard]] double elapsed_seconds() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }
    [[nodiscard]] double elapsed_us() const { return elapsed_seconds() * 1e6; }
    [[nodiscard]] double elapsed_ms() const { return elapsed_seconds() * 1e3; }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

}  // namespace rb2::bench
