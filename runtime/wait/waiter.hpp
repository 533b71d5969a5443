#pragma once
// The stages of waiting: spin, yield, sleep.

#include <sched.h>

#include <chrono>
#include <cstdint>

#include "runtime/wait/doorbell.hpp"
#include "runtime/wait/gate.hpp"
#include "runtime/wait/pause.hpp"
#include "runtime/wait/policy.hpp"
#include "runtime/wait/yield_watch.hpp"

namespace rb2::wait {

/// One per rank, used by the thread that waits. Where several threads share the engine, all calls are under
/// its lock; a gate lets the others in while this one pauses or sleeps.
class Waiter {
  public:
    Waiter(Doorbell& own, const Policy& policy) noexcept : sleeper_(own), policy_(policy) {}
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    /// After a poll that found nothing. `poll` polls once more and returns true when it found work;
    /// `before_sleep` runs before each sleep (to give back credits, to look for lost peers) and returns true
    /// to be polled again instead. `gate` is opened for as long as this looks at nothing but the doorbell.
    template <class Poll, class BeforeSleep, class Gate = NoGate>
    void idle(Poll&& poll, BeforeSleep&& before_sleep, Gate&& gate = {}) {
        if ((++polls_ & (policy_.polls_per_look - 1)) != 0 && policy_.spin.count() != 0) [[likely]] {
            outside(gate, [this] {
                if (policy_.pauses) pause();
            });
            return;
        }
        const auto now = Clock::now();
        const auto waited = waited_at(now);
        if (waited < policy_.spin) return;
        const bool watches = policy_.own_cpu && gate.alone();
        if (waited < policy_.spin + policy_.yield && (!watches || yields_.pays(now))) {
            outside(gate, [this, watches] {
                if (watches)
                    yields_.yield(sched_yield);
                else
                    sched_yield();
            });
            return;
        }
        if (before_sleep()) return;
        sleeper_.sleep(poll, gate);
        count_until(Clock::now());
    }

    /// Spins until `ready()`, a cheap look at what a running peer is about to bring, or for `longest`. False
    /// if it is not ready then, or if a rank must not spin here.
    template <class Ready>
    [[nodiscard]] bool expect(Ready&& ready, std::chrono::nanoseconds longest) const noexcept {
        if (policy_.spin.count() == 0) return false;
        const auto end = Clock::now() + longest;
        do {
            for (int look = 0; look < kLooksPerClock; ++look) {
                if (ready()) return true;
                pause();
            }
        } while (Clock::now() < end);
        return false;
    }

    /// A poll found work, or the wait is over: the next wait starts from spinning.
    void busy() noexcept { polls_ = 0; }

    /// No sleep longer than `longest`.
    void limit_sleep(std::chrono::microseconds longest) noexcept { sleeper_.limit(longest); }

    /// From now on adds the time of waits to `waited_ns`, as of the looks at the clock: what follows the last
    /// look of a wait is not counted, nor is a wait too short for a look.
    void count_in(std::uint64_t& waited_ns) noexcept { waited_ns_ = &waited_ns; }

    [[nodiscard]] const Policy& policy() const noexcept { return policy_; }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr int kLooksPerClock = 16;  ///< of expect(), which waits for a microsecond or a few

    template <class Gate, class Pause>
    static void outside(Gate& gate, Pause do_pause) {
        gate.open();
        do_pause();
        gate.close();
    }

    /// Time since the first look of this wait.
    Clock::duration waited_at(Clock::time_point now) noexcept {
        if (polls_ <= policy_.polls_per_look)
            since_ = counted_until_ = now;
        else
            count_until(now);
        return now - since_;
    }
    void count_until(Clock::time_point now) noexcept {
        *waited_ns_ += static_cast<std::uint64_t>((now - counted_until_) / std::chrono::nanoseconds(1));
        counted_until_ = now;
    }

    Sleeper sleeper_;
    Policy policy_;
    YieldWatch<> yields_;
    std::uint32_t polls_ = 0;
    Clock::time_point since_{};
    Clock::time_point counted_until_{};
    std::uint64_t uncounted_ns_ = 0;
    std::uint64_t* waited_ns_ = &uncounted_ns_;
};

}  // namespace rb2::wait
