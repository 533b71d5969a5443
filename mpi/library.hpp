#pragma once
// Start and end of the C interface in this process.

#include "mpi.h"
#include "pt2pt/job.hpp"

namespace rb2::mpi {

/// The job, while the library is running: between MPI_Init and MPI_Finalize.
[[nodiscard]] pt2pt::Job* job() noexcept;

}  // namespace rb2::mpi
