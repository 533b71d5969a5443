#pragma once
// Steps that the wait and test forms of several requests share.

#include "mpi/errors.hpp"
#include "mpi/request.hpp"

namespace rb2::mpi {

/// The engine all requests belong to. The library must be running.
inline pt2pt::Engine& engine() noexcept { return predefined_comms.world->engine(); }

inline MPI_Status* at(MPI_Status* statuses, int index) noexcept {
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + index;
}

/// True when the library runs and the array can be looked at; else refuse_array() tells why not.
inline bool accept_array(int count, const MPI_Request* requests) noexcept {
    return (predefined_comms.world != nullptr) & (count >= 0) & ((requests != nullptr) | (count == 0));
}
[[gnu::cold, gnu::noinline]] int refuse_array(const char* function, int count);

/// MPI_SUCCESS when the array can be looked at and every handle in it is a request or null.
int check_requests(const char* function, int count, const MPI_Request* requests);

/// Number of requests that are neither MPI_REQUEST_NULL nor inactive. All must be requests or null.
[[nodiscard]] int count_active(int count, const MPI_Request* requests) noexcept;

/// Index of the first complete request that is not inactive, or -1. All must be requests or null.
[[nodiscard]] int first_complete(int count, const MPI_Request* requests) noexcept;

[[nodiscard]] inline bool all_complete(int count, const MPI_Request* requests) noexcept {
    for (int i = 0; i < count; ++i)
        if (const RequestObject* object = find_request(requests[i]); object != nullptr && !object->complete())
            return false;
    return true;
}

/// Waits for all and finishes them, in one pass. MPI_SUCCESS, MPI_ERR_IN_STATUS, or the error of a bad
/// handle.
int wait_for_all(const char* function, int count, MPI_Request* requests, MPI_Status* statuses);

/// Finishes every complete request, in order, and tells how many and which. MPI_SUCCESS or MPI_ERR_IN_STATUS.
int finish_some(const char* function, int count, MPI_Request* requests, int* outcount, int* indices,
                MPI_Status* statuses);

}  // namespace rb2::mpi
