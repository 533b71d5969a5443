#pragma once
// Results of the message path, grouped by what the caller does next (docs/architecture.md, "Errors").

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rb2 {

/// Outcome of an operation on the message path. Never thrown; always looked at.
enum class [[nodiscard]] Status : std::uint8_t{
    ok = 0,
    // Try again: nothing is wrong.
    would_block,  ///< full ring, no credit, or not complete yet: make progress and call again
    // This operation failed; the communicator and the peer are fine.
    truncated,         ///< the message was longer than the receive buffer; the buffer holds its first bytes
    invalid_argument,  ///< rank, tag, count or buffer out of range; nothing was sent or received
    out_of_memory,     ///< no memory for a request or an unexpected message
    // The peer is lost: no further traffic with it is possible.
    peer_lost,
    // The rank itself cannot go on.
    fatal,
};

/// Thrown by construction and start-up only; what() names the part, the cause and what to try.
class StartupError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace rb2
