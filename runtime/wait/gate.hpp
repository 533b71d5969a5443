#pragma once
// What a waiting thread does about the other threads of its rank while it only pauses or sleeps.

namespace rb2::wait {

/// Only one thread uses the engine: nobody has to be let in. Gates of ranks with several threads have the
/// same functions (pt2pt/threads.hpp).
struct NoGate {
    void open() noexcept {}
    void close() noexcept {}
    /// Whether no other thread of the rank waits and may take the CPU. Asked while the gate is closed.
    [[nodiscard]] static bool alone() noexcept { return true; }
};

}  // namespace rb2::wait
