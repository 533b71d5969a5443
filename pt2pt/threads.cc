#include "pt2pt/threads.hpp"

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
    waiting.woken_.store(0, std::memory_order_relaxed);
    append(waiting);
    Waiting* const list = settle();
    let_go();
    wake(list);
    // Acquire: the thread that wakes this one has taken it off the list.
    while (waiting.woken_.load(std::memory_order_acquire) == 0) wait::futex_wait(waiting.woken_, 0);
    lock_.lock();
    hold();
    depth_ = waiting.depth_;
}

void Threads::open(Waiting& waiting) noexcept {
    if (driver_ == pthread_self()) driving_ = &waiting;
    waiting.depth_ = std::exchange(depth_, 0);
    Waiting* const list = settle();
    let_go();
    wake(list);
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

void Threads::wake(Waiting* list) noexcept {
    while (list != nullptr) {
        // Both read before the store: with it the object may go.
        const auto& word = list->woken_;
        Waiting* const woken = std::exchange(list, list->next_);
        // Release: the waker is done with the object.
        woken->woken_.store(1, std::memory_order_release);
        wait::futex_wake(word, 1);
    }
}

}  // namespace rb2::pt2pt
