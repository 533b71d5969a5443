#pragma once
// The two system calls on a futex word of this process, or one that processes share. Doorbells have their
// own.

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>

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

/// The same for a word in memory that processes share; sleeps no longer than `longest`.
inline void shared_futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                              std::chrono::seconds longest) noexcept {
    const timespec limit{.tv_sec = longest.count(), .tv_nsec = 0};
    syscall(SYS_futex, &word, FUTEX_WAIT, expected, &limit, nullptr, 0);
}
inline void shared_futex_wake(const std::atomic<std::uint32_t>& word) noexcept {
    syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace rb2::wait
