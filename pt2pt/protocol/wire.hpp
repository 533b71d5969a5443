#pragma once
// What pt2pt writes into ring records: the record kinds, their `word`, and the headers inside payloads.
// Drawn in docs/wire.md. All ranks of a job share byte order and layout (bootstrap cards are versioned).
//
//   kind    word                        payload
//   eager   context:32 | tag:32         the whole message
//   first   context:32 | tag:32         FirstHeader, then the first bytes of a longer message
//   more    0                           next bytes of the message opened by the last `first`
//   cts     sender id:32 | receiver:32  none; the receive is matched, the rest may come. One byte: and the
//                                       receiver cannot read the sender's memory, so it need not offer it
//                                       again. A Grant: the rest may be written into the receiver's buffer
//   data    receiver id                 next bytes of that receive
//   fin     sender id                   none; the receiver has read the whole message by itself
//   written receiver id                 none; the sender has written the whole message into the buffer. 8
//                                       bytes: so many of its first bytes only, the rest comes as data. 16: a
//                                       Written
//   bye     0                           none; the sender finalizes and sends nothing more
// `landed` is in no ring: the channel says so when the payload that followed a `first` record is in its
// place.

#include <array>
#include <cstddef>
#include <cstdint>

namespace rb2::pt2pt::wire {

enum class Kind : std::uint8_t {
    eager = 1,
    first = 2,
    more = 3,
    cts = 4,
    data = 5,
    fin = 6,
    written = 7,
    bye = 8,
    landed = 255
};

struct FirstHeader {
    std::uint64_t total;        ///< bytes of the whole message
    std::uint64_t eager_bytes;  ///< bytes that come without a CTS, in `first` and `more` records or behind
    std::uint64_t address;      ///< where the message lies at the sender, for a single copy; 0: not offered
    std::uint32_t sender_id;    ///< the sender's request, echoed in the CTS
    std::uint32_t flags;        ///< kWantsCts, kCanWrite, kFollows
};
static_assert(sizeof(FirstHeader) == 32 && offsetof(FirstHeader, sender_id) == 24);

inline constexpr std::uint32_t kWantsCts = 1;  ///< waits for the match before it goes on or completes
inline constexpr std::uint32_t kCanWrite = 2;  ///< would write the message into the receiver's buffer
inline constexpr std::uint32_t kFollows = 4;  ///< the whole message comes behind the record, outside the ring

/// Where the sender may write: the receiver's buffer as its fabric's devices know it.
struct Grant {
    std::uint64_t address;
    std::array<std::uint32_t, 4> keys;  ///< one for each device of the receiver, 0 where it has fewer
};
static_assert(sizeof(Grant) == 24);

/// What has been written, and what may still be on its way but must not land any more.
struct Written {
    std::uint64_t bytes;   ///< of the beginning of the message
    std::uint64_t broken;  ///< connections that the receiver closes first, a bit each, as it counts them
};
static_assert(sizeof(Written) == 16);

constexpr std::uint64_t pack(std::uint32_t high, std::uint32_t low) noexcept {
    return std::uint64_t{high} << 32 | low;
}
constexpr std::uint32_t high(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word >> 32); }
constexpr std::uint32_t low(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word); }

}  // namespace rb2::pt2pt::wire
