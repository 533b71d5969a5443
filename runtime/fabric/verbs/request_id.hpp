#pragma once
// The 64 bits that a work request carries and its completion brings back.

#include <cstdint>

namespace rb2::fabric::verbs {

struct RequestId {
    enum class Kind : std::uint8_t { request, receive, shared_receive, datagram };

    Kind kind = Kind::request;
    std::uint32_t endpoint = 0;  ///< number in its completion queue, below 2^30
    std::uint32_t number =
        0;  ///< a request's position, low bits; a receive's or datagram's place in its table

    [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
        return static_cast<std::uint64_t>(kind) << 62 | static_cast<std::uint64_t>(endpoint) << 32 | number;
    }
    [[nodiscard]] static constexpr RequestId unpack(std::uint64_t id) noexcept {
        return {.kind = static_cast<Kind>(id >> 62),
                .endpoint = static_cast<std::uint32_t>(id >> 32) & 0x3fff'ffffU,
                .number = static_cast<std::uint32_t>(id)};
    }
};

}  // namespace rb2::fabric::verbs
