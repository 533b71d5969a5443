#pragma once
// The leaf copies of a layout: equal blocks at a fixed stride, between memory and packed bytes.
//
// Memory is an integer address: with MPI_BOTTOM displacements are addresses, and adding them to a null
// pointer would not be defined.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "datatype/copy.hpp"

namespace rb2::datatype {

using Address = std::uintptr_t;

[[nodiscard]] inline Address shifted(Address address, std::int64_t by) noexcept {
    return address + static_cast<Address>(by);
}

/// Copies `bytes` between `memory` and `packed`, and returns what lies behind in the latter.
template <bool kPack>
[[gnu::always_inline]] inline std::byte* move_block(Address memory, std::byte* packed,
                                                    std::size_t bytes) noexcept {
    auto* const place = reinterpret_cast<std::byte*>(memory);
    if constexpr (kPack)
        copy_payload(packed, place, bytes);
    else
        copy_payload(place, packed, bytes);
    return packed + bytes;
}

/// The same with a length that the compiler knows: one or two moves.
template <bool kPack, std::size_t kBytes>
[[gnu::always_inline]] inline std::byte* move_fixed(Address memory, std::byte* packed) noexcept {
    auto* const place = reinterpret_cast<std::byte*>(memory);
    if constexpr (kPack)
        std::memcpy(packed, place, kBytes);
    else
        std::memcpy(place, packed, kBytes);
    return packed + kBytes;
}

/// `count` blocks of kBytes. Every second block of an array is the commonest stride: as a constant it lets
/// the compiler use whole vector registers.
template <bool kPack, std::size_t kBytes>
std::byte* move_blocks(Address memory, std::int64_t stride, std::uint64_t count, std::byte* packed) noexcept {
    if (stride == 2 * static_cast<std::int64_t>(kBytes)) {
        for (std::uint64_t i = 0; i < count; ++i)
            move_fixed<kPack, kBytes>(memory + i * 2 * kBytes, packed + i * kBytes);
        return packed + count * kBytes;
    }
    for (std::uint64_t i = 0; i < count; ++i, memory = shifted(memory, stride))
        packed = move_fixed<kPack, kBytes>(memory, packed);
    return packed;
}

/// `count` whole blocks of `bytes`.
template <bool kPack>
std::byte* move_blocks(Address memory, std::size_t bytes, std::int64_t stride, std::uint64_t count,
                       std::byte* packed) noexcept {
    switch (bytes) {
        case 1:
            return move_blocks<kPack, 1>(memory, stride, count, packed);
        case 2:
            return move_blocks<kPack, 2>(memory, stride, count, packed);
        case 4:
            return move_blocks<kPack, 4>(memory, stride, count, packed);
        case 8:
            return move_blocks<kPack, 8>(memory, stride, count, packed);
        case 12:
            return move_blocks<kPack, 12>(memory, stride, count, packed);
        case 16:
            return move_blocks<kPack, 16>(memory, stride, count, packed);
        case 24:
            return move_blocks<kPack, 24>(memory, stride, count, packed);
        case 32:
            return move_blocks<kPack, 32>(memory, stride, count, packed);
        default:
            for (std::uint64_t i = 0; i < count; ++i, memory = shifted(memory, stride))
                packed = move_block<kPack>(memory, packed, bytes);
            return packed;
    }
}

}  // namespace rb2::datatype
