#pragma once
// How long a blocked rank spins and yields before it sleeps.

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace rb2::wait {

struct Policy {
    std::chrono::nanoseconds spin{0};   ///< polls with only a pause between them
    std::chrono::nanoseconds yield{0};  ///< then polls with sched_yield between them; then it sleeps
    bool own_cpu = false;               ///< yields that somebody takes end the stage (YieldWatch)
    std::uint32_t polls_per_look = 16;  ///< a power of two; then the clock is looked at, or it yields
    bool pauses = true;                 ///< between polls
};

/// Pure. Where ranks must share CPUs (topology::crowded), the peer waited for may need this very CPU: it is
/// given away at every poll, which passes a message on within microseconds while a wake-up from sleep takes
/// tens. A rank in a ring of many waits for all the others' turns, and must not fall asleep in between. With
/// a CPU for every rank a rank first spins for about the time of an answer. It yields even then: the kernel
/// may have put both ranks on one CPU for a while, and where nobody else wants the CPU a yield returns at
/// once. If somebody does, the rank sleeps instead, provided that all peers ring its doorbell, which those
/// over a network (`networks`) cannot. Over a network an answer may take longer, and the system call of a
/// yield is time in which it is not looked for: `answer` is the longest that a peer's takes. Where the first
/// stage is long, the clock is looked at less often: a look may take longer than a poll. Polls of a network
/// are far enough apart without pauses.
constexpr Policy choose_policy(bool crowded, std::chrono::nanoseconds answer = {},
                               bool networks = false) noexcept {
    using namespace std::chrono_literals;
    if (crowded) return {0ns, 1ms};
    return {.spin = std::max<std::chrono::nanoseconds>(1us, answer),
            .yield = 1ms,
            .own_cpu = !networks,
            .polls_per_look = answer < 10us ? 16U : 64U,
            .pauses = !networks};
}

}  // namespace rb2::wait
