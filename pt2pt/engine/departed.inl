// Noticing that a wait cannot end because the peer has finalized. Off the message path: runs before a rank
// goes to sleep. Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

/// Ends the job when the rank that `whose()` names has finalized and left nothing to read. True when there
/// was something after all.
template <class T>
template <class Whose>
bool BasicEngine<T>::look_for_departed(Whose whose) {
    const Awaited awaited = whose();
    if (page_ != nullptr) note_wait(awaited);
    if (!has_departed(awaited.peer)) return false;
    // Only now is everything the peer sent sure to be in its ring.
    if (progress() != 0) return true;
    transport_.forsaken(hopeless_text(awaited));
}

/// A world rank, or kAnySource: all the others. Where threads share the engine, one of them may still send to
/// the own rank, so the wait for anybody is never hopeless.
template <class T>
bool BasicEngine<T>::has_departed(int peer) {
    if (peer == config_.rank) return false;
    if (peer != kAnySource) return transport_.departed(peer);
    if (threads_ != nullptr || config_.size == 1) return false;
    for (int rank = 0; rank < config_.size; ++rank) {
        if (rank != config_.rank && !transport_.departed(rank)) return false;
    }
    return true;
}

template <class T>
Awaited BasicEngine<T>::awaited_by(const Request& request) const noexcept {
    if (request.kind_ == Request::Kind::group)
        return request.next_ != nullptr ? awaited_by(*request.next_) : Awaited{};
    const matching::Envelope& envelope = request.envelope;
    if (request.kind_ == Request::Kind::send)
        return {Awaited::What::send, request.peer_, envelope.context(), envelope.tag(), request.sink_.total};
    const int peer = request.matched_ ? request.peer_ : envelope.source;
    const std::uint64_t bytes = request.matched_ ? request.sink_.total : request.sink_.capacity;
    return {Awaited::What::receive, peer, envelope.context(), envelope.tag(), bytes};
}

template <class T>
void BasicEngine<T>::farewell() {
    // A farewell may lie behind messages that nobody will receive.
    const Expecting expecting(*this);
    // Whoever has said its own is still there: these waits end, or the fabric tells that it is lost.
    const auto never_hopeless = [this] { return Awaited{Awaited::What::anything, config_.rank}; };
    std::vector<int> far;
    for (const int rank : remote_) {
        const Lane lane = peers_[rank].lane;
        if (lane.remote() == nullptr) continue;
        far.push_back(rank);
        const auto sender = lane.sender();
        Claim claim;
        wait_for([&] { return static_cast<bool>(claim = sender.try_claim(0)); }, never_hopeless);
        commit_record(rank, sender, claim, wire::Kind::bye, 0, 0);
    }
    if (far.empty()) return;
    const auto all_said = [&] {
        return std::all_of(far.begin(), far.end(), [this](int rank) { return transport_.departed(rank); });
    };
    wait_for([&] { return all_said() && transport_.quiet(); }, never_hopeless);
}

/// The first rank that cannot take what this rank still has to send it; the own rank when there is none.
template <class T>
Awaited BasicEngine<T>::awaited_by_sends() {
    for (const int rank : remote_) {
        const Peer& peer = peers_[rank];
        if ((peer.awaiting_cts == 0 && peer.send_head == nullptr) || !transport_.departed(rank)) continue;
        if (peer.send_head != nullptr) return awaited_by(*peer.send_head);
        return {Awaited::What::answers, rank};
    }
    return {Awaited::What::anything, config_.rank};
}

}  // namespace rb2::pt2pt
