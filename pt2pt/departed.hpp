#pragma once
// What a wait is for, and how to say that it cannot end because the rank that could end it has finalized.

#include <cstdint>
#include <string>

#include "pt2pt/request.hpp"

namespace rb2::pt2pt {

/// What a rank waits for, and from whom.
struct Awaited {
    enum class What : std::uint8_t {
        anything,
        receive,
        send,
        answers,  ///< to sends that have started
        any_of,   ///< one of several requests
    };

    What what = What::anything;
    std::int32_t peer = kAnySource;  ///< world rank, or any
    std::uint32_t context = 0;
    std::int32_t tag = kAnyTag;
    std::uint64_t bytes = 0;  ///< of a message; the room for one that has not come
    std::uint32_t of = 0;     ///< requests that the call waits for; 0: one
};

/// For the user: why the wait is hopeless, and what to check.
[[nodiscard]] std::string hopeless_text(const Awaited& awaited);

}  // namespace rb2::pt2pt
