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
    // Only now is everything the peer sent sure to be in its ring, or to be seen.
    if (anything_new()) return true;
    transport_.forsaken(hopeless_text(awaited));
}

/// A world rank, or kAnySource: all the others. Where threads share the engine, one of them may still send to
/// the own rank, so the wait for anybody is never hopeless.
template <class T>
bool BasicEngine<T>::has_departed(int peer) {
    if (peer == config_.rank) return false;
    if (peer != kAnySource) return seen_to_depart(peer);
    if (threads_ != nullptr || config_.size == 1) return false;
    for (int rank = 0; rank < config_.size; ++rank) {
        if (rank != config_.rank && !seen_to_depart(rank)) return false;
    }
    return true;
}

/// Whoever waits for a rank that shows itself only to those it has met makes contact with it: it would answer
/// with its farewell.
template <class T>
bool BasicEngine<T>::seen_to_depart(int rank) {
    if (transport_.hidden(rank)) meet(rank);
    return transport_.departed(rank);
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

/// Until then this rank answers whoever makes contact.
template <class T>
template <class AllLeave>
void BasicEngine<T>::farewell(AllLeave all_leave) {
    // A farewell may lie behind messages that nobody will receive.
    const Expecting expecting(*this);
    leaving_ = true;
    wait_for([&] { return say_farewell() && all_leave() && transport_.quiet(); },
             // Whoever is to say its own is still there: the wait ends, or the fabric tells that it is lost.
             [this] {
                 return Awaited{Awaited::What::anything, config_.rank};
             });
}

/// To each rank met over a network, once. Whether all of them have said theirs, too.
template <class T>
bool BasicEngine<T>::say_farewell() {
    bool all_said = true;
    for (const int rank : remote_) {
        Peer& peer = peers_[rank];
        // A contact that has not come about by now is not needed.
        if (peer.lane.remote() == nullptr || !peer.lane.remote()->open()) continue;
        const auto sender = peer.lane.sender();
        if (Claim claim; !peer.said_bye && (claim = sender.try_claim(0))) {
            const auto kind = static_cast<std::uint8_t>(wire::Kind::bye);
            if (sender.commit(claim, kind, 0, 0) == Status::peer_lost) fail_peer(rank, network::kLost);
            peer.said_bye = true;
        }
        all_said = all_said && peer.said_bye && transport_.departed(rank);
    }
    return all_said;
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
