#pragma once
// Taking completions off an endpoint.

#include <array>
#include <cstddef>
#include <span>

#include "runtime/fabric/fabric.hpp"

namespace rb2::fabric {

/// Hands every completion that is there to `take`.
template <Endpoint E, class Take>
void harvest_completions(E& endpoint, Take&& take) {
    // Most of the time there is nothing, and to prepare the array takes longer than to see that.
    if constexpr (requires { endpoint.has_none(); }) {
        if (endpoint.has_none()) return;
    }
    std::array<Completion, 8> completions;
    std::size_t count = 0;
    do {
        count = endpoint.poll(completions);
        for (const Completion& done : std::span(completions).first(count)) take(done);
    } while (count == completions.size());
}

/// Takes one, for callers that can only do one thing at a time. False when there is none.
template <Endpoint E>
[[nodiscard]] bool poll_one(E& endpoint, Completion& completion) noexcept {
    return endpoint.poll({&completion, 1}) == 1;
}

}  // namespace rb2::fabric
