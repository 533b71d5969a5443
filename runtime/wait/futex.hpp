#pragma once
// The two system calls on a futex word of this process. Doorbells are words between processes and have their
// own.

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace rb2::wait {

/// Sleeps while the word is `expected`, until woken. May return early, so the caller looks again.
inline void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

/// Wakes up to `threads` that sleep on the word. Only the address is used, so a word that is gone is no harm:
/// whoever uses the address now is woken early.
inline void futex_wake(const std::atomic<std::uint32_t>& word, int threads) noexcept {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

}  // namespace rb2::wait
