#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <vector>

#include "osu-style-bench/mpi/driver.hpp"
#include "osu-style-bench/mpi/pair.hpp"

namespace rb2::bench {

/// Keeps a number of entries in the message queue of both ranks that no timed message matches: receives
/// posted before the timed ones, or unexpected messages that arrived before them. Both ranks construct and
/// drain together; drain() makes every entry meet its partner, and must come last.
class PendingEntries {
  public:
    PendingEntries(const Run& run, const Pair& pair);
    void drain();

  private:
    using Entry = std::array<std::byte, 8>;

    void post_receives();
    void post_sends();

    Pair pair_;
    bool unexpected_;
    std::vector<Entry> incoming_;
    std::vector<Entry> outgoing_;
    std::vector<MPI_Request> receives_;
    std::vector<MPI_Request> sends_;
};

}  // namespace rb2::bench
