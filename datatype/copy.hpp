#pragma once
// Copies of any length between user buffers, ring slots and packed bytes.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rb2 {

namespace detail {

template <std::size_t Width>
struct Word {
    using type [[gnu::vector_size(Width)]] = std::uint64_t;
};
template <>
struct Word<8> {
    using type = std::uint64_t;
};
template <>
struct Word<4> {
    using type = std::uint32_t;
};
template <>
struct Word<2> {
    using type = std::uint16_t;
};

}  // namespace detail

/// The first and the last `Width` bytes, which overlap unless there are twice as many. Through registers.
template <std::size_t Width>
[[gnu::always_inline]] inline void copy_ends(std::byte* to, const std::byte* from,
                                             std::size_t bytes) noexcept {
    typename detail::Word<Width>::type head;
    typename detail::Word<Width>::type tail;
    std::memcpy(&head, from, Width);
    std::memcpy(&tail, from + bytes - Width, Width);
    std::memcpy(to, &head, Width);
    std::memcpy(to + bytes - Width, &tail, Width);
}

/// Copies at most 64 bytes without a call: two overlapping moves of the largest fitting power of two cover
/// every length. The ranges do not overlap.
[[gnu::always_inline]] inline void copy_short(std::byte* to, const std::byte* from,
                                              std::size_t bytes) noexcept {
    if (bytes >= 8 && bytes <= 16) {
        copy_ends<8>(to, from, bytes);
    } else if (bytes > 32) {
        copy_ends<16>(to, from, 32);
        copy_ends<16>(to + bytes - 32, from + bytes - 32, 32);
    } else if (bytes > 16) {
        copy_ends<16>(to, from, bytes);
    } else if (bytes >= 4) {
        copy_ends<4>(to, from, bytes);
    } else if (bytes >= 2) {
        copy_ends<2>(to, from, bytes);
    } else if (bytes == 1) {
        *to = *from;
    }
}

/// From how many bytes on copies are made by the processor's string instruction. Into lines that another core
/// has it copies faster than loads and stores: it overwrites whole lines without fetching them
/// (docs/experiments.md, "What makes copies through the ring fast"). The largest number where the processor
/// is not known for it.
struct StringCopies {
    std::size_t from;             ///< bytes of a single copy
    std::size_t in_streams_from;  ///< of copies one behind the other, which make up for its slow start
};
extern const StringCopies kStringCopies;

/// Copies `bytes` by that instruction.
inline void copy_by_string(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
#ifdef __x86_64__
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#else
    std::memcpy(to, from, bytes);
#endif
}

/// Copies more than 64 bytes, from `string_from` on by the string instruction; the ranges do not overlap.
inline void copy_long(std::byte* to, const std::byte* from, std::size_t bytes,
                      std::size_t string_from) noexcept {
    if (bytes >= string_from)
        copy_by_string(to, from, bytes);
    else
        std::memcpy(to, from, bytes);
}

/// Copies `bytes`; the ranges do not overlap. Up to one cache line without a call.
[[gnu::always_inline]] inline void copy_payload(std::byte* to, const std::byte* from,
                                                std::size_t bytes) noexcept {
    if (bytes <= 64) [[likely]]
        copy_short(to, from, bytes);
    else
        copy_long(to, from, bytes, kStringCopies.from);
}

}  // namespace rb2
