// Messages to the own rank: straight from the sender's buffer into the receiver's, or kept like any
// unexpected one. Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

template <class T>
void BasicEngine<T>::send_to_self(Request& send) {
    const std::uint64_t total = send.sink_.total;
    count_to_self(total);
    if (auto* posted = matcher_.match_arrival(send.envelope); posted != nullptr) {
        deliver_to_self(static_cast<Request&>(*posted), send);
        return;
    }
    // A copy lets a standard send complete; a long or synchronous one waits in its own buffer for the match.
    const bool copy = !send.synchronous_ && total <= config_.eager_window;
    UnexpectedPtr kept = make_unexpected(send.envelope, total, copy ? total : 0);
    if (kept == nullptr) {
        send.info_.status = Status::out_of_memory;
        finish(send);
        return;
    }
    kept->sink.received = kept->sink.capacity;
    if (copy) {
        fill(kept->sink.base, send, total);
        finish(send);
    } else {
        kept->self_sender = &send;
    }
    peers_[config_.rank].unexpected_bytes += kept->charge();
    matcher_.add_unexpected(*kept.release());
}

/// A receive met a message to self that still lies in its sender's buffer.
template <class T>
void BasicEngine<T>::take_from_self(Request& receive, Unexpected& message) {
    deliver_to_self(receive, *message.self_sender);
}

/// From memory with gaps through a small buffer, as it would go through the ring.
template <class T>
void BasicEngine<T>::deliver_to_self(Request& receive, Request& send) {
    const std::uint64_t total = send.sink_.total;
    if (send.layout_ == nullptr) {
        deliver(receive, send.envelope, {send.source_, total});
    } else {
        begin_receive(receive, send.envelope, total);
        std::array<std::byte, kSelfChunkBytes> chunk;
        do {
            const std::uint64_t bytes = std::min<std::uint64_t>(total - send.sent_, chunk.size());
            fill(chunk.data(), send, bytes);
            send.sent_ += bytes;
            accept(receive, {chunk.data(), bytes});  // the last one may free the request
        } while (send.sent_ < total);
    }
    finish(send);
}

}  // namespace rb2::pt2pt
