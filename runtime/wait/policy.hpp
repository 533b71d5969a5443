#pragma once
// How long a blocked rank spins and yields before it sleeps.

#include <algorithm>
#include <chrono>

namespace rb2::wait {

struct Policy {
    std::chrono::nanoseconds spin{0};   ///< polls with only a pause between them
    std::chrono::nanoseconds yield{0};  ///< then polls with sched_yield between them; then it sleeps
    bool own_cpu = false;               ///< yields that somebody takes end the stage (YieldWatch)
};

/// Pure. Where ranks must share CPUs (topology::crowded), the peer waited for may need this very CPU: it is
/// given away at every poll, which passes a message on within microseconds while a wake-up from sleep takes
/// tens. A rank in a ring of many waits for all the others' turns, and must not fall asleep in between. With
/// a CPU for every rank a rank first spins for about the time of an answer. It yields even then: the kernel
/// may have put both ranks on one CPU for a while, and where nobody else wants the CPU a yield returns at
/// once. If somebody does, the rank sleeps instead, provided that all peers ring its doorbell, which those
/// over a network (`networks`) cannot. Over a network an answer may take longer, and the system call of a
/// yield is time in which it is not looked for: `answer` is the longest that a peer's takes.
constexpr Policy choose_policy(bool crowded, std::chrono::nanoseconds answer = {},
                               bool networks = false) noexcept {
    using namespace std::chrono_literals;
    if (crowded) return {0ns, 1ms};
    return {std::max<std::chrono::nanoseconds>(1us, answer), 1ms, !networks};
}

}  // namespace rb2::wait
