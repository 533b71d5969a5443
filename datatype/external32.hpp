#pragma once
// The portable representation "external32": big-endian, with sizes of its own (MPI 5.0, section 14.5.2).
// IEEE 754 formats are taken over; the x87 long double becomes the 128-bit format. Not a fast path.

#include <cstddef>
#include <cstdint>

#include "datatype/type_map.hpp"

namespace rb2::datatype {

/// Writes `count` elements of `map` at `memory` to `to`, `count * map.external_size()` bytes.
void pack_external(const TypeMap& map, const std::byte* memory, std::uint64_t count, std::byte* to);
/// The other way.
void unpack_external(const TypeMap& map, std::byte* memory, std::uint64_t count, const std::byte* from);

}  // namespace rb2::datatype
