#pragma once
// Start and end of the C interface in this process.

#include "mpi.h"
#include "pt2pt/job.hpp"

namespace rb2::mpi {

/// Level of thread support the library gives: one thread calls at a time.
constexpr int kThreadLevel = MPI_THREAD_SERIALIZED;

/// The job, while the library is running: between MPI_Init and MPI_Finalize.
[[nodiscard]] pt2pt::Job* job() noexcept;

}  // namespace rb2::mpi
