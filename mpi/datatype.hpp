#pragma once
// The predefined datatypes: their bytes, by the encoding of the ABI.
//
// Most are dense: an array of n elements is a message of n * extent bytes. The others are the pairs of MINLOC
// and MAXLOC whose C struct has padding; they go the way of derived datatypes (mpi/datatype/type.hpp).

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>

#include "mpi.h"

namespace rb2::mpi {

/// Value and index, as MINLOC and MAXLOC use them. Same layout as the C struct { T; int; }.
template <class T>
struct ValueIndex {
    T value;
    int index;
};

constexpr std::size_t kNoDatatype = ~std::size_t{0};

namespace detail {

constexpr std::uintptr_t kFirstDatatype = 0x200;
constexpr std::uint8_t kNoExtent = 0xff;

/// Last byte of the handle values whose extent is the platform's (bit 0x40 clear).
struct PlatformExtent {
    std::uint8_t low;
    std::size_t bytes;
};
constexpr PlatformExtent kPlatformExtents[] = {
    {0x01, sizeof(MPI_Aint)},
    {0x02, sizeof(MPI_Count)},
    {0x03, sizeof(MPI_Offset)},
    {0x07, 1},  // MPI_PACKED
    {0x08, sizeof(short)},
    {0x09, sizeof(int)},
    {0x0a, sizeof(long)},
    {0x0b, sizeof(long long)},
    {0x0c, sizeof(short)},
    {0x0d, sizeof(int)},
    {0x0e, sizeof(long)},
    {0x0f, sizeof(long long)},
    {0x10, sizeof(float)},
    {0x12, 2 * sizeof(float)},
    {0x13, sizeof(std::complex<float>)},
    {0x14, sizeof(double)},
    {0x16, 2 * sizeof(double)},
    {0x17, sizeof(std::complex<double>)},
    // Fortran's default kinds: LOGICAL and INTEGER as wide as REAL, DOUBLE twice that.
    {0x18, 4},
    {0x19, 4},
    {0x1a, 4},
    {0x1b, 8},
    {0x1c, 8},
    {0x1d, 16},
    {0x1e, 1},
    {0x20, sizeof(long double)},
    {0x24, 2 * sizeof(long double)},
    {0x25, sizeof(std::complex<long double>)},
    {0x28, sizeof(ValueIndex<float>)},
    {0x29, sizeof(ValueIndex<double>)},
    {0x2a, sizeof(ValueIndex<long>)},
    {0x2b, sizeof(ValueIndex<int>)},
    {0x2c, sizeof(ValueIndex<short>)},
    {0x2d, sizeof(ValueIndex<long double>)},
    {0x30, 8},
    {0x31, 16},
    {0x32, 8},
    {0x38, sizeof(bool)},
    {0x39, sizeof(bool)},
    {0x3c, sizeof(wchar_t)},
};
/// Fixed-size types (bit 0x40 set) that exist: 1 << ((low >> 3) & 7) bytes each.
constexpr std::uint8_t kFixedTypes[] = {0x40, 0x41, 0x43, 0x44, 0x45, 0x47, 0x48, 0x49, 0x50, 0x51,
                                        0x58, 0x59, 0xc0, 0xc1, 0xc8, 0xc9, 0xca, 0xd0, 0xd1, 0xd2,
                                        0xd3, 0xd8, 0xd9, 0xda, 0xdb, 0xe0, 0xe1, 0xe2, 0xe3, 0xeb};

constexpr std::array<std::uint8_t, 256> make_extents() {
    std::array<std::uint8_t, 256> extents{};
    extents.fill(kNoExtent);
    for (const PlatformExtent& type : kPlatformExtents)
        extents[type.low] = static_cast<std::uint8_t>(type.bytes);
    for (const std::uint8_t low : kFixedTypes)
        extents[low] = static_cast<std::uint8_t>(1u << ((low >> 3) & 7));
    return extents;
}
inline constexpr std::array<std::uint8_t, 256> kExtents = make_extents();

/// MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT and MPI_LONG_DOUBLE_INT.
constexpr std::uint8_t kPadded[] = {0x29, 0x2a, 0x2c, 0x2d};

constexpr std::array<std::uint8_t, 256> make_dense_extents() {
    std::array<std::uint8_t, 256> extents = make_extents();
    for (const std::uint8_t low : kPadded) extents[low] = kNoExtent;
    return extents;
}
inline constexpr std::array<std::uint8_t, 256> kDenseExtents = make_dense_extents();

inline std::size_t look_up(const std::array<std::uint8_t, 256>& extents, MPI_Datatype datatype) noexcept {
    const std::uintptr_t index = reinterpret_cast<std::uintptr_t>(datatype) - kFirstDatatype;
    if (index >= extents.size()) [[unlikely]]
        return kNoDatatype;
    return extents[index] == kNoExtent ? kNoDatatype : extents[index];
}

}  // namespace detail

/// Bytes from one element of a predefined datatype to the next, or kNoDatatype when the handle is none
/// (MPI_DATATYPE_NULL included).
inline std::size_t extent_of(MPI_Datatype datatype) noexcept {
    return detail::look_up(detail::kExtents, datatype);
}

/// The same when arrays of it have no gaps, else kNoDatatype.
inline std::size_t dense_extent_of(MPI_Datatype datatype) noexcept {
    return detail::look_up(detail::kDenseExtents, datatype);
}

/// Bytes of data in one element of any datatype, gaps not counted, or kNoDatatype.
std::size_t size_of(MPI_Datatype datatype) noexcept;

}  // namespace rb2::mpi
