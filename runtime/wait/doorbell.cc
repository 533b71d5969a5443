#include "runtime/wait/doorbell.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace rb2::wait {
namespace {

long membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0U, 0); }

std::uint32_t* word(Doorbell& bell) noexcept { return reinterpret_cast<std::uint32_t*>(&bell.asleep); }

timespec to_timespec(std::chrono::microseconds time) noexcept {
    return {time.count() / 1'000'000, (time.count() % 1'000'000) * 1000};
}

}  // namespace

void wake(Doorbell& bell) noexcept {
    if (bell.asleep.exchange(0, std::memory_order_relaxed) == 0) return;
    // Not FUTEX_PRIVATE: the word is shared between processes.
    syscall(SYS_futex, word(bell), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

Sleeper::Sleeper(Doorbell& own) noexcept
    : own_(own), asymmetric_(membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0) {
    if (!asymmetric_) limit(kSlice);
}

void Sleeper::arm() noexcept {
    own_.asleep.store(1, std::memory_order_relaxed);
    if (asymmetric_) membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

void Sleeper::wait_on_futex() noexcept {
    const timespec limit = to_timespec(longest_);
    // Returns at once when a peer has cleared the word meanwhile; a signal or time-out is as good as a
    // wake-up.
    syscall(SYS_futex, word(own_), FUTEX_WAIT, 1U, &limit, nullptr, 0);
}

}  // namespace rb2::wait
