// What a rank shows of itself to rb2run and rb2stat (runtime/state): counters, written with every message,
// and where it stands, written before it sleeps. Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

template <class T>
void BasicEngine<T>::count_to_self(std::uint64_t bytes) noexcept {
    count_sent(peers_[config_.rank], bytes);
    count_received(*peers_[config_.rank].traffic, bytes);
}

template <class T>
void BasicEngine<T>::count_rendezvous(std::uint64_t bytes) noexcept {
    ++totals_->rendezvous_messages;
    totals_->rendezvous_bytes += bytes;
}

/// A message that was counted as rendezvous when it was offered.
template <class T>
void BasicEngine<T>::count_single_copy(std::uint64_t bytes) noexcept {
    --totals_->rendezvous_messages;
    totals_->rendezvous_bytes -= bytes;
    ++totals_->single_copy_messages;
    totals_->single_copy_bytes += bytes;
}

/// The same for one that a network writes.
template <class T>
void BasicEngine<T>::count_direct(std::uint64_t bytes) noexcept {
    --totals_->rendezvous_messages;
    totals_->rendezvous_bytes -= bytes;
    ++totals_->direct_messages;
    totals_->direct_bytes += bytes;
}

template <class T>
void BasicEngine<T>::show_in(state::OwnPage& page) noexcept {
    page_ = &page;
    for (const auto& peer : peers_.met()) {
        page.traffic()[peer->rank] = *peer->traffic;
        peer->traffic = &page.traffic()[peer->rank];
    }
    totals_ = &page.page().totals;
    for (CollectiveCalls* const calls : collectives_)
        calls->shown = page.count_collectives(calls->communicator);
}

template <class T>
void BasicEngine<T>::count_collectives(CollectiveCalls& calls) {
    collectives_.push_back(&calls);
    if (page_ != nullptr) calls.shown = page_->count_collectives(calls.communicator);
}

template <class T>
void BasicEngine<T>::forget_collectives(const CollectiveCalls& calls) noexcept {
    if (calls.shown != nullptr) calls.shown->communicator.store(0, std::memory_order_relaxed);
    std::erase(collectives_, &calls);
}

template <class T>
template <class Whose>
bool BasicEngine<T>::before_sleep(Whose whose) {
    begin_standing();
    const bool found = look_for_departed(whose);
    show_standing(found);
    return found;
}

template <class T>
void BasicEngine<T>::after_sleep() noexcept {
    asleep_ = false;
    page_->wakes_up();
}

/// Now and then in a wait that does not come to sleep, and after each sleep.
template <class T>
template <class Whose>
inline void BasicEngine<T>::after_idle(Whose whose) {
    if (asleep_)
        after_sleep();
    else if (page_ != nullptr && page_->asked())
        answer_question(whose());
}

template <class T>
void BasicEngine<T>::answer_question(const Awaited& awaited) {
    begin_standing();
    note_wait(awaited);
    publish(true);
}

template <class T>
void BasicEngine<T>::begin_standing() noexcept {
    standing_ = {};
}

/// One of the rank's threads waits for this.
template <class T>
void BasicEngine<T>::note_wait(const Awaited& awaited) noexcept {
    if (standing_.wait_count++ >= state::Standing::kWaits) return;
    state::Wait& wait = standing_.waits[standing_.wait_count - 1];
    static constexpr std::array kinds{state::WaitKind::nothing, state::WaitKind::receive,
                                      state::WaitKind::send, state::WaitKind::answers,
                                      state::WaitKind::any_of};
    wait.kind = kinds[static_cast<std::size_t>(awaited.what)];
    static_assert(state::kAnyRank == kAnySource && state::kAnyTag == kAnyTag);
    wait.peer = awaited.peer;
    wait.context = awaited.context;
    wait.tag = awaited.tag;
    wait.bytes = awaited.bytes;
    wait.of = awaited.of;
    if (awaited.context % 2 == 0) return;
    for (const CollectiveCalls* const calls : collectives_)
        if (calls->communicator == awaited.context / 2 && calls->last == awaited.tag)
            std::strncpy(wait.collective, calls->function, sizeof wait.collective - 1);
}

/// Publishes the waits noted. `stays_awake`: there was something to do after all.
template <class T>
void BasicEngine<T>::show_standing(bool stays_awake) {
    if (page_ == nullptr || stays_awake) return;
    publish(page_->asked());
    asleep_ = true;
    idle_rounds_ = kIdleRoundsPerLook - 1;
    page_->falls_asleep();
}

/// For calls like MPI_Test that find nothing again and again.
template <class T>
void BasicEngine<T>::look_while_polling() {
    if (page_ == nullptr || !page_->asked()) return;
    begin_standing();
    standing_.polls = vain_polls_;
    publish(true);
}

template <class T>
void BasicEngine<T>::publish(bool answers) {
    standing_.fingerprint = fingerprint();
    const bool same = standing_.fingerprint == last_standing_.fingerprint &&
                      standing_.wait_count == last_standing_.wait_count &&
                      (standing_.polls == 0) == (last_standing_.polls == 0) &&
                      std::memcmp(standing_.waits, last_standing_.waits, sizeof standing_.waits) == 0;
    standing_.since_ns = same ? last_standing_.since_ns : state::now_ns();
    standing_.posted.count = static_cast<std::uint32_t>(matcher_.posted_count());
    standing_.unexpected.count = static_cast<std::uint32_t>(matcher_.unexpected_count());
    if (answers) {
        list_messages();
    } else if (same) {  // whoever asked may not have looked yet
        standing_.posted = last_standing_.posted;
        standing_.unexpected = last_standing_.unexpected;
        standing_.sends = last_standing_.sends;
    }
    last_standing_ = standing_;
    page_->stand(standing_, answers);
}

template <class T>
void BasicEngine<T>::list_messages() {
    standing_.posted.count = standing_.unexpected.count = 0;
    matcher_.for_each_posted([this](const matching::PostedEntry& entry) {
        const auto& request = static_cast<const Request&>(entry);
        enter(standing_.posted, {request.envelope.source,
                                 request.envelope.context(),
                                 request.envelope.tag(),
                                 {},
                                 request.sink_.capacity});
    });
    matcher_.for_each_unexpected([this](const matching::UnexpectedEntry& entry) {
        const auto& message = static_cast<const Unexpected&>(entry);
        enter(standing_.unexpected, {message.envelope.source,
                                     message.envelope.context(),
                                     message.envelope.tag(),
                                     {},
                                     message.sink.total});
    });
    pool_.for_each([this](const Request& request) {
        if (request.kind_ != Request::Kind::send || request.complete_) return;
        const bool offered = request.started_ || request.peer_ == config_.rank;
        const auto stage = request.matched_ ? state::Stage::moving
                           : offered        ? state::Stage::offered
                                            : state::Stage::queued;
        enter(standing_.sends, {request.peer_, request.envelope.context(), request.envelope.tag(), stage,
                                request.sink_.total});
    });
}

template <class T>
void BasicEngine<T>::enter(state::Standing::List& list, const state::Message& message) noexcept {
    ++list.count;
    if (list.listed == state::Standing::kListed) return;
    list.first[list.listed] = message;
    ++list.listed;
}

template <class T>
std::uint64_t BasicEngine<T>::fingerprint() const noexcept {
    std::uint64_t sum = pushed_ + arrived_;
    for (const auto& peer : peers_.met())
        sum += peer->traffic->sent_messages + peer->traffic->received_messages;
    return sum;
}

}  // namespace rb2::pt2pt
