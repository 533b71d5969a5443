// Waiting where several threads share the engine (pt2pt/threads.hpp). Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

template <class T>
void BasicEngine<T>::share(Threads& threads) noexcept {
    threads_ = &threads;
    idle_bound_ = std::numeric_limits<int>::max();
}

/// A round of a wait, where threads share the engine; it moved `work` records. The conditions come as copies,
/// so that the loop may keep its own in registers.
template <class T>
template <class Done, class Whose>
void BasicEngine<T>::rest_among_threads(int work, Done done, Whose whose) {
    auto look = [this, &whose] { return look_for_departed(whose); };
    if (work != 0) transport_.busy();
    if (done()) return;
    if (threads_->has_turn()) {
        const Request* const awaited = awaited_;
        Waiting waiting(done, look);
        give_up_turn(work, waiting);
        awaited_ = awaited;  // others may have waited meanwhile
    } else if (work == 0) {  // the C++ interface: alone by contract
        transport_.idle([this] { return progress() != 0; }, [this, &whose] { return before_sleep(whose); });
        if (asleep_) after_sleep();
    }
}

template <class T>
void BasicEngine<T>::give_up_turn(int work, Waiting& waiting) {
    TurnGate gate(*threads_, waiting);
    // After work there may be more, so nobody need sleep, but the others get their chance.
    const auto role = work != 0 ? Threads::Role::deputy : threads_->take_role();
    if (role == Threads::Role::parked) {
        threads_->park(waiting);
    } else if (role == Threads::Role::driver) {
        const auto look = [&] {
            begin_standing();
            const bool own = waiting.look_for_end();
            const bool found = threads_->look_for_ends() || own;
            show_standing(found);
            return found;
        };
        transport_.idle([this] { return progress() != 0; }, look, gate);
        if (asleep_) after_sleep();
    } else {
        gate.open();
        if (work == 0) sched_yield();
        gate.close();
    }
}

}  // namespace rb2::pt2pt
