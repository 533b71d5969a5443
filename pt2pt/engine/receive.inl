// Posting receives, taking unexpected messages, probing. Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

template <class T>
Status BasicEngine<T>::receive(std::span<std::byte> buffer, int source, std::uint32_t context, int tag,
                               MessageInfo* info) {
    Request* request = ireceive(buffer, source, context, tag);
    if (threads_ != nullptr && request != nullptr) [[unlikely]]
        return receive_among_threads(request, {context, source, tag}, info);
    return request == nullptr ? Status::out_of_memory : complete_now(request, info);
}

template <class T>
Status BasicEngine<T>::receive(const Scatter& buffer, int source, std::uint32_t context, int tag,
                               MessageInfo* info) {
    Request* request = ireceive(buffer, source, context, tag);
    return request == nullptr ? Status::out_of_memory : complete_now(request, info);
}

template <class T>
Status BasicEngine<T>::receive_in_place(InPlaceHandler handler, int source, std::uint32_t context, int tag) {
    Request* request = pool_.take(Request::Kind::receive);
    if (request == nullptr) return Status::out_of_memory;
    request->set_handler(handler);
    post_or_match(*request, {context, source, tag});
    return complete_now(request, nullptr);
}

template <class T>
inline Request* BasicEngine<T>::ireceive(std::span<std::byte> buffer, int source, std::uint32_t context,
                                         int tag) {
    Request* request = take_receive(buffer);
    if (request == nullptr) [[unlikely]]
        return nullptr;
    post_or_match(*request, {context, source, tag});
    return request;
}

template <class T>
Request* BasicEngine<T>::spare_receive() noexcept {
    Request* const request = pool_.take(Request::Kind::receive);
    if (request != nullptr) rest(*request);
    return request;
}

template <class T>
inline void BasicEngine<T>::ireceive(Request& spare, std::span<std::byte> buffer,
                                     matching::Envelope pattern) {
    if (!matcher_.takes_at_once(pattern)) [[unlikely]]
        return ireceive_otherwise(spare, buffer, pattern);
    matcher_.post_at_once(spare);  // first, while what the matcher has just been asked is in registers
    spare.reset(Request::Kind::receive);
    spare.receive_into(buffer);
    spare.envelope = pattern;
}

template <class T>
void BasicEngine<T>::ireceive_otherwise(Request& spare, std::span<std::byte> buffer,
                                        matching::Envelope pattern) {
    spare.reset(Request::Kind::receive);
    spare.receive_into(buffer);
    post_or_match(spare, pattern);
}

template <class T>
Request* BasicEngine<T>::ireceive(const Scatter& buffer, int source, std::uint32_t context, int tag) {
    Request* request = take_receive(buffer);
    if (request != nullptr) [[likely]]
        post_or_match(*request, {context, source, tag});
    return request;
}

template <class T>
inline Request* BasicEngine<T>::take_receive(std::span<std::byte> buffer) {
    Request* request = pool_.take(Request::Kind::receive);
    if (request == nullptr) [[unlikely]]
        return nullptr;
    request->receive_into(buffer);
    return request;
}

/// Memory with gaps takes a whole message as a handler does, so that the way of plain ones has no further
/// branch; a longer message comes through accept().
template <class T>
Request* BasicEngine<T>::take_receive(const Scatter& buffer) {
    Request* request = take_receive(std::span(buffer.memory, buffer.bytes));
    if (request == nullptr) return nullptr;
    request->set_layout(*buffer.layout);
    request->set_handler({scatter, request});
    return request;
}

template <class T>
void BasicEngine<T>::scatter(void* argument, const MessageInfo&, std::span<const std::byte> message) {
    Request& request = *static_cast<Request*>(argument);
    const Sink& sink = request.sink_;
    request.layout_->unpack(sink.base, 0, message.data(), std::min(message.size(), sink.capacity));
    if (message.size() > sink.capacity) request.info_.status = Status::truncated;
}

template <class T>
inline void BasicEngine<T>::post_or_match(Request& request, matching::Envelope pattern) {
    if (matcher_.unexpected_count() != 0 && match_unexpected(request, pattern)) return;
    request.envelope = pattern;
    matcher_.post(request);
}

/// True when a message was there already; it is the request's now.
template <class T>
bool BasicEngine<T>::match_unexpected(Request& request, matching::Envelope pattern) {
    auto* message = matcher_.match_posted(pattern);
    if (message == nullptr) return false;
    take_unexpected(request, UnexpectedPtr(static_cast<Unexpected*>(message)));
    return true;
}

/// The receive gets a message that came before it: what is here now, and the way for the rest.
template <class T>
void BasicEngine<T>::take_unexpected(Request& request, UnexpectedPtr message) {
    Peer& peer = peers_[message->envelope.source];
    peer.unexpected_bytes -= message->charge();
    if (message->self_sender != nullptr) {
        take_from_self(request, *message);
        return;
    }
    if (message->sink.received == message->sink.total && !message->wants_cts()) {
        deliver(request, message->envelope, {message->sink.base, message->sink.total});
        return;
    }
    begin_receive(request, message->envelope, message->sink.total);
    const bool lands = peer.open_unexpected == message.get();
    if (lands) {
        peer.open_unexpected = nullptr;
        peer.open_request = &request;
    }
    if (lands && (message->first.flags & wire::kFollows) != 0) {
        peer.bounce = std::move(message);
        return;
    }
    if (message->wants_cts()) answer(request, message->first);
    const int peer_rank = request.peer_;
    accept(request, {message->sink.base, message->sink.received});  // may complete and free the request
    push_answers(peer_rank);
}

template <class T>
inline void BasicEngine<T>::deliver(Request& request, matching::Envelope envelope,
                                    std::span<const std::byte> message) {
    request.take(envelope, message);
    finish(request);
}

