#pragma once
// What an MPI_Status holds. Of the five internal ints, the first two are a 64-bit byte count and the third
// tells whether the operation was cancelled; the rest is zero. No pointers: users copy statuses.

#include <cstdint>
#include <cstring>

#include "mpi.h"
#include "pt2pt/communicator.hpp"

namespace rb2::mpi {

/// Sets all but MPI_ERROR, which only calls that complete several requests may touch (MPI 5.0,
/// section 3.2.5).
inline void set_status(MPI_Status* status, int source, int tag, std::uint64_t bytes,
                       bool cancelled) noexcept {
    if (status == MPI_STATUS_IGNORE) return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    std::memcpy(status->MPI_internal, &bytes, sizeof(bytes));
    status->MPI_internal[2] = cancelled ? 1 : 0;
    status->MPI_internal[3] = status->MPI_internal[4] = 0;
}

inline void set_bytes(MPI_Status& status, std::uint64_t bytes) noexcept {
    std::memcpy(status.MPI_internal, &bytes, sizeof(bytes));
}

/// Of a null or inactive request: MPI_ERROR included (MPI 5.0, section 3.7.3).
inline void set_empty_status(MPI_Status* status) noexcept {
    set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false);
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = MPI_SUCCESS;
}

/// Of a send: the same, but for MPI_ERROR.
inline void set_send_status(MPI_Status* status, bool cancelled) noexcept {
    set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, cancelled);
}

/// Of a receive from, or a probe of, MPI_PROC_NULL.
inline void set_null_status(MPI_Status* status) noexcept {
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
}

/// Of a received or probed message, as the engine reports it.
inline void set_status(MPI_Status* status, const pt2pt::Communicator& communicator,
                       const pt2pt::MessageInfo& info) noexcept {
    if (status == MPI_STATUS_IGNORE) return;
    set_status(status, communicator.local_rank(info.source), info.tag, info.bytes, info.cancelled);
}

[[nodiscard]] inline std::uint64_t bytes_of(const MPI_Status& status) noexcept {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, status.MPI_internal, sizeof(bytes));
    return bytes;
}

[[nodiscard]] inline bool cancelled(const MPI_Status& status) noexcept { return status.MPI_internal[2] != 0; }

}  // namespace rb2::mpi
