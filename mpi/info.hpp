#pragma once
// What MPI_INFO_ENV tells.

#include <string_view>

namespace rb2::mpi {

/// To be called once the library runs: `ranks` in the job, this rank's host, the level of thread support.
void remember_start(int ranks, std::string_view host, int thread_level);

}  // namespace rb2::mpi