/// The first part of a longer message met its receive; accept() takes the bytes.
template <class T>
void BasicEngine<T>::begin_receive(Request& request, matching::Envelope envelope, std::uint64_t total) {
    request.matched_ = true;
    request.peer_ = envelope.source;
    request.info_ = {envelope.source, envelope.tag(), total, Status::ok, false};
    request.sink_.received = 0;
    request.sink_.total = total;
    ++peers_[envelope.source].receiving;
    if (!request.handled_ || request.layout_ != nullptr) return;
    request.sink_.base = request.make_assembly(total);
    request.sink_.capacity = request.sink_.base == nullptr ? 0 : total;
}

/// Next bytes of a begun receive. Those past the buffer are dropped: finish_if_done() reports the truncation.
template <class T>
inline void BasicEngine<T>::accept(Request& request, std::span<const std::byte> bytes) {
    Sink& sink = request.sink_;
    if (sink.received < sink.capacity) {
        const std::size_t fits = std::min(bytes.size(), sink.capacity - sink.received);
        if (request.layout_ == nullptr)
            copy_payload(sink.base + sink.received, bytes.data(), fits);
        else
            request.layout_->unpack(sink.base, sink.received, bytes.data(), fits);
    }
    sink.received += bytes.size();
    finish_if_done(request);
}

/// Completes a begun receive once all its bytes are here and the sender has been answered.
template <class T>
void BasicEngine<T>::finish_if_done(Request& request) {
    if (request.sink_.received != request.sink_.total || request.answer_queued_) return;
    --peers_[request.peer_].receiving;
    request.pin_.reset();
    if (request.timed_)
        peers_[request.peer_].paths.report(Path::ring, request.sink_.total, request.answered_ns_,
                                           state::now_ns());
    const bool hand_over = request.handled_ && request.layout_ == nullptr;
    if (request.sink_.total > request.sink_.capacity) {
        request.info_.status = hand_over ? Status::out_of_memory : Status::truncated;
    } else if (hand_over) {
        request.handler_.call(request.handler_.argument, request.info_,
                              {request.sink_.base, request.sink_.total});
    }
    finish(request);
}

/// The sender waits to hear of the match. Where it offers its memory, this rank may read the message by
/// itself, or half of it while the sender writes the other, and answer FIN; else, or if that is dearer or
/// refused, or its own memory has gaps, it answers CTS and the rest comes through the ring, or straight into
/// the buffer (direct.inl).
template <class T>
void BasicEngine<T>::answer(Request& request, const wire::FirstHeader& first) {
    Peer& peer = peers_[request.peer_];
    if ((first.flags & wire::kCanWrite) != 0 && request.layout_ == nullptr) admit(request);
    if (first.address != 0 && request.layout_ == nullptr) {
        const Path path = peer.paths.choose(request.sink_.total);
        request.pulled_ = path != Path::ring && pull(request, first.address, path);
        request.timed_ = !request.pulled_ && !request.refused_;
    }
    request.remote_id_ = first.sender_id;
    request.answer_queued_ = true;
    append(peer.answer_head, peer.answer_tail, request);
    mark_blocked(request.peer_);
}

template <class T>
bool BasicEngine<T>::pull(Request& request, std::uint64_t address, Path path) {
    Sink& sink = request.sink_;
    const std::span to(sink.base, std::min(sink.capacity, sink.total));
    const std::uint64_t start = state::now_ns();
    const bool done = path == Path::halves ? transport_.pull_in_halves(request.peer_, to, address)
                                           : transport_.pull(request.peer_, to, address);
    request.refused_ = !done;
    if (request.refused_) return false;
    peers_[request.peer_].paths.report(path, sink.total, start, state::now_ns());
    sink.received = sink.total;
    return true;
}

template <class T>
bool BasicEngine<T>::iprobe(int source, std::uint32_t context, int tag, MessageInfo* info) {
    const Expecting expecting(*this);
    poll();
    auto* message = static_cast<Unexpected*>(matcher_.find_unexpected({context, source, tag}));
    if (message != nullptr && info != nullptr) *info = describe(*message);
    return message != nullptr;
}

template <class T>
void BasicEngine<T>::probe(int source, std::uint32_t context, int tag, MessageInfo* info) {
    const Expecting expecting(*this);
    wait_for(
        [&] {
            return matcher_.find_unexpected({context, source, tag}) != nullptr;
        },
        [&] {
            return Awaited{Awaited::What::receive, source, context, tag};
        });
    if (info != nullptr)
        *info = describe(*static_cast<Unexpected*>(matcher_.find_unexpected({context, source, tag})));
}

template <class T>
Unexpected* BasicEngine<T>::improbe(int source, std::uint32_t context, int tag, MessageInfo* info) {
    const Expecting expecting(*this);
    poll();
    auto* message = static_cast<Unexpected*>(matcher_.match_posted({context, source, tag}));
    if (message != nullptr && info != nullptr) *info = describe(*message);
    return message;
}

template <class T>
Request* BasicEngine<T>::imreceive(Unexpected* message, std::span<std::byte> buffer) {
    Request* request = take_receive(buffer);
    if (request != nullptr) take_unexpected(*request, UnexpectedPtr(message));
    return request;
}

template <class T>
Request* BasicEngine<T>::imreceive(Unexpected* message, const Scatter& buffer) {
    Request* request = take_receive(buffer);
    if (request != nullptr) take_unexpected(*request, UnexpectedPtr(message));
    return request;
}

template <class T>
MessageInfo BasicEngine<T>::describe(const Unexpected& message) noexcept {
    return {message.envelope.source, message.envelope.tag(), message.sink.total, Status::ok, false};
}

}  // namespace rb2::pt2pt
