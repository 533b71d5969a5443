#pragma once
// How the kernel cuts a long send into packets, and what had better leave before it does.

#include <algorithm>
#include <cstddef>

namespace rb2::fabric::tcp {

/// Bytes of the stream in the longest packet that goes through the kernel in one piece, whoever cuts it into
/// segments of `segment` bytes later. A card may take longer ones: then a lead gains nothing. 0: not known.
[[nodiscard]] constexpr std::size_t packet_bytes(std::size_t segment) noexcept {
    constexpr std::size_t most = (64UL << 10) - 321;  // Linux: GSO_LEGACY_MAX_SIZE without the headers
    return segment == 0 ? 0 : std::max<std::size_t>(most / segment, 1) * segment;
}

/// The receiver copies what leads.
inline constexpr std::size_t kLongestLead = 2048;

/// Of `bytes` in a stream of long messages so many are sent before the others: the odd ones beyond whole
/// packets; 0: all together. The kernel cuts from the front, so that the odd bytes would be a small last
/// packet, and the message's header the beginning of a long one, which the receiver must read with two calls.
/// If they lead, the header is in the small packet, and one call reads each. Not for a message on its own:
/// its receiver copies the long packet while the small one is under way.
[[nodiscard]] constexpr std::size_t lead(std::size_t bytes, std::size_t packet) noexcept {
    if (packet == 0 || bytes <= packet) return 0;
    const std::size_t odd = bytes % packet;
    return odd <= kLongestLead ? odd : 0;
}

}  // namespace rb2::fabric::tcp
