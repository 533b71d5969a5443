#include "runtime/wait/lock.hpp"

#include <sched.h>

#include "runtime/wait/futex.hpp"
#include "runtime/wait/pause.hpp"

namespace rb2::wait {
namespace {

constexpr int kTries = 20;   ///< with a pause between them: about a microsecond
constexpr int kYields = 16;  ///< turns a polite thread gives away before it asks for itself

}  // namespace

bool Lock::try_for_a_moment(Word as) noexcept {
    for (int i = 0; i < kTries; ++i) {
        if (word_.load(std::memory_order_relaxed) == kFree && take(as)) return true;
        pause();
    }
    return false;
}

/// Sleeps until woken; true when the lock was free after all and is now the caller's.
bool Lock::sleep_for_it() noexcept {
    if (starving_.load(std::memory_order_relaxed) != 0) {
        sched_yield();  // the one that starves must get it first, and will soon
        return false;
    }
    if (word_.exchange(kTakenAndSlept, std::memory_order_acquire) == kFree) return true;
    futex_wait(word_, kTakenAndSlept);
    return false;
}

/// Takes the lock as soon as it is free: newcomers hold back meanwhile. It stays awake, so that the holder
/// need not wake it.
void Lock::insist() noexcept {
    starving_.fetch_add(1, std::memory_order_relaxed);
    for (std::uint32_t free = kFree; !word_.compare_exchange_weak(
             free, kTakenAndSlept, std::memory_order_acquire, std::memory_order_relaxed);
         free = kFree)
        sched_yield();
    starving_.fetch_sub(1, std::memory_order_relaxed);
}

void Lock::lock_contended() noexcept {
    waiting_.fetch_add(1, std::memory_order_relaxed);
    const auto start = std::chrono::steady_clock::now();
    // Having slept, a thread cannot know whether others still do: it takes the lock as if.
    for (Word as = kTaken; !try_for_a_moment(as); as = kTakenAndSlept) {
        if (std::chrono::steady_clock::now() - start > kPatience) {
            insist();
            break;
        }
        if (sleep_for_it()) break;
    }
    waiting_.fetch_sub(1, std::memory_order_relaxed);
}

void Lock::lock_after_others() noexcept {
    for (int i = 0; i < kYields && wanted(); ++i) sched_yield();
    lock();
}

void Lock::wake_one() noexcept { futex_wake(word_, 1); }

}  // namespace rb2::wait
