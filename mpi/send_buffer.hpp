#pragma once
// Buffers that users attach for buffered sends.

#include "mpi/comm.hpp"

namespace rb2::mpi {

/// Takes back the communicator's own buffer, if it has one, once nothing in it is on its way.
void forget_send_buffer(const Comm& comm);

}  // namespace rb2::mpi
