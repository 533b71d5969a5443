#pragma once
// What the blocking and the nonblocking send-and-receive share.

#include <cstddef>
#include <memory>

#include "mpi/request.hpp"

namespace rb2::mpi {

using Bytes = std::unique_ptr<std::byte[]>;

/// Ends a receive after the send failed: taken back, or waited for when its message is already coming.
/// Returns `error`.
int give_up_receive(MPI_Request request, int error);

/// Lets `out` send a copy of its message, since the buffer takes another one. Returns the error class.
int copy_message(MessageCall& out, Bytes& copy);

}  // namespace rb2::mpi
