#pragma once
// What a waiting thread does about the other threads of its rank while it only pauses or sleeps.

namespace rb2::wait {

/// Only one thread uses the engine: nobody has to be let in. Gates of ranks with several threads have the
/// same two functions (pt2pt/threads.hpp).
struct NoGate {
    void open() noexcept {}
    void close() noexcept {}
};

}  // namespace rb2::wait
