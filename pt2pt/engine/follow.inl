// Messages of middle length to peers without shared memory, where the fabric is a stream: the record that
// announces one is followed by its bytes, outside the ring and without waiting for an answer. The stream
// brings both, so the receiver knows where the bytes go by the time they come: they are read straight into
// the posted buffer, and into an unexpected message where there is none. Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

static_assert(static_cast<std::uint8_t>(wire::Kind::landed) == network::kLanded);

/// Sender: the bytes, with one doorbell for them and their record. False: not posted yet.
template <class T>
bool BasicEngine<T>::push_following(Request& request) {
    network::Channel& remote = *peers_[request.peer_].lane.remote();
    const Status status = remote.follow({request.source_, request.sink_.total});
    if (status == Status::peer_lost) transport_.peer_lost(request.peer_);
    if (status != Status::ok) return false;
    request.sent_ = request.sink_.total;
    return true;
}

/// Receiver: names the place of what follows. Memory with gaps takes it from a bounce buffer.
template <class T>
void BasicEngine<T>::place_following(int rank) {
    Peer& peer = peers_[rank];
    const std::uint64_t bytes = peer.open_left;
    Sink* sink = peer.open_request != nullptr ? &peer.open_request->sink_ : &peer.open_unexpected->sink;
    if (peer.open_request != nullptr && peer.open_request->layout_ != nullptr) {
        peer.bounce = make_unexpected(peer.open_request->envelope, bytes, bytes);
        sink = peer.bounce != nullptr ? &peer.bounce->sink : nullptr;
    }
    std::span<std::byte> place;
    if (sink != nullptr) place = {sink->base, std::min(sink->capacity, bytes)};
    peer.lane.remote()->place(place, bytes);
    if (peer.lane.remote()->take_landed()) finish_following(rank);
}

template <class T>
void BasicEngine<T>::finish_following(int rank) {
    Peer& peer = peers_[rank];
    const std::uint64_t bytes = std::exchange(peer.open_left, 0);
    Request* const request = std::exchange(peer.open_request, nullptr);
    Unexpected* const message = std::exchange(peer.open_unexpected, nullptr);
    const UnexpectedPtr bounce = std::move(peer.bounce);
    if (request == nullptr) {
        message->sink.received = bytes;
    } else if (bounce != nullptr) {
        accept(*request, {bounce->sink.base, bytes});
    } else {
        if (request->layout_ != nullptr) request->info_.status = Status::out_of_memory;
        request->sink_.received = bytes;
        finish_if_done(*request);
    }
}

template <class T>
ring::Verdict BasicEngine<T>::on_landed(int rank) {
    network::Channel* const remote = peers_[rank].lane.remote();
    if (remote == nullptr || !remote->take_landed()) {
        transport_.protocol_error(rank, "a record of a kind that no ring has");
        return ring::Verdict::keep;
    }
    finish_following(rank);
    return ring::Verdict::consumed;
}

}  // namespace rb2::pt2pt
