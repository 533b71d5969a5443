#include "pt2pt/threads.hpp"

#include <sched.h>

#include <utility>

#include "runtime/wait/futex.hpp"

namespace rb2::pt2pt {

Threads& threads() noexcept {
    static constinit Threads all;
    return all;
}

/// The caller has just locked.
void Threads::hold() noexcept {
    // Relaxed: only a thread that finds itself here relies on it, and it wrote that itself.
    holder_.store(pthread_self(), std::memory_order_relaxed);
}

void Threads::let_go() noexcept {
    holder_.store({}, std::memory_order_relaxed);
    lock_.unlock();
}

void Threads::enter() noexcept {
    if (has_turn()) {
        ++depth_;
        return;
    }
    lock_.lock();
    hold();
    depth_ = 1;
}

void Threads::leave() noexcept {
    if (--depth_ != 0) return;
    if (driver_ == pthread_self()) driver_ = {};
    Waiting* const list = settle();
    let_go();
    wake(list);
}

Threads::Role Threads::take_role() noexcept {
    const pthread_t self = pthread_self();
    if (driver_ == pthread_t{} || driver_ == self) {
        driver_ = self;
        driver_came_ = true;
        return Role::driver;
    }
    return driver_came_ ? Role::parked : Role::deputy;
}

void Threads::park(Waiting& waiting) noexcept {
    waiting.depth_ = std::exchange(depth_, 0);
    waiting.thread_ = pthread_self();
    waiting.state_.store(Waiting::kAwake, std::memory_order_relaxed);
    waiting.woken_early_ = false;
    if (awake_.load(std::memory_order_relaxed) < kMostAwake) keep_awake(waiting);
    append(waiting);
    open_lock();
    rest(waiting);
    lock_.lock();
    hold();
    depth_ = waiting.depth_;
}

void Threads::open(Waiting& waiting) noexcept {
    if (driver_ == pthread_self()) driving_ = &waiting;
    waiting.depth_ = std::exchange(depth_, 0);
    if (open_lock()) sched_yield();
}

/// For a thread that has nothing to do. True when others are awake and may need its CPU.
bool Threads::open_lock() noexcept {
    Waiting* const list = settle();
    wake_early();
    let_go();
    return wake(list) || awake_.load(std::memory_order_relaxed) != 0;
}

/// Until another thread wakes this one.
void Threads::rest(Waiting& waiting) noexcept {
    using Clock = std::chrono::steady_clock;
    auto end = Clock::now() + kStayAwake;
    // Acquire: the thread that wakes this one has taken it off the list.
    while (waiting.state_.load(std::memory_order_acquire) != Waiting::kWoken) {
        if (waiting.stays_awake_.load(std::memory_order_relaxed) && Clock::now() < end) {
            sched_yield();
            continue;
        }
        let_sleep(waiting);
        std::uint32_t awake = Waiting::kAwake;
        // Fails when it has just been woken. Relaxed: the loop looks again.
        waiting.state_.compare_exchange_strong(awake, Waiting::kAsleep, std::memory_order_relaxed);
        wait::futex_wait(waiting.state_, Waiting::kAsleep);
        end = Clock::now() + kStayAwake;
    }
}

/// Once for each thread, when it is the one parked longest.
void Threads::wake_early() noexcept {
    if (first_ == nullptr || std::exchange(first_->woken_early_, true)) return;
    std::uint32_t asleep = Waiting::kAsleep;
    keep_awake(*first_);
    // Relaxed: nothing is handed over. Only the holder of the lock and the thread itself change the state.
    if (first_->state_.compare_exchange_strong(asleep, Waiting::kAwake, std::memory_order_relaxed))
        wait::futex_wake(first_->state_, 1);
}

void Threads::keep_awake(Waiting& waiting) noexcept {
    // Relaxed, as in let_sleep(): both only decide who yields to whom.
    if (!waiting.stays_awake_.exchange(true, std::memory_order_relaxed))
        awake_.fetch_add(1, std::memory_order_relaxed);
}

void Threads::let_sleep(Waiting& waiting) noexcept {
    if (waiting.stays_awake_.exchange(false, std::memory_order_relaxed))
        awake_.fetch_sub(1, std::memory_order_relaxed);
}

void Threads::close(Waiting& waiting) noexcept {
    lock_.lock_after_others();
    hold();
    depth_ = waiting.depth_;
    if (driving_ == &waiting) driving_ = nullptr;
}

bool Threads::look_for_ends() {
    bool found = false;
    for (const Waiting* waiting = first_; waiting != nullptr; waiting = waiting->next_)
        if (waiting->look_for_end()) found = true;
    return found;
}

void Threads::append(Waiting& waiting) noexcept {
    waiting.next_ = nullptr;
    (last_ != nullptr ? last_->next_ : first_) = &waiting;
    last_ = &waiting;
}

/// Before the lock is opened: takes those off the list of the parked that have what they wait for, and the
/// next driver when there is none. They are linked by next_; wake() them once the lock is free.
Waiting* Threads::settle() noexcept {
    rouse_driver();
    Waiting* woken = nullptr;
    Waiting** woken_end = &woken;
    Waiting** link = &first_;
    last_ = nullptr;
    while (Waiting* const waiting = *link) {
        const bool over = waiting->over();
        const bool drives = !over && driver_ == pthread_t{};
        if (drives) appoint(*waiting);
        if (over || drives) {
            *link = waiting->next_;
            *std::exchange(woken_end, &waiting->next_) = waiting;
        } else {
            last_ = waiting;
            link = &waiting->next_;
        }
    }
    *woken_end = nullptr;
    return woken;
}

/// It is on its way from now on; until it comes, deputies poll.
void Threads::appoint(const Waiting& waiting) noexcept {
    driver_ = waiting.thread_;
    driver_came_ = false;
}

/// A driver asleep on the doorbell hears of arrivals from outside. Here another thread's call may have ended
/// its wait.
void Threads::rouse_driver() noexcept {
    // Relaxed: the driver has armed the bell under the lock, and the peers that clear it wake it themselves.
    if (driving_ == nullptr || doorbell_->asleep.load(std::memory_order_relaxed) == 0) return;
    if (driving_->over()) wait::wake(*doorbell_);
}

/// True when one of them was awake all the time: it may be waiting for the caller's CPU.
bool Threads::wake(Waiting* list) noexcept {
    bool was_awake = false;
    while (list != nullptr) {
        // Both read before the store: with it the object may go.
        const auto& word = list->state_;
        Waiting* const woken = std::exchange(list, list->next_);
        let_sleep(*woken);
        // Release: the waker is done with the object.
        if (woken->state_.exchange(Waiting::kWoken, std::memory_order_release) == Waiting::kAsleep)
            wait::futex_wake(word, 1);
        else
            was_awake = true;
    }
    return was_awake;
}

}  // namespace rb2::pt2pt
