#pragma once
// Lines that another core has, asked for before they are stored to.

#include <cstddef>

namespace rb2::ring {

/// Asks for the cache line at `line`, to be stored to soon. Does nothing else.
inline void fetch_for_write(const std::byte* line) noexcept {
#ifdef __x86_64__
    // The builtin would ask for a shared line, which a store has to ask for again, unless the compiler may
    // use this instruction. Every x86-64 processor takes it, some as a no-op.
    asm volatile("prefetchw %0" : : "m"(*line));
#else
    __builtin_prefetch(line, 1);
#endif
}

}  // namespace rb2::ring
