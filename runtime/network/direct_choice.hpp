#pragma once
// From which size on a message is written straight into the receiver's buffer, and why. Pure.

#include <cstdint>
#include <string>

#include "runtime/memory/critical_size/critical_size.hpp"

namespace rb2::network {

struct DirectChoice {
    std::uint64_t from = 0;  ///< bytes; the largest number: never
    std::string why;         ///< for people
};

/// Of a fabric whose memory must be registered: what the user wants (RB2_DIRECT_BYTES; 0: no wish), else the
/// critical size of resident pages. `kept`: registrations are kept for later messages.
[[nodiscard]] DirectChoice choose_direct(std::uint64_t wanted, bool kept,
                                         const memory::critical_size::Result& measured);

/// Bytes of a message that a network's ranks send before the receiver answers: what the user wants
/// (RB2_EAGER_BYTES; 0: no wish), else a quarter of the ring.
[[nodiscard]] constexpr std::uint64_t eager_window(std::uint64_t wanted, std::uint64_t ring_bytes) noexcept {
    return wanted != 0 ? wanted : ring_bytes / 4;
}

/// From which size on buffers that are used again and again are registered (reuse.hpp), unless the user has
/// set one limit for all (`wanted_direct`): where the receiver is asked before the message is sent in any
/// case, a direct write takes no round trip more.
[[nodiscard]] constexpr std::uint64_t reused_from(std::uint64_t wanted_direct, std::uint64_t eager) noexcept {
    return wanted_direct != 0 ? ~std::uint64_t{0} : eager + 1;
}

/// Over tcp, messages of at least this many bytes follow their record rather than lie in it: no copies, one
/// frame more. Measured (docs/experiments.md): from here on latency gains, below it loses.
inline constexpr std::uint64_t kFollowFromOfTcp = 4096;

/// Of tcp, which registers nothing with a device: a round trip more than what follows its record, but nothing
/// is kept of a message that nobody has asked for yet.
[[nodiscard]] DirectChoice choose_direct_of_tcp(std::uint64_t wanted);

}  // namespace rb2::network
