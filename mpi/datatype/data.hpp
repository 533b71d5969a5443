#pragma once
// Where the elements that a user names by buffer, count and datatype lie in memory, for any datatype.

#include <cstddef>
#include <cstdint>

#include "datatype/layout.hpp"
#include "mpi.h"
#include "mpi/comm.hpp"

namespace rb2::mpi {

/// `layout` is null when the data are `bytes` bytes one behind the other at `memory`; else `memory` is the
/// user's buffer, and the layout says where the data lie from there.
struct Data {
    std::byte* memory = nullptr;
    const datatype::Layout* layout = nullptr;
    std::size_t bytes = 0;
};

/// False when `count` elements of `datatype` cannot be sent or received. A null buffer is MPI_BOTTOM where
/// the datatype is derived.
[[nodiscard]] bool find_data(const void* buffer, std::int64_t count, MPI_Datatype datatype,
                             Data& data) noexcept;

/// The first bytes of packed data, to `to`; or from `from` to where they belong. At most `data.bytes`.
void pack(const Data& data, std::byte* to) noexcept;
void unpack(const Data& data, const std::byte* from, std::size_t bytes) noexcept;

}  // namespace rb2::mpi
