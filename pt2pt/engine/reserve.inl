// Sending in place: the caller writes its message straight into the peer's ring. Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

template <class T>
Reservation BasicEngine<T>::reserve(std::size_t bytes, int destination, std::uint32_t context, int tag) {
    Reservation reservation{{}, destination, context, tag};
    meet(destination);
    Peer& peer = peers_[destination];
    if (bytes > peer.max_record || peer.reserved) return reservation;
    if (destination == config_.rank) {
        peer.draft = make_unexpected({context, destination, tag}, bytes, bytes);
        if (peer.draft == nullptr) return reservation;
        reservation.payload = {peer.draft->sink.base, bytes};
    } else {
        const auto sender = peer.lane.sender();
        bool mine = false;
        // Takes the ring with the claim: other threads may ask this, and send, before this one goes on.
        wait_until([&] {
            if (mine || busy(peer)) return mine;
            peer.claim = sender.try_claim(static_cast<std::uint32_t>(bytes));
            return mine = peer.reserved = static_cast<bool>(peer.claim);
        });
        reservation.payload = {peer.claim.payload, bytes};
    }
    peer.reserved = true;
    return reservation;
}

template <class T>
void BasicEngine<T>::commit(Reservation& reservation, std::size_t bytes) {
    const int rank = reservation.destination;
    Peer& peer = peers_[rank];
    peer.reserved = false;
    if (rank == config_.rank) {
        commit_to_self(std::move(peer.draft), bytes);
    } else {
        const auto tag = static_cast<std::uint32_t>(reservation.tag);
        const auto sender = peer.lane.sender();
        commit_record(rank, sender, peer.claim, wire::Kind::eager, wire::pack(reservation.context, tag),
                      bytes);
        count_sent(peer, bytes);
        push_peer(rank);
        if (!peer.lane.flushed()) wait_until([&peer] { return peer.lane.flushed(); });
    }
    reservation.payload = {};
}

template <class T>
void BasicEngine<T>::commit_to_self(UnexpectedPtr message, std::size_t bytes) {
    message->sink.capacity = message->sink.received = message->sink.total = bytes;
    count_to_self(bytes);
    if (auto* posted = matcher_.match_arrival(message->envelope); posted != nullptr) {
        deliver(static_cast<Request&>(*posted), message->envelope, {message->sink.base, bytes});
        return;
    }
    peers_[config_.rank].unexpected_bytes += message->charge();
    matcher_.add_unexpected(*message.release());
}

template <class T>
void BasicEngine<T>::abort(Reservation& reservation) {
    Peer& peer = peers_[reservation.destination];
    if (!peer.reserved) return;
    peer.reserved = false;
    reservation.payload = {};
    if (reservation.destination == config_.rank) {
        peer.draft.reset();
        return;
    }
    peer.lane.sender().abort(peer.claim);
    push_peer(reservation.destination);
}

}  // namespace rb2::pt2pt
