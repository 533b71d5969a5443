#pragma once
// Blocks of different sizes, as the user of an alltoallv or alltoallw gave them.

#include <cstddef>
#include <optional>
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

    std::vector<Block> check(Call& call, const void* buffer, std::size_t count) const {
        return call.check_blocks(count, buffer, counts, displs, datatype);
    }
    std::optional<PackedBlocks> stage_input(Staging& staging, const void* buffer, std::size_t count) const {
        return staging.blocks(const_cast<void*>(buffer), count, counts, displs, datatype, Fill::data, false);
    }
    std::optional<PackedBlocks> stage_output(Staging& staging, void* buffer, std::size_t count,
                                             Fill fill) const {
        return staging.blocks(buffer, count, counts, displs, datatype, fill, true);
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

    std::vector<Block> check(Call& call, const void* buffer, std::size_t count) const {
        return call.check_typed_blocks(count, buffer, counts, displs, datatypes);
    }
    std::optional<PackedBlocks> stage_input(Staging& staging, const void* buffer, std::size_t count) const {
        return staging.typed_blocks(const_cast<void*>(buffer), count, counts, displs, datatypes, Fill::data,
                                    false);
    }
    std::optional<PackedBlocks> stage_output(Staging& staging, void* buffer, std::size_t count,
                                             Fill fill) const {
        return staging.typed_blocks(buffer, count, counts, displs, datatypes, fill, true);
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

/// Staged blocks, as long as `blocks` lives.
inline auto parts_of(const PackedBlocks& blocks) {
    return Parts{blocks.counts.data(), blocks.displacements.data(), MPI_BYTE};
}

}  // namespace rb2::mpi
