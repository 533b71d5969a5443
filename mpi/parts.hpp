#pragma once
// Blocks of different sizes, as the user of an alltoallv or alltoallw gave them.

#include <cstddef>
#include <vector>

#include "mpi/collective_call.hpp"
#include "mpi/inter_collective.hpp"

namespace rb2::mpi {

/// One datatype for all, displacements in elements.
template <class Count, class Offset>
struct Parts {
    const Count* counts;
    const Offset* displs;
    MPI_Datatype datatype;

    std::vector<Block> take_input(Call& call, const void*& buffer, std::size_t count) const {
        return call.take_blocks(const_cast<void*&>(buffer), count, counts, displs, datatype, Use::input);
    }
    std::vector<Block> take_output(Call& call, void*& buffer, std::size_t count, Use use) const {
        return call.take_blocks(buffer, count, counts, displs, datatype, use);
    }
    /// For the ranks of the remote group.
    [[nodiscard]] inter::Parts for_remote(const Comm& comm, const void* buffer) const {
        return inter::uneven_parts(comm, buffer, counts, displs, datatype);
    }
};
template <class Count, class Offset>
Parts(const Count*, const Offset*, MPI_Datatype) -> Parts<Count, Offset>;

/// A datatype for each, displacements in bytes.
template <class Count, class Offset>
struct TypedParts {
    const Count* counts;
    const Offset* displs;
    const MPI_Datatype* datatypes;

    std::vector<Block> take_input(Call& call, const void*& buffer, std::size_t count) const {
        return call.take_typed_blocks(const_cast<void*&>(buffer), count, counts, displs, datatypes,
                                      Use::input);
    }
    std::vector<Block> take_output(Call& call, void*& buffer, std::size_t count, Use use) const {
        return call.take_typed_blocks(buffer, count, counts, displs, datatypes, use);
    }
    [[nodiscard]] inter::Parts for_remote(const Comm& comm, const void* buffer) const {
        inter::Parts parts;
        for (int rank = 0; rank < comm.communicator->size(); ++rank)
            parts.push_back({inter::displaced(buffer, displs[rank]), counts[rank], datatypes[rank]});
        return parts;
    }
};
template <class Count, class Offset>
TypedParts(const Count*, const Offset*, const MPI_Datatype*) -> TypedParts<Count, Offset>;

}  // namespace rb2::mpi
