#pragma once
// Start and end of the C interface in this process.

#include "mpi.h"
#include "pt2pt/job.hpp"

namespace rb2::mpi {

/// The job, while the library is running: between MPI_Init and MPI_Finalize, and from the first session on.
[[nodiscard]] pt2pt::Job* job() noexcept;

/// Starts the library, unless it runs, for one more session with calls as `thread_level` allows them. Throws
/// StartupError. Once there was a session the library runs until the process ends, because another one may
/// be begun at any time, and a process can be part of a job only once.
void begin_session(int thread_level);
/// Waits until what the program has sent is on its way, as MPI_Finalize does.
void end_session();

}  // namespace rb2::mpi
