#include "mpi/datatype/predefined.hpp"

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>

#include "mpi/datatype.hpp"

namespace rb2::mpi {
namespace {

using datatype::Basic;
using datatype::Layout;
using datatype::Representation;
using datatype::TypeMap;
using datatype::TypeMapPtr;

constexpr Basic raw(std::uint32_t bytes) { return {bytes, bytes, bytes, Representation::bytes}; }
constexpr Basic integer(std::uint32_t bytes, std::uint32_t external) {
    return {bytes, bytes, external, Representation::signed_int};
}
constexpr Basic integer(std::uint32_t bytes) { return integer(bytes, bytes); }
constexpr Basic natural(std::uint32_t bytes, std::uint32_t external) {
    return {bytes, bytes, external, Representation::unsigned_int};
}
constexpr Basic natural(std::uint32_t bytes) { return natural(bytes, bytes); }
constexpr Basic floating(std::uint32_t bytes) { return {bytes, bytes, bytes, Representation::floating}; }
/// Two parts of half the bytes each.
constexpr Basic complex(std::uint32_t bytes) {
    return {bytes, bytes / 2, bytes, Representation::floating, 2};
}

/// Last byte of the handle, name, and what one element is. Sizes in external32 are those of MPI 5.0,
/// table 14.2: a long has 4 bytes there, a wide character 2.
struct Single {
    std::uint8_t low;
    const char* name;
    Basic basic;
};
constexpr Single kSingles[] = {
    {0x01, "MPI_AINT", integer(8)},
    {0x02, "MPI_COUNT", integer(8)},
    {0x03, "MPI_OFFSET", integer(8)},
    {0x07, "MPI_PACKED", raw(1)},
    {0x08, "MPI_SHORT", integer(2)},
    {0x09, "MPI_INT", integer(4)},
    {0x0a, "MPI_LONG", integer(8, 4)},
    {0x0b, "MPI_LONG_LONG_INT", integer(8)},
    {0x0c, "MPI_UNSIGNED_SHORT", natural(2)},
    {0x0d, "MPI_UNSIGNED", natural(4)},
    {0x0e, "MPI_UNSIGNED_LONG", natural(8, 4)},
    {0x0f, "MPI_UNSIGNED_LONG_LONG", natural(8)},
    {0x10, "MPI_FLOAT", floating(4)},
    {0x12, "MPI_C_COMPLEX", complex(8)},
    {0x13, "MPI_CXX_FLOAT_COMPLEX", complex(8)},
    {0x14, "MPI_DOUBLE", floating(8)},
    {0x16, "MPI_C_DOUBLE_COMPLEX", complex(16)},
    {0x17, "MPI_CXX_DOUBLE_COMPLEX", complex(16)},
    {0x18, "MPI_LOGICAL", integer(4)},
    {0x19, "MPI_INTEGER", integer(4)},
    {0x1a, "MPI_REAL", floating(4)},
    {0x1b, "MPI_COMPLEX", complex(8)},
    {0x1c, "MPI_DOUBLE_PRECISION", floating(8)},
    {0x1d, "MPI_DOUBLE_COMPLEX", complex(16)},
    {0x1e, "MPI_CHARACTER", raw(1)},
    {0x20, "MPI_LONG_DOUBLE", floating(16)},
    {0x24, "MPI_C_LONG_DOUBLE_COMPLEX", complex(32)},
    {0x25, "MPI_CXX_LONG_DOUBLE_COMPLEX", complex(32)},
    {0x38, "MPI_C_BOOL", raw(1)},
    {0x39, "MPI_CXX_BOOL", raw(1)},
    {0x3c, "MPI_WCHAR", integer(4, 2)},
    {0x40, "MPI_INT8_T", raw(1)},
    {0x41, "MPI_UINT8_T", raw(1)},
    {0x43, "MPI_CHAR", raw(1)},
    {0x44, "MPI_SIGNED_CHAR", raw(1)},
    {0x45, "MPI_UNSIGNED_CHAR", raw(1)},
    {0x47, "MPI_BYTE", raw(1)},
    {0x48, "MPI_INT16_T", integer(2)},
    {0x49, "MPI_UINT16_T", natural(2)},
    {0x50, "MPI_INT32_T", integer(4)},
    {0x51, "MPI_UINT32_T", natural(4)},
    {0x58, "MPI_INT64_T", integer(8)},
    {0x59, "MPI_UINT64_T", natural(8)},
    {0xc0, "MPI_LOGICAL1", integer(1)},
    {0xc1, "MPI_INTEGER1", integer(1)},
    {0xc8, "MPI_LOGICAL2", integer(2)},
    {0xc9, "MPI_INTEGER2", integer(2)},
    {0xca, "MPI_REAL2", floating(2)},
    {0xd0, "MPI_LOGICAL4", integer(4)},
    {0xd1, "MPI_INTEGER4", integer(4)},
    {0xd2, "MPI_REAL4", floating(4)},
    {0xd3, "MPI_COMPLEX4", complex(4)},
    {0xd8, "MPI_LOGICAL8", integer(8)},
    {0xd9, "MPI_INTEGER8", integer(8)},
    {0xda, "MPI_REAL8", floating(8)},
    {0xdb, "MPI_COMPLEX8", complex(8)},
    {0xe0, "MPI_LOGICAL16", integer(16)},
    {0xe1, "MPI_INTEGER16", integer(16)},
    // IEEE binary128 already, so its bytes are only swapped: an integer to external32.
    {0xe2, "MPI_REAL16", integer(16)},
    {0xe3, "MPI_COMPLEX16", complex(16)},
    {0xeb, "MPI_COMPLEX32", {32, 16, 32, Representation::signed_int, 2}},
};

/// Value and second part of a C struct or a Fortran array of two, for MINLOC and MAXLOC.
struct Pair {
    std::uint8_t low;
    const char* name;
    Basic first;
    Basic second;
    std::size_t second_at;
};
template <class T>
constexpr std::size_t kIndexAt = offsetof(ValueIndex<T>, index);
constexpr Pair kPairs[] = {
    {0x28, "MPI_FLOAT_INT", floating(4), integer(4), kIndexAt<float>},
    {0x29, "MPI_DOUBLE_INT", floating(8), integer(4), kIndexAt<double>},
    {0x2a, "MPI_LONG_INT", integer(8, 4), integer(4), kIndexAt<long>},
    {0x2b, "MPI_2INT", integer(4), integer(4), kIndexAt<int>},
    {0x2c, "MPI_SHORT_INT", integer(2), integer(4), kIndexAt<short>},
    {0x2d, "MPI_LONG_DOUBLE_INT", floating(16), integer(4), kIndexAt<long double>},
    {0x30, "MPI_2REAL", floating(4), floating(4), 4},
    {0x31, "MPI_2DOUBLE_PRECISION", floating(8), floating(8), 8},
    {0x32, "MPI_2INTEGER", integer(4), integer(4), 4},
};

TypeMapPtr map_of(const Pair& pair) {
    const TypeMapPtr first = TypeMap::basic(pair.first);
    const TypeMapPtr second = TypeMap::basic(pair.second);
    return TypeMap::sequence(
        {{0, 1, first.get()}, {static_cast<std::int64_t>(pair.second_at), 1, second.get()}}, {first, second});
}

using Table = std::array<Predefined, 256>;

Table make_table() {
    Table table;
    const auto add = [&table](std::uint8_t low, const char* name, const TypeMapPtr& map) {
        table[low] = {name, map, Layout::make(*map)};
    };
    for (const Single& single : kSingles) add(single.low, single.name, TypeMap::basic(single.basic));
    for (const Pair& pair : kPairs) add(pair.low, pair.name, map_of(pair));
    return table;
}

}  // namespace

const Predefined* find_predefined(MPI_Datatype datatype) {
    static const Table table = make_table();
    const std::uintptr_t index = reinterpret_cast<std::uintptr_t>(datatype) - detail::kFirstDatatype;
    return index < table.size() && table[index].map != nullptr ? &table[index] : nullptr;
}

}  // namespace rb2::mpi
