#pragma once
// What becomes of a communicator's attributes when it is duplicated and freed.

#include "mpi.h"
#include "mpi/comm.hpp"

namespace rb2::mpi {

/// What the users' copy callbacks make of `parent`'s attributes, for its duplicate. `from` is the parent's
/// handle. Returns the error class, which is reported already.
int copy_attributes(const char* function, MPI_Comm from, const Comm& parent, Comm& child);

/// Calls the users' delete callbacks. After an error, attributes are left. Returns the error class, which is
/// reported already.
int delete_attributes(const char* function, MPI_Comm handle, Comm& comm);

}  // namespace rb2::mpi
