#pragma once
// Collectives over intercommunicators (MPI 5.0, section 6.2.3): what one group gives, the other gets.
//
// They are made of MPI's own calls: a local collective among the own group, and messages to the remote one
// over a context that only they use. So each datatype and operation works here as it does there. Linear in
// the size of the remote group where every rank has something for every other.

#include <cstdint>
#include <span>
#include <vector>

#include "mpi.h"
#include "mpi/comm.hpp"
#include "mpi/datatype/type.hpp"

namespace rb2::mpi {

/// The intercommunicator behind a handle, or null.
inline Comm* find_inter(MPI_Comm handle) noexcept {
    Comm* const comm = find_comm(handle);
    return comm != nullptr && comm->communicator->is_inter() ? comm : nullptr;
}

namespace inter {

/// Elements in a user's buffer, of which only those to be received are written.
struct Part {
    const void* buffer;
    MPI_Count count;
    MPI_Datatype datatype;

    [[nodiscard]] void* writable() const noexcept { return const_cast<void*>(buffer); }
};

inline const void* displaced(const void* buffer, MPI_Count bytes) noexcept {
    return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(buffer) +
                                         static_cast<std::uintptr_t>(bytes));
}

/// One for each remote rank.
using Parts = std::vector<Part>;

/// The same for each.
[[nodiscard]] inline Parts same_parts(const Comm& comm, Part part) {
    return Parts(static_cast<std::size_t>(comm.communicator->size()), part);
}
/// `part.count` elements for each remote rank, one behind the other.
[[nodiscard]] Parts equal_parts(const Comm& comm, Part part);
/// `counts[r]` elements for rank r, `displs[r]` extents behind `buffer`.
template <class Count, class Offset>
[[nodiscard]] Parts uneven_parts(const Comm& comm, const void* buffer, const Count* counts,
                                 const Offset* displs, MPI_Datatype datatype);

// Each returns the error class. `own` is what this rank gives or gets. Parts of a call with a root are the
// root's, and empty elsewhere.

int barrier(Comm& comm);
int broadcast(const char* function, Comm& comm, Part data, int root);
int reduce(const char* function, Comm& comm, Part own, void* result, MPI_Op op, int root);
int allreduce(const char* function, Comm& comm, Part own, void* result, MPI_Op op);
/// `counts`: elements for each rank of the own group; `own.count` is not used.
int reduce_scatter(const char* function, Comm& comm, Part own, void* result,
                   std::span<const MPI_Count> counts, MPI_Op op);
int gather(const char* function, Comm& comm, Part own, const Parts& parts, int root);
int scatter(const char* function, Comm& comm, const Parts& parts, Part own, int root);
/// Part r of `out` to remote rank r, part r of `in` from it.
int exchange(const char* function, Comm& comm, const Parts& out, const Parts& in);

template <class Count, class Offset>
Parts uneven_parts(const Comm& comm, const void* buffer, const Count* counts, const Offset* displs,
                   MPI_Datatype datatype) {
    const MPI_Count extent = extent_in_bytes(datatype);
    Parts parts;
    for (int rank = 0; rank < comm.communicator->size(); ++rank)
        parts.push_back({displaced(buffer, displs[rank] * extent), counts[rank], datatype});
    return parts;
}

}  // namespace inter
}  // namespace rb2::mpi
