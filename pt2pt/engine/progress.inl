// Progress and completion: the loop that every blocking call turns. Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

/// One bounded round over the fabrics and the peers, then one attempt to send what is queued and to advance
/// activities. The round ends early when the caller has what it waits for; the next one goes on behind that
/// peer, so that none is left out. Fabrics come first: what they bring is found in the same round, so that no
/// look at an empty socket stands between an arrival and the end of the wait for it.
template <class T>
inline int BasicEngine<T>::progress() {
    int work = 0;
    if (transport_.called()) [[unlikely]]
        work += meet_callers();
    work += transport_.poll_fabrics();
    const std::size_t peers = remote_.size();
    for (std::size_t polled = 0; polled < peers; ++polled) {
        const int rank = remote_[next_peer_];
        if (++next_peer_ == peers) next_peer_ = 0;
        work += poll_peer(peers_[rank]);
        if (satisfied()) [[unlikely]]
            break;
    }
    if (!blocked_.empty()) [[unlikely]]
        work += push_blocked();
    if (direct_head_ != nullptr) [[unlikely]]
        work += advance_directs();
    if (!activities_.empty()) [[unlikely]]
        work += advance_activities();
    return work;
}

/// The awaited request is complete and no receive is posted: a further message would be unexpected and is
/// better left in the ring, where its receive will find it without a copy.
template <class T>
inline bool BasicEngine<T>::satisfied() const noexcept {
    return matcher_.posted_count() == 0 && awaited_ != nullptr && awaited_->complete();
}

template <class T>
int BasicEngine<T>::poll_peer(Peer& peer, int budget) {
    const auto receiver = peer.lane.receiver();
    const std::uint64_t reported = receiver.reported();
    const int records = receiver.drain(
        budget, [ this, rank = peer.rank, traffic = peer.traffic,
                  local = peer.lane.local() ](const ring::Record& record) __attribute__((always_inline)) {
            prepare_answer(local, record.payload.size());
            const ring::Verdict verdict = on_record(rank, *traffic, record);
            return verdict == ring::Verdict::consumed && satisfied() ? ring::Verdict::last : verdict;
        });
    if (records == 0) [[likely]]
        return peer.awaiting_cts != 0 && transport_.help(peer.rank) ? 1 : 0;
    if (records < 0) [[unlikely]]
        fail_peer(peer.rank, records);
    took_records(peer.rank, receiver.reported() != reported);
    return records;
}

/// A message that a rank waits for is often answered at once, with one as long. The line of a short answer,
/// which the peer looks at, is asked for while the message is matched; for a longer one that costs time
/// (docs/experiments.md, "The line of the answer"). `local` is null over a network.
template <class T>
[[gnu::always_inline]] inline void BasicEngine<T>::prepare_answer(ring::ShmChannel* local,
                                                                  std::size_t bytes) const noexcept {
    if (awaited_ != nullptr && local != nullptr && bytes <= ring::kLinePayloadBytes)
        local->sender().fetch_next();
}

/// `credited`: the sender has been told of free slots. One asleep on a full ring must see these; one that
/// sleeps for another reason is left alone.
template <class T>
inline void BasicEngine<T>::took_records(int rank, bool credited) {
    flowing_ = true;
    if (credited) [[unlikely]]
        transport_.notify(rank);
}

/// A drain of the peer's ring ended with an error instead of a number of records.
template <class T>
void BasicEngine<T>::fail_peer(int rank, int records) {
    if (records == network::kLost && leaving_) {
        // Nothing is awaited any more. If it died, that is the launcher's to tell.
        peers_[rank].said_bye = true;
        return transport_.says_bye(rank);
    }
    if (records == network::kLost) transport_.peer_lost(rank);
    transport_.protocol_error(rank, "a ring record with an impossible length");
}

/// Until `done()`; before each sleep `whose()` tells which rank could end the wait.
template <class T>
template <class Done, class Whose>
inline void BasicEngine<T>::wait_for(Done done, Whose whose) {
    while (!done()) {
        if (matcher_.stream_count() > kStream && threads_ == nullptr && take_batch()) [[unlikely]]
            continue;
        // Where threads share the engine no number of records exceeds idle_bound_: they rest after each
        // round.
        const int work = progress();
        if (work > idle_bound_) [[likely]] {
            transport_.busy();
        } else if (threads_ == nullptr) [[likely]] {
            let_ahead();
            transport_.idle([this] { return anything_new(); }, [this, whose] { return before_sleep(whose); });
            if (++idle_rounds_ % kIdleRoundsPerLook == 0) [[unlikely]]
                after_idle(whose);
        } else {
            rest_among_threads(work, done, whose);
        }
    }
    transport_.busy();
}

template <class T>
template <class Done>
inline void BasicEngine<T>::wait_until(Done done) {
    wait_for(done, [] { return Awaited{}; });
}

template <class T>
template <class Done>
inline void BasicEngine<T>::wait_for_any(std::size_t of, Done done) {
    wait_for(done, [of] {
        Awaited awaited{Awaited::What::any_of};
        awaited.of = static_cast<std::uint32_t>(of);
        return awaited;
    });
}

template <class T>
void BasicEngine<T>::wait(const Request& request, std::uint32_t of) {
    awaited_ = &request;
    wait_for([&request] { return request.complete(); },
             [this, &request, of] {
                 Awaited awaited = awaited_by(request);
                 awaited.of = of;
                 return awaited;
             });
    awaited_ = nullptr;
}

template <class T>
template <class Done, class Whose>
inline void BasicEngine<T>::wait_for_sign(Done done, Whose whose) {
    const Sign sign(signs_, done);
    wait_for(done, whose);
}

/// The last look, when the doorbell is armed and when a peer is seen to have departed: for all that it may
/// have rung for.
template <class T>
bool BasicEngine<T>::anything_new() {
    return progress() != 0 || Sign::any(signs_);
}

template <class T>
inline int BasicEngine<T>::poll() {
    const int work = progress();
    if (work != 0)
        vain_polls_ = 0;
    else if (++vain_polls_ % kPollsPerLook == 0) [[unlikely]]
        look_while_polling();
    return work;
}

/// Completes a request that nobody else has seen, reports and frees it.
template <class T>
inline Status BasicEngine<T>::complete_now(Request* request, MessageInfo* info) {
    wait(*request);
    const Status status = request->info_.status;
    if (info != nullptr) *info = request->info_;
    pool_.give_back(request);
    return status;
}

template <class T>
inline void BasicEngine<T>::finish(Request& request) {
    request.complete_ = true;
    if (request.free_when_complete_) [[unlikely]]
        pool_.give_back(&request);
}

template <class T>
void BasicEngine<T>::release(Request* request) {
    if (is_immediate(request)) return;
    if (request->complete_)
        pool_.give_back(request);
    else
        request->free_when_complete_ = true;
}

template <class T>
bool BasicEngine<T>::cancel(Request& request) {
    if (request.kind_ != Request::Kind::receive || !request.queued()) return false;
    matcher_.remove(static_cast<matching::PostedEntry&>(request));
    request.info_ = {};
    request.info_.cancelled = true;
    finish(request);
    return true;
}

}  // namespace rb2::pt2pt
