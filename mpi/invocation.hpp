#pragma once
// The three ways to call a collective.

#include <cstdint>

#include "mpi.h"

namespace rb2::mpi {

/// How a collective was called: as MPI_X, MPI_IX or MPI_X_init.
struct Invocation {
    enum class Way : std::uint8_t { blocking, nonblocking, persistent };

    const char* function;
    MPI_Comm comm;
    Way way = Way::blocking;
    MPI_Request* request = nullptr;  ///< of the other two ways
};
inline Invocation blocking(const char* function, MPI_Comm comm) { return {function, comm}; }
inline Invocation nonblocking(const char* function, MPI_Comm comm, MPI_Request* request) {
    return {function, comm, Invocation::Way::nonblocking, request};
}
inline Invocation persistent(const char* function, MPI_Comm comm, MPI_Request* request) {
    return {function, comm, Invocation::Way::persistent, request};
}

}  // namespace rb2::mpi
