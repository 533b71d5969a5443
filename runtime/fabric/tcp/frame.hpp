#pragma once
// What goes over a connection once it is established: frames, one behind the other. A header, then the
// payload of those kinds that have one (docs/wire.md). Byte order is the host's, as everywhere in rb2.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/fabric/fabric.hpp"

namespace rb2::fabric::tcp {

/// `bytes` of the header is the length of the payload behind it, but for `read`, which only asks for so many.
enum class FrameKind : std::uint8_t {
    write = 1,        ///< payload lands at the place
    write_imm = 2,    ///< the same, then `value` arrives as an immediate
    read = 3,         ///< asks for the bytes at the place; `value` is the number of the question
    read_data = 4,    ///< answers question `value`
    fetch_add = 5,    ///< payload: the addend; `value` is the number of the question
    fetch_value = 6,  ///< payload: the word before the addition; answers question `value`
    fault = 7,        ///< `value` is a FaultReason about the frame with that place; nothing follows
    leave = 8,        ///< the sender ends in good order; nothing follows
    follow = 9,       ///< payload lands where the receiver wants it (Inbound::place)
};

/// Why a receiver refuses to go on.
enum class FaultReason : std::uint32_t {
    none = 0,
    not_a_frame,         ///< the header is none of these
    outside_memory,      ///< the place is not inside memory registered for this peer
    misaligned_word,     ///< fetch_add at an address that is not a multiple of 8
    unasked_answer,      ///< an answer to no question, or of another length
    too_many_questions,  ///< more than kMostQuestions reads and fetch_adds at once
    unannounced,         ///< a payload to follow has another length than was announced
};

/// Reads and fetch_adds one side may have under way, so that the other always has room to note them.
inline constexpr std::size_t kMostQuestions = 64;
/// Longest payload.
inline constexpr std::uint64_t kMostFrameBytes = (std::uint64_t{1} << 48) - 1;

struct FrameHeader {
    static constexpr std::uint64_t kGuard = 0xb2;

    std::uint64_t tag = 0;  ///< kind : 8, guard : 8, bytes : 48, from the lowest bit
    std::uint64_t address = 0;
    Key key = 0;
    std::uint32_t value = 0;

    [[nodiscard]] static constexpr FrameHeader make(FrameKind kind, std::uint64_t bytes, Remote place,
                                                    std::uint32_t value) noexcept {
        return {static_cast<std::uint64_t>(kind) | kGuard << 8 | bytes << 16, place.address, place.key,
                value};
    }
    [[nodiscard]] constexpr bool guarded() const noexcept { return (tag >> 8 & 0xff) == kGuard; }
    [[nodiscard]] constexpr FrameKind kind() const noexcept { return static_cast<FrameKind>(tag & 0xff); }
    [[nodiscard]] constexpr std::uint64_t bytes() const noexcept { return tag >> 16; }
    [[nodiscard]] constexpr Remote place() const noexcept { return {address, key}; }
};
static_assert(std::is_standard_layout_v<FrameHeader> && std::is_trivially_copyable_v<FrameHeader>);
static_assert(offsetof(FrameHeader, address) == 8 && offsetof(FrameHeader, key) == 16);
static_assert(offsetof(FrameHeader, value) == 20 && sizeof(FrameHeader) == 24);

}  // namespace rb2::fabric::tcp
