// Streams: many receives posted for messages of one envelope. Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

/// Takes the next messages of a stream in shared memory once all of a batch are there. False: nothing was
/// done, look at the ring as usual.
///
/// A look at a record takes its cache line away from a sender that is about to write it: a receiver on the
/// sender's heels slows both down to a line's way there and back for each message. So the last record of the
/// batch is looked at instead, and once it is there the lines come all at once. Whether the messages are as
/// long as the receives is a guess, and that they will come is one; StreamPace bounds what wrong ones cost.
template <class T>
bool BasicEngine<T>::take_batch() {
    const auto& front = static_cast<const Request&>(matcher_.stream_front());
    Peer& peer = peers_[front.envelope.source];
    ring::ShmChannel* const local = peer.lane.local();
    if (local == nullptr) return false;
    auto& receiver = local->receiver();
    const std::uint64_t each = receiver.slots_for(std::min(front.sink_.capacity, max_eager_ + 1));
    const StreamPace::Batch batch = StreamPace::batch(each, matcher_.stream_count(), receiver.within_reach());
    if (batch.records < 2 || !pace_.due() || (!flowing_ && receiver.empty())) return false;
    flowing_ = false;
    const auto there = [&receiver, ahead = batch.last] { return receiver.glimpse(ahead); };
    if (!there() && !transport_.expect(there, batch.patience)) {
        pace_.broken();
        return false;
    }
    pace_.kept();
    receiver.prefetch(batch.slots);
    return take_whole(peer, receiver, batch.slots) || poll_peer(peer, static_cast<int>(batch.records)) != 0;
}

/// Takes from the next `within` slots the records that are what a stream is made of: whole messages of the
/// awaited envelope that fit into their receives. What poll_peer() does for each of these happens once for
/// all: the queue of receives, the head and the counts are brought up to date at the end. False: the first
/// record or receive is of another sort.
template <class T>
bool BasicEngine<T>::take_whole(Peer& peer, ring::ShmReceiver& receiver, std::uint64_t within) {
    const std::uint64_t reported = receiver.reported();
    const matching::Envelope envelope = matcher_.stream_front().envelope;
    auto place_in_ring = receiver.peek();
    std::uint64_t taken_slots = 0;
    std::uint64_t taken_bytes = 0;
    const auto take = [&](matching::PostedEntry & entry) __attribute__((always_inline)) {
        if (taken_slots == within) return false;  // maybe the end of the lap: no look beyond
        auto& request = static_cast<Request&>(entry);
        const ring::Record record = *place_in_ring;
        const std::uint64_t slots = receiver.slots_for(record.payload.size());
        const bool whole =
            static_cast<wire::Kind>(record.kind) == wire::Kind::eager && record.word == envelope.word;
        if (!whole || taken_slots + slots > within || !request.takes_as_it_is(record.payload.size()) ||
            request.free_when_complete_) [[unlikely]]
            return false;
        request.place(envelope, record.payload);
        request.complete_ = true;
        place_in_ring += slots;
        taken_slots += slots;
        taken_bytes += record.payload.size();
        return true;
    };
    const std::size_t messages = matcher_.take_stream(take);
    if (messages == 0) return false;
    count_received(*peer.traffic, taken_bytes, messages);
    receiver.skip(taken_slots);
    took_records(peer.rank, receiver.reported() != reported);
    return true;
}

/// Asked after a round that found nothing. A stream that is not taken in batches, as its records are long, is
/// used up: its sender gets a head start.
template <class T>
void BasicEngine<T>::let_ahead() {
    if (std::exchange(flowing_, false) && matcher_.stream_count() > kStream)
        static_cast<void>(transport_.expect([] { return false; }, StreamPace::kHeadStart));
}

}  // namespace rb2::pt2pt
