#pragma once
// Blocks for, or from, each of several ranks, as users give them.

#include <cstddef>
#include <vector>

#include "mpi/collective_call.hpp"
#include "pt2pt/collective/blocks.hpp"

namespace rb2::mpi {

/// As many for each, one behind the other.
struct EqualParts {
    Elements each;

    std::vector<Block> take_input(Call& call, const void*& buffer, std::size_t count) const {
        const int ranks = static_cast<int>(count);
        return collective::equal_blocks(call.take_input(buffer, each, ranks), ranks);
    }
    std::vector<Block> take_output(Call& call, void*& buffer, std::size_t count, Use use) const {
        const int ranks = static_cast<int>(count);
        return collective::equal_blocks(call.take_output(buffer, each, use, ranks), ranks);
    }
};

/// The same elements for all.
struct SameForAll {
    Elements elements;

    std::vector<Block> take_input(Call& call, const void*& buffer, std::size_t count) const {
        return std::vector<Block>(count, Block{0, call.take_input(buffer, elements)});
    }
};

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
};
template <class Count, class Offset>
TypedParts(const Count*, const Offset*, const MPI_Datatype*) -> TypedParts<Count, Offset>;

}  // namespace rb2::mpi
