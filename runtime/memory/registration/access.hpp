#pragma once
// What an operation may do with registered memory. Part of the registration cache's key: memory that may only
// be read (constants, a file mapped read-only) can be sent from, but not registered for writing.

#include <cstdint>

namespace rb2::memory::registration {

/// Bits; a set of them is an Access too.
enum class Access : std::uint8_t {
    local_read = 0,    ///< the device reads it for this process: enough to send. Every registration has it.
    local_write = 1,   ///< the device fills it for this process
    remote_read = 2,   ///< a peer may read it
    remote_write = 4,  ///< a peer may write it; devices want local_write with it
    remote_atomic = 8,
};
inline constexpr unsigned kAccessSets = 16;  ///< every Access is below

[[nodiscard]] constexpr unsigned bits(Access access) noexcept { return static_cast<unsigned>(access); }
[[nodiscard]] constexpr Access operator|(Access a, Access b) noexcept {
    return static_cast<Access>(bits(a) | bits(b));
}
/// Whether what `wanted` allows is all allowed by `given`.
[[nodiscard]] constexpr bool grants(Access given, Access wanted) noexcept {
    return (bits(given) & bits(wanted)) == bits(wanted);
}

}  // namespace rb2::memory::registration
