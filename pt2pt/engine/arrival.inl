// What arrives from a peer's ring, one function per record kind. Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

template <class T>
inline ring::Verdict BasicEngine<T>::on_record(int rank, state::Traffic& traffic,
                                               const ring::Record& record) {
    if (static_cast<wire::Kind>(record.kind) == wire::Kind::eager) [[likely]]
        return on_eager(rank, traffic, record);
    return on_other(rank, record);
}

/// Takes a copy, so that the record of the short way is never in memory.
template <class T>
ring::Verdict BasicEngine<T>::on_other(int rank, ring::Record record) {
    ++arrived_;
    switch (static_cast<wire::Kind>(record.kind)) {
        case wire::Kind::eager:
            break;
        case wire::Kind::first:
            return on_first(rank, record);
        case wire::Kind::more:
            return on_more(rank, record);
        case wire::Kind::data:
            return on_data(rank, record);
        case wire::Kind::cts:
            return on_cts(rank, record);
        case wire::Kind::fin:
            return on_fin(rank, record);
        case wire::Kind::written:
            return on_written(rank, record);
        case wire::Kind::landed:
            return on_landed(rank);
        case wire::Kind::bye:
            transport_.says_bye(rank);
            return ring::Verdict::consumed;
    }
    transport_.protocol_error(rank, "a record of a kind this version does not know");
    return ring::Verdict::keep;
}

template <class T>
inline ring::Verdict BasicEngine<T>::on_eager(int rank, state::Traffic& traffic, const ring::Record& record) {
    count_received(traffic, record.payload.size());  // early, while `traffic` is at hand
    const matching::Envelope envelope = envelope_of(rank, record);
    if (auto* posted = matcher_.match_arrival(envelope); posted != nullptr) [[likely]] {
        deliver(static_cast<Request&>(*posted), envelope, record.payload);
        return ring::Verdict::consumed;
    }
    return keep_eager(envelope, record.payload);
}

template <class T>
ring::Verdict BasicEngine<T>::keep_eager(matching::Envelope envelope, std::span<const std::byte> payload) {
    Unexpected* message = nullptr;
    if (!over_budget(envelope.source)) message = keep_unexpected(envelope, payload.size(), payload.size());
    if (message == nullptr) {
        uncount_received(*peers_[envelope.source].traffic, payload.size());
        return ring::Verdict::keep;
    }
    copy_payload(message->sink.base, payload.data(), payload.size());
    message->sink.received = payload.size();
    return ring::Verdict::consumed;
}

template <class T>
ring::Verdict BasicEngine<T>::on_first(int rank, const ring::Record& record) {
    wire::FirstHeader header{};
    if (record.payload.size() >= sizeof header) std::memcpy(&header, record.payload.data(), sizeof header);
    const std::uint64_t body_bytes = record.payload.size() - sizeof header;  // huge when there is no header
    const bool follows = (header.flags & wire::kFollows) != 0;
    const bool right_follow = body_bytes == 0 && header.eager_bytes == header.total && header.total != 0 &&
                              peers_[rank].lane.remote() != nullptr && peers_[rank].open_left == 0;
    if (body_bytes > header.eager_bytes || header.eager_bytes > header.total || (follows && !right_follow)) {
        transport_.protocol_error(rank, "a first record whose sizes contradict each other");
        return ring::Verdict::keep;
    }
    const auto body = record.payload.subspan(sizeof header);
    const matching::Envelope envelope = envelope_of(rank, record);
    auto* posted = static_cast<Request*>(matcher_.match_arrival(envelope));
    if (posted == nullptr) return keep_first(envelope, header, body);
    count_received(*peers_[rank].traffic, header.total);
    begin_receive(*posted, envelope, header.total);
    if ((header.flags & wire::kWantsCts) != 0) answer(*posted, header);
    open(rank, posted, nullptr, header.eager_bytes - body.size());
    if (follows) {
        place_following(rank);
        return ring::Verdict::consumed;
    }
    accept(*posted, body);
    push_answers(rank);
    return ring::Verdict::consumed;
}

/// The first part of an unexpected longer message; only what comes without a CTS is kept.
template <class T>
ring::Verdict BasicEngine<T>::keep_first(matching::Envelope envelope, const wire::FirstHeader& header,
                                         std::span<const std::byte> body) {
    if (over_budget(envelope.source)) return ring::Verdict::keep;
    Unexpected* message = keep_unexpected(envelope, header.total, header.eager_bytes);
    if (message == nullptr) return ring::Verdict::keep;
    count_received(*peers_[envelope.source].traffic, header.total);
    message->first = header;
    copy_payload(message->sink.base, body.data(), body.size());
    message->sink.received = body.size();
    open(envelope.source, nullptr, message, header.eager_bytes - body.size());
    if ((header.flags & wire::kFollows) != 0) place_following(envelope.source);
    return ring::Verdict::consumed;
}

