#pragma once
// Numbered messages through a ring.

#include <cstdint>

#include "runtime/ring/sender.hpp"
#include "tests/runtime/content.hpp"

namespace rb2::ring::test {

using rb2::test::byte_of;
using rb2::test::fill;
using rb2::test::intact;
using rb2::test::mixed;

constexpr std::uint8_t kind_of(std::uint64_t number) { return static_cast<std::uint8_t>(1 + number % 255); }

/// Sends message `number`; false when there is no room.
template <class Sender>
[[nodiscard]] bool send(Sender& sender, std::uint64_t number, std::uint32_t length) {
    Claim claim = sender.try_claim(length);
    if (!claim) return false;
    fill(number, {claim.payload, length});
    return sender.commit(claim, kind_of(number), number, length) == Status::ok;
}

}  // namespace rb2::ring::test
