#pragma once
// How long a blocked rank spins and yields before it sleeps.

#include <chrono>

namespace rb2::wait {

struct Policy {
    std::chrono::nanoseconds spin{0};   ///< polls with only a pause between them
    std::chrono::nanoseconds yield{0};  ///< then polls with sched_yield between them; then it sleeps
};

/// Pure. With a CPU for every rank, spinning costs nobody anything and saves the wake-up (about 5 us), so a
/// rank spins well past the usual answer time and sleeps only when idle for long. Where ranks must share CPUs
/// (topology::crowded) the peer it waits for may need this very CPU: it polls once and sleeps.
constexpr Policy choose_policy(bool crowded) noexcept {
    using namespace std::chrono_literals;
    if (crowded) return {0ns, 0ns};
    return {20us, 1ms};
}

}  // namespace rb2::wait
