#pragma once
// Where a message lies, or where one may go, in two words of memory that the other side writes or reads.
//
// Each word lands whole and carries a tag of the message's number, so a reader who finds both tags has the
// offer, whatever order the words travelled in, and never half of one:
//
//   word 0   address (bits 0-47) | tag (bits 48-63)
//   word 1   key (bits 0-31) | length (bits 32-55) | tag (bits 56-63)
//
// Words are used in turn, at most kMaxSlots of them, so an older offer in the same place has another tag.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/channel/parameters.hpp"
#include "runtime/fabric/fabric.hpp"

namespace rb2::channel {

struct Offer {
    fabric::Remote place{};
    std::uint32_t bytes = 0;
};

/// Zeroed memory offers nothing.
struct OfferWords {
    std::array<std::uint64_t, 2> words;
};
static_assert(sizeof(OfferWords) == 2 * kWordBytes && kMaxSlots < 256);

inline constexpr std::uint64_t kMostAddress = (std::uint64_t{1} << 48) - 1;

/// Of message `number`, counted from 0. The address is at most kMostAddress, the length kMaxMessageBytes.
[[nodiscard]] constexpr OfferWords pack(const Offer& offer, std::uint64_t number) noexcept {
    const std::uint64_t tag = number + 1;
    return {
        {offer.place.address | tag << 48, offer.place.key | std::uint64_t{offer.bytes} << 32 | tag << 56}};
}

/// Whether the words hold the offer of message `number`; if so, `offer` is it.
[[nodiscard]] constexpr bool unpack(const OfferWords& from, std::uint64_t number, Offer& offer) noexcept {
    const auto [place, rest] = from.words;
    const std::uint64_t tag = number + 1;
    if (place >> 48 != (tag & 0xffff) || rest >> 56 != (tag & 0xff)) return false;
    offer = {.place = {place & kMostAddress, static_cast<fabric::Key>(rest)},
             .bytes = static_cast<std::uint32_t>(rest >> 32) & kMaxMessageBytes};
    return true;
}

/// In memory that the peer reads. Release: the message was complete before.
inline void store(OfferWords& to, const OfferWords& from) noexcept {
    for (std::size_t i = 0; i < from.words.size(); ++i)
        std::atomic_ref(to.words[i]).store(from.words[i], std::memory_order_release);
}

/// From memory that the peer writes. Acquire: what the peer did before each word is readable.
[[nodiscard]] inline OfferWords load(OfferWords& from) noexcept {
    OfferWords to{};
    for (std::size_t i = 0; i < to.words.size(); ++i)
        to.words[i] = std::atomic_ref(from.words[i]).load(std::memory_order_acquire);
    return to;
}

/// A place of this process as the peer names it, from registered memory whose place is known. Addresses of a
/// peer are this side's moved by a constant, on cards and in a shared window alike; the key is that of the
/// region the place lies in.
[[nodiscard]] inline fabric::Remote as_seen_by_peer(const std::byte* place, fabric::Key key,
                                                    const std::byte* known,
                                                    fabric::Remote known_remote) noexcept {
    const auto moved = reinterpret_cast<std::uintptr_t>(place) - reinterpret_cast<std::uintptr_t>(known);
    return {known_remote.address + moved, key};
}

}  // namespace rb2::channel
