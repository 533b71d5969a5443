#pragma once

namespace rb2::wait {

/// Tells the core that this is a spin loop.
inline void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace rb2::wait
