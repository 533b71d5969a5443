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
        transport_.idle([this] { return anything_new(); }, [this, &whose] { return before_sleep(whose); });
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
        transport_.idle([this] { return anything_new(); }, look, gate);
        if (asleep_) after_sleep();
    } else {
        gate.open();
        if (work == 0) sched_yield();
        gate.close();
    }
}

/// A blocking receive of one of several threads. Receives that are blocked at the same time have no order
/// (MPI 4.1, section 3.5: "logically concurrent"), so a thread that runs may take what came for one that
/// would have to be woken first: the two trade their requests. A change of threads takes several times as
/// long as a message.
template <class T>
struct BasicEngine<T>::SharedReceive {
    /// So often others go first: a sleeping receive is served at last.
    static constexpr int kPatience = 1000;
    /// Longer messages are not worth another copy.
    static constexpr std::uint64_t kLongest = 4096;
    /// In which a thread looks for the answer to what it has just sent, before it gives its CPU away.
    static constexpr int kRounds = 50;

    Request* request;
    matching::Envelope pattern;
    SharedReceive* next;
    pthread_t thread = pthread_self();
    int overtaken = 0;
    bool keeps = false;  // its message, which came before a receive that is blocked now was begun
};

template <class T>
Status BasicEngine<T>::receive_among_threads(Request* request, matching::Envelope pattern,
                                             MessageInfo* info) {
    // What has come so far came before this receive, and may be older than what the thread has got already.
    for (SharedReceive* other = receiving_; other != nullptr; other = other->next)
        if (other->request->taken()) other->keeps = true;
    SharedReceive own{request, pattern, receiving_};
    receiving_ = &own;
    const auto done = [this, &own] { return over(own); };
    for (int round = has_twin(own) ? SharedReceive::kRounds : 0; round > 0; --round) {
        if (done() || threads_->wanted()) break;
        if (progress() == 0) wait::pause();
    }
    wait_for(done, [this, &own] { return awaited_by(*own.request); });
    SharedReceive** link = &receiving_;
    while (*link != &own) link = &(*link)->next;
    *link = own.next;
    return complete_now(own.request, info);
}

/// Whether the receive is complete, if need be with another's message.
template <class T>
bool BasicEngine<T>::over(SharedReceive& own) {
    if (own.request->complete()) return true;
    // Another thread that asks takes nothing for it; nor does it take a second message ahead of its first.
    if (own.thread != pthread_self() || own.request->matched_) return false;
    SharedReceive* found = nullptr;
    std::size_t blocked = 0;
    for (SharedReceive* other = receiving_; other != nullptr; other = other->next) {
        if (!other->request->taken()) ++blocked;
        if (may_trade(own, *other)) found = other;
    }
    // A receive that does not block was posted in an order that counts, maybe by this very thread.
    if (found == nullptr || blocked != matcher_.posted_count()) return false;
    trade(own, *found);
    return true;
}

template <class T>
bool BasicEngine<T>::may_trade(const SharedReceive& own, const SharedReceive& other) const noexcept {
    const Request& taken = *other.request;
    return taken.complete() && !other.keeps && other.overtaken < SharedReceive::kPatience &&
           own.pattern == other.pattern && taken.info_.status == Status::ok &&
           taken.info_.bytes <= SharedReceive::kLongest &&
           taken.sink_.capacity == own.request->sink_.capacity;
}

/// The message of `other` becomes that of `own`, whose posted request goes on for `other`.
template <class T>
void BasicEngine<T>::trade(SharedReceive& own, SharedReceive& other) noexcept {
    Sink& to = own.request->sink_;
    Sink& from = other.request->sink_;
    copy_payload(to.base, from.base, other.request->info_.bytes);
    std::swap(to.base, from.base);
    std::swap(own.request, other.request);
    ++other.overtaken;
}

template <class T>
bool BasicEngine<T>::has_twin(const SharedReceive& own) const noexcept {
    for (const SharedReceive* other = receiving_; other != nullptr; other = other->next)
        if (other != &own && other->pattern == own.pattern) return true;
    return false;
}

}  // namespace rb2::pt2pt
