#pragma once
// Several threads in one engine (MPI_THREAD_MULTIPLE).
//
// The engine is used by one thread at a time; here is who that is. A thread that calls the library takes a
// turn: the lock, for as long as it has something to do. When its wait finds nothing, one thread, the driver,
// keeps polling for all and opens the lock between its polls; the others park, each on a word of its own.
// Whoever ends a turn, or opens the lock, first looks which parked threads have what they wait for and wakes
// exactly those. A driver that leaves hands its role to the thread parked longest, which is also the one
// whose receive was posted first.
//
// No wake-up is lost: parking and looking both happen under the lock. Nobody polls in vain: there is one
// driver, so threads may outnumber the CPUs. Until a new driver has woken up, threads that come to wait poll
// in its place, so that its way out of sleep costs no time.
//
// Waking a sleeper takes longer than a message. So a few parked threads stay awake for a moment and give
// their CPU away at every look, and so does the driver: messages that threads answer in turn need no sleeper
// woken. Where more threads are parked, the one parked longest is woken early.
//
// The engine goes one step further for receives: one that runs takes what came for a parked one of its kind
// (engine/threads.inl), so that where threads answer in turn nobody is woken at all.
//
// The idea that a waiting thread progresses for those that sleep is that of combining (Hendler, Incze,
// Shavit, Tzafrir, "Flat Combining and the Synchronization-Parallelism Tradeoff", SPAA 2010). It differs in
// that calls are carried out by their own threads, and only what arrives from outside is handled by the
// driver.

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdint>

#include "runtime/wait/doorbell.hpp"
#include "runtime/wait/lock.hpp"

namespace rb2::pt2pt {

/// What a thread waits for, as other threads can ask it. Lives on the stack of the waiting call. Both
/// functions are called under the lock, by any thread.
class Waiting {
  public:
    /// `done()`: the wait is over. `hopeless()`: ends the job when nothing can end the wait, else tells
    /// whether it found work. Both outlive this object.
    template <class Done, class Hopeless>
    Waiting(Done& done, Hopeless& hopeless) noexcept
        : done_(&done), hopeless_(&hopeless), ask_done_(ask<Done>), ask_hopeless_(ask<Hopeless>) {}
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

    [[nodiscard]] bool over() const { return ask_done_(done_); }
    bool look_for_end() const { return ask_hopeless_(hopeless_); }

  private:
    friend class Threads;

    template <class Function>
    static bool ask(void* function) {
        return (*static_cast<Function*>(function))();
    }

    void* done_;
    void* hopeless_;
    bool (*ask_done_)(void*);
    bool (*ask_hopeless_)(void*);
    // Of a thread that has given up its turn:
    int depth_ = 0;  ///< its calls inside each other
    // Of a parked one:
    enum State : std::uint32_t { kAwake, kAsleep, kWoken };
    pthread_t thread_{};
    Waiting* next_ = nullptr;
    std::atomic<std::uint32_t> state_{kAwake};
    std::atomic<bool> stays_awake_{false};
    bool woken_early_ = false;
};

/// One per process, since a thread may come in through either interface: see threads().
class Threads {
  public:
    constexpr Threads() noexcept = default;
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    /// From now on calls come from several threads at once. `own` is the rank's doorbell.
    void share(wait::Doorbell& own) noexcept { doorbell_ = &own; }
    /// Back to one thread; the doorbell may go.
    void end() noexcept { doorbell_ = nullptr; }
    [[nodiscard]] bool shared() const noexcept { return doorbell_ != nullptr; }

    /// True when the caller has the turn.
    [[nodiscard]] bool has_turn() const noexcept {
        return holder_.load(std::memory_order_relaxed) == pthread_self();
    }
    /// Begins a turn, at once when the caller has it already: a callback may call the library again.
    void enter() noexcept;
    /// Ends it, with the outermost call.
    void leave() noexcept;

    // For a thread that waits inside its turn and has found nothing to do:

    enum class Role : std::uint8_t {
        driver,  ///< polls and may sleep on the doorbell
        deputy,  ///< polls until the new driver has come; must not sleep
        parked,  ///< park(): another thread polls
    };
    /// The caller's part. It becomes the driver when there is none.
    Role take_role() noexcept;
    /// Gives up the turn until `waiting` is over, or this thread is to be the driver. Looks like a spurious
    /// return otherwise: the caller asks its condition and take_role() again.
    void park(Waiting& waiting) noexcept;
    /// Gives up the turn for a moment, in which `waiting` goes on.
    void open(Waiting& waiting) noexcept;
    /// Takes it again, after those that knocked meanwhile.
    void close(Waiting& waiting) noexcept;
    /// True when some thread waits for its turn. A hint.
    [[nodiscard]] bool wanted() const noexcept { return lock_.wanted(); }
    [[nodiscard]] bool any_parked() const noexcept { return first_ != nullptr; }
    /// Asks every parked thread's wait for its end; true when one of them found work.
    bool look_for_ends();

    /// Parked threads stay awake for so long, and about so many of them.
    static constexpr std::chrono::microseconds kStayAwake{50};
    static constexpr int kMostAwake = 8;

  private:
    void append(Waiting& waiting) noexcept;
    void rest(Waiting& waiting) noexcept;
    bool open_lock() noexcept;
    void wake_early() noexcept;
    void keep_awake(Waiting& waiting) noexcept;
    void let_sleep(Waiting& waiting) noexcept;
    [[nodiscard]] Waiting* settle() noexcept;
    void appoint(const Waiting& waiting) noexcept;
    void rouse_driver() noexcept;
    bool wake(Waiting* list) noexcept;
    void hold() noexcept;
    void let_go() noexcept;

    wait::Lock lock_;
    std::atomic<pthread_t> holder_{};  ///< whose turn it is; 0: nobody's
    std::atomic<int> awake_{0};        ///< parked threads that stay awake
    // Under the lock:
    int depth_ = 0;  ///< calls of the holder inside each other
    wait::Doorbell* doorbell_ = nullptr;
    pthread_t driver_{};
    bool driver_came_ = false;    ///< false: it has been woken for the role, and is on its way
    Waiting* driving_ = nullptr;  ///< the driver's own wait, while it lets others in
    Waiting* first_ = nullptr;    ///< parked threads, longest first
    Waiting* last_ = nullptr;
};

/// The one of this process. It lives in librb2, like the engine.
[[nodiscard]] Threads& threads() noexcept;

/// Lets the other threads in while the driver pauses or sleeps (see runtime/wait/gate.hpp).
class TurnGate {
  public:
    TurnGate(Threads& all, Waiting& waiting) noexcept : all_(all), waiting_(waiting) {}
    void open() noexcept { all_.open(waiting_); }
    void close() noexcept { all_.close(waiting_); }
    [[nodiscard]] bool alone() const noexcept { return !all_.any_parked(); }

  private:
    Threads& all_;
    Waiting& waiting_;
};

/// A call's stay in the library, where threads share it.
class Turn {
  public:
    explicit Turn(Threads& all) noexcept : all_(all) { all_.enter(); }
    ~Turn() { all_.leave(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    Threads& all_;
};

}  // namespace rb2::pt2pt
