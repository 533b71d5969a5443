// Messages to the own rank: straight from the sender's buffer into the receiver's, or kept like any
// unexpected one. Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

template <class T>
void BasicEngine<T>::send_to_self(Request& send) {
    const std::span message(send.source_, send.sink_.total);
    if (auto* posted = matcher_.match_arrival(send.envelope); posted != nullptr) {
        deliver(static_cast<Request&>(*posted), send.envelope, message);
        finish(send);
        return;
    }
    // A copy lets a standard send complete; a long or synchronous one waits in its own buffer for the match.
    const bool copy = !send.synchronous_ && message.size() <= config_.eager_window;
    UnexpectedPtr kept = make_unexpected(send.envelope, message.size(), copy ? message.size() : 0);
    if (kept == nullptr) {
        send.info_.status = Status::out_of_memory;
        finish(send);
        return;
    }
    kept->sink.received = kept->sink.capacity;
    if (copy) {
        copy_payload(kept->sink.base, message.data(), message.size());
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
    Request& send = *message.self_sender;
    deliver(receive, message.envelope, {send.source_, send.sink_.total});
    finish(send);
}

}  // namespace rb2::pt2pt