/// Remembers who takes the peer's next `left` bytes of `more` records.
template <class T>
void BasicEngine<T>::open(int rank, Request* request, Unexpected* message, std::uint64_t left) noexcept {
    Peer& peer = peers_[rank];
    peer.open_request = left == 0 ? nullptr : request;
    peer.open_unexpected = left == 0 ? nullptr : message;
    peer.open_left = left;
}

template <class T>
ring::Verdict BasicEngine<T>::on_more(int rank, const ring::Record& record) {
    Peer& peer = peers_[rank];
    const std::uint64_t bytes = record.payload.size();
    if (bytes > peer.open_left) {
        transport_.protocol_error(rank, "more bytes than its message announced");
        return ring::Verdict::keep;
    }
    Request* request = peer.open_request;
    Unexpected* message = peer.open_unexpected;
    open(rank, request, message, peer.open_left - bytes);
    if (request != nullptr) {
        accept(*request, record.payload);
    } else {
        copy_payload(message->sink.base + message->sink.received, record.payload.data(), bytes);
        message->sink.received += bytes;
    }
    return ring::Verdict::consumed;
}

template <class T>
ring::Verdict BasicEngine<T>::on_data(int rank, const ring::Record& record) {
    Request* request = pool_.at(wire::low(record.word));
    const bool fits = request != nullptr && request->kind_ == Request::Kind::receive &&
                      request->peer_ == rank &&
                      record.payload.size() <= request->sink_.total - request->sink_.received;
    if (!fits) {
        transport_.protocol_error(rank, "data for a receive that does not expect it");
        return ring::Verdict::keep;
    }
    accept(*request, record.payload);
    return ring::Verdict::consumed;
}

/// The send with that number if it waits for this peer's answer, else null.
template <class T>
Request* BasicEngine<T>::waiting_send(int rank, std::uint32_t id) noexcept {
    Request* request = pool_.at(id);
    const bool waits = request != nullptr && request->kind_ == Request::Kind::send &&
                       request->peer_ == rank && request->wants_cts_ && !request->matched_;
    return waits ? request : nullptr;
}

template <class T>
ring::Verdict BasicEngine<T>::on_cts(int rank, const ring::Record& record) {
    Request* request = waiting_send(rank, wire::high(record.word));
    if (request == nullptr) {
        transport_.protocol_error(rank, "a CTS that nobody waits for");
        return ring::Verdict::keep;
    }
    request->matched_ = true;
    request->remote_id_ = wire::low(record.word);
    Peer& peer = peers_[rank];
    --peer.awaiting_cts;
    if (record.payload.size() == 1) peer.refuses_pull = true;
    if (wire::Grant grant{}; record.payload.size() == sizeof grant && request->sent_ == 0) {
        std::memcpy(&grant, record.payload.data(), sizeof grant);
        if (start_direct(*request, grant)) return ring::Verdict::consumed;
    }
    request->transfer_.reset();  // registered in vain
    if (request->sent_ < request->eager_bytes_)
        return ring::Verdict::consumed;  // still queued: goes on there
    if (request->sent_ == request->sink_.total) {
        finish(*request);
        return ring::Verdict::consumed;
    }
    enqueue_send(*request);
    return ring::Verdict::consumed;
}

template <class T>
ring::Verdict BasicEngine<T>::on_fin(int rank, const ring::Record& record) {
    Request* request = waiting_send(rank, wire::low(record.word));
    if (request == nullptr) {
        transport_.protocol_error(rank, "a FIN that nobody waits for");
        return ring::Verdict::keep;
    }
    request->matched_ = true;
    --peers_[rank].awaiting_cts;
    count_single_copy(request->sink_.total);
    finish(*request);
    return ring::Verdict::consumed;
}

template <class T>
Unexpected* BasicEngine<T>::keep_unexpected(matching::Envelope envelope, std::uint64_t total,
                                            std::uint64_t stored) {
    UnexpectedPtr message = make_unexpected(envelope, total, stored);
    if (message == nullptr) return nullptr;
    peers_[envelope.source].unexpected_bytes += message->charge();
    matcher_.add_unexpected(*message);
    return message.release();
}

/// Whether an unexpected message of this peer must wait in the ring. Never when this rank itself waits for
/// something that may lie behind it: a receive, the rest of a message, a CTS, or, where a message that
/// follows its record holds up everything behind it, room in the peer's ring.
template <class T>
inline bool BasicEngine<T>::over_budget(int rank) const noexcept {
    const Peer& peer = peers_[rank];
    const auto holds_up = [&peer] {
        return peer.lane.remote() != nullptr && peer.lane.remote()->follow_from() != network::kNever;
    };
    return peer.unexpected_bytes >= config_.unexpected_budget && peer.awaiting_cts == 0 &&
           peer.receiving == 0 && expecting_ == 0 && !(peer.queued && holds_up()) &&
           !matcher_.could_match_from(rank);
}

template <class T>
inline matching::Envelope BasicEngine<T>::envelope_of(int rank, const ring::Record& record) noexcept {
    return {record.word, rank};
}

}  // namespace rb2::pt2pt
