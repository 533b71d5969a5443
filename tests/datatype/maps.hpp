#pragma once
// Small type maps that the tests share.

#include <cstdint>
#include <vector>

#include "datatype/type_map.hpp"

namespace rb2::datatype::testing {

inline TypeMapPtr bytes_type(std::uint32_t bytes) {
    return TypeMap::basic({bytes, bytes, bytes, Representation::unsigned_int});
}
inline TypeMapPtr byte() { return bytes_type(1); }
inline TypeMapPtr int32() { return bytes_type(4); }
inline TypeMapPtr float64() { return TypeMap::basic({8, 8, 8, Representation::floating}); }

/// Blocks of one type: lengths in elements, displacements in bytes.
inline TypeMapPtr indexed(const std::vector<std::uint64_t>& lengths,
                          const std::vector<std::int64_t>& displacements, const TypeMapPtr& child) {
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < lengths.size(); ++i)
        pieces.push_back({displacements[i], lengths[i], child.get()});
    return TypeMap::sequence(std::move(pieces), {child});
}

/// One element of each type.
inline TypeMapPtr structure(const std::vector<std::int64_t>& displacements,
                            const std::vector<TypeMapPtr>& types) {
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < types.size(); ++i) pieces.push_back({displacements[i], 1, types[i].get()});
    return TypeMap::sequence(std::move(pieces), types);
}

}  // namespace rb2::datatype::testing
