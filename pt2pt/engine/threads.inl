// Waiting where several threads share the engine (pt2pt/threads.hpp). Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

template <class T>
void BasicEngine<T>::share(Threads& threads) noexcept {
    threads_ = &threads;
    idle_bound_ = std::numeric_limits<int>::max();
}

/// A round of a wait that moved `work` records: none, or any number where threads share the engine.
template <class T>
template <class Done, class Whose>
inline void BasicEngine<T>::rest(int work, Done& done, Whose& whose) {
    auto look = [this, &whose] { return look_for_departed(whose); };
    if (threads_ == nullptr) [[likely]]
        transport_.idle([this] { return progress() != 0; }, look);
    else
        rest_among_threads(work, done, look);
}

template <class T>
template <class Done, class Look>
void BasicEngine<T>::rest_among_threads(int work, Done& done, Look& look) {
    if (work != 0) transport_.busy();
    if (done()) return;
    const Request* const awaited = awaited_;
    Waiting waiting(done, look);
    TurnGate gate(*threads_, waiting);
    // After work there may be more, so nobody need sleep, but the others get their chance.
    const auto role = work != 0 ? Threads::Role::deputy : threads_->take_role();
    if (role == Threads::Role::parked) {
        threads_->park(waiting);
    } else if (role == Threads::Role::driver) {
        transport_.idle([this] { return progress() != 0; },
                        [&] {
                            const bool found = look();
                            return threads_->look_for_ends() || found;
                        },
                        gate);
    } else {
        gate.open();
        if (work == 0) sched_yield();
        gate.close();
    }
    awaited_ = awaited;  // others may have waited meanwhile
}

}  // namespace rb2::pt2pt
