// Sending: eager when it fits a record and nothing waits before it, else through the peer's send queue.
// Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

/// The same for both kinds of data: the bytes of a message, into its record.
inline void copy_message(Peer& peer, std::byte* payload, std::span<const std::byte> data) noexcept {
    fill_record(peer, payload, data.data(), data.size());
}
inline void copy_message(Peer&, std::byte* payload, const Gather& data) noexcept {
    data.layout->pack(data.memory, 0, payload, data.bytes);
}

template <class T>
template <class Data>
inline Status BasicEngine<T>::send_data(const Data& data, int destination, std::uint32_t context, int tag,
                                        SendMode mode) {
    if (mode == SendMode::standard && send_at_once(data, destination, context, tag)) [[likely]]
        return Status::ok;
    Request* request = start_send(data, destination, context, tag, mode);
    return request == nullptr ? Status::out_of_memory : complete_now(request, nullptr);
}

template <class T>
Status BasicEngine<T>::send(std::span<const std::byte> data, int destination, std::uint32_t context, int tag,
                            SendMode mode) {
    return send_data(data, destination, context, tag, mode);
}

template <class T>
Status BasicEngine<T>::send(const Gather& data, int destination, std::uint32_t context, int tag,
                            SendMode mode) {
    return send_data(data, destination, context, tag, mode);
}

template <class T>
Request* BasicEngine<T>::isend(std::span<const std::byte> data, int destination, std::uint32_t context,
                               int tag, SendMode mode) {
    if (mode == SendMode::standard && send_at_once(data, destination, context, tag)) [[likely]]
        return &Request::immediate();
    return start_send(data, destination, context, tag, mode);
}

template <class T>
Request* BasicEngine<T>::isend(const Gather& data, int destination, std::uint32_t context, int tag,
                               SendMode mode) {
    if (mode == SendMode::standard && send_at_once(data, destination, context, tag)) [[likely]]
        return &Request::immediate();
    return start_send(data, destination, context, tag, mode);
}

/// One record into the ring, unless earlier sends wait or the ring is full. The fast path of every small
/// send.
template <class T>
template <class Data>
inline bool BasicEngine<T>::send_at_once(const Data& data, int destination, std::uint32_t context, int tag) {
    Peer& peer = peers_[destination];
    // Over a network it is complete only once that has it: takes a request. Nor has the own rank such a lane.
    if (peer.lane.local() == nullptr) [[unlikely]]
        return false;
    if (data.size() > max_eager_ || busy(peer)) [[unlikely]]
        return false;
    const std::uint64_t word = wire::pack(context, static_cast<std::uint32_t>(tag));
    count_sent(peer, data.size());  // early, while `peer` is at hand
    auto& sender = peer.lane.local()->sender();
    auto claim = sender.try_claim(static_cast<std::uint32_t>(data.size()));
    if (!claim) [[unlikely]] {
        uncount_sent(peer, data.size());
        return false;
    }
    copy_message(peer, claim.payload, data);
    commit_record(destination, sender, claim, wire::Kind::eager, word, data.size());
    return true;
}

template <class T>
inline Peer* BasicEngine<T>::open_ring(std::size_t bytes, int destination) {
    Peer& peer = peers_[destination];
    if (bytes >= peer.put_below || busy(peer) || !peer.lane.local()->sender().has_room_for(bytes))
        [[unlikely]]
        return nullptr;
    return &peer;
}

/// Publishes a claimed record, at once: a send call may be the last call for an hour (flush rule).
template <class T>
template <class Sender>
inline void BasicEngine<T>::commit_record(int rank, Sender& sender, Claim& claim, wire::Kind kind,
                                          std::uint64_t word, std::uint64_t bytes) {
    const Status status =
        sender.commit(claim, static_cast<std::uint8_t>(kind), word, static_cast<std::uint32_t>(bytes));
    if (status == Status::peer_lost) [[unlikely]]
        transport_.peer_lost(rank);
    transport_.notify(rank);
}

/// Something of this rank must enter the ring first.
template <class T>
inline bool BasicEngine<T>::busy(const Peer& peer) noexcept {
    return peer.send_head != nullptr || peer.reserved;
}

template <class T>
Request* BasicEngine<T>::start_send(std::span<const std::byte> data, int destination, std::uint32_t context,
                                    int tag, SendMode mode) {
    Request* request = pool_.take(Request::Kind::send);
    if (request == nullptr) return nullptr;
    request->source_ = data.data();
    request->sink_.total = data.size();
    return launch_send(*request, destination, context, tag, mode);
}

template <class T>
Request* BasicEngine<T>::start_send(const Gather& data, int destination, std::uint32_t context, int tag,
                                    SendMode mode) {
    Request* request = pool_.take(Request::Kind::send);
    if (request == nullptr) return nullptr;
    request->source_ = data.memory;
    request->sink_.total = data.bytes;
    request->set_layout(*data.layout);
    return launch_send(*request, destination, context, tag, mode);
}

template <class T>
Request* BasicEngine<T>::launch_send(Request& request, int destination, std::uint32_t context, int tag,
                                     SendMode mode) {
    request.envelope = {context, config_.rank, tag};
    request.info_ = {config_.rank, tag, request.sink_.total, Status::ok, false};
    request.sent_ = request.eager_bytes_ = 0;
    request.synchronous_ = mode == SendMode::synchronous;
    request.peer_ = destination;
    if (destination == config_.rank) {
        send_to_self(request);
        return &request;
    }
    meet(destination);
    // Mostly it goes at once, and then no queue need know of it.
    const bool first = !peers_[destination].queued && !busy(peers_[destination]);
    if (first && push_send(request)) return &request;
    enqueue_send(request);
    if (!first) push_peer(destination);
    return &request;
}

/// The next `bytes` of a send, into a record.
template <class T>
inline void BasicEngine<T>::fill(std::byte* payload, const Request& request, std::uint64_t bytes) noexcept {
    if (request.layout_ == nullptr)
        copy_payload(payload, request.source_ + request.sent_, bytes);
    else
        request.layout_->pack(request.source_, request.sent_, payload, bytes);
}

template <class T>
void BasicEngine<T>::enqueue_send(Request& request) {
    Peer& peer = peers_[request.peer_];
    append(peer.send_head, peer.send_tail, request);
    mark_blocked(request.peer_);
}

/// Moves as much of a send into the ring as fits, up to a bounded burst so that arrivals are served between.
/// True once this send has left the queue: all its bytes are in the ring, or it waits for its CTS.
template <class T>
bool BasicEngine<T>::push_send(Request& request) {
    Peer& peer = peers_[request.peer_];
    const auto sender = peer.lane.sender();
    const std::uint64_t total = request.sink_.total;
    if (!request.started_ && !push_start(request, peer, sender)) return false;
    if (request.follows_ && request.sent_ != total && !push_following(request)) return false;
    for (int burst = 0;; ++burst) {
        const bool window = request.sent_ < request.eager_bytes_;
        const std::uint64_t limit = window ? request.eager_bytes_ : request.matched_ ? total : request.sent_;
        if (request.sent_ == limit) {
            const bool done = request.sent_ == total && (!request.wants_cts_ || request.matched_);
            if (done && !peer.lane.flushed()) return false;
            if (done) finish(request);
            return true;
        }
        if (burst == kChunksPerBurst || !push_chunk(request, sender, window, limit)) return false;
    }
}

/// Which way a send goes, now that its first record is to enter the ring.
template <class T>
Way BasicEngine<T>::way_of(const Request& request, const Peer& peer) noexcept {
    const std::uint64_t total = request.sink_.total;
    const bool plain = request.layout_ == nullptr;  // bytes one behind the other
    network::Channel* const remote = peer.lane.remote();
    Way way;
    way.far = plain && remote != nullptr && total != 0;
    way.direct = way.far && remote->goes_direct({request.source_, total});
    way.follows = way.far && total >= remote->follow_from() && !way.direct && !request.synchronous_;
    const bool offerable = plain && total > config_.single_copy_bytes && !peer.refuses_pull &&
                           transport_.can_offer(request.peer_);
    // Both ways at once, two cores are busy already: reading moves half as much as two copies do.
    way.whole = total <= peer.longest_record() && !request.synchronous_ && !way.direct && !way.follows &&
                (!offerable || peer.one_way());
    way.offer = offerable && !way.whole;
    return way;
}

/// First record of a queued send: the whole message when it fits one, else FirstHeader and the first bytes.
template <class T>
bool BasicEngine<T>::push_start(Request& request, Peer& peer, const Lane::Sender& sender) {
    const std::uint64_t total = request.sink_.total;
    const auto [far, direct, follows, offer, whole] = way_of(request, peer);
    network::Channel* const remote = peer.lane.remote();
    const std::uint64_t header = whole ? 0 : sizeof(wire::FirstHeader);
    const std::uint64_t eager = whole || follows  ? total
                                : offer || direct ? 0
                                                  : std::min(total, peer.eager_window);
    const std::uint64_t body = whole ? total : follows ? 0 : peer.next_record(total, header + eager) - header;
    auto claim = sender.try_claim(static_cast<std::uint32_t>(header + body));
    if (!claim) return false;
    request.eager_bytes_ = eager;
    if (!whole) {
        request.wants_cts_ = request.synchronous_ || total > eager;
        const auto address = offer ? reinterpret_cast<std::uintptr_t>(request.source_) : 0;
        const std::uint32_t flags = (request.wants_cts_ ? wire::kWantsCts : 0) |
                                    (direct ? wire::kCanWrite : 0) | (follows ? wire::kFollows : 0);
        const wire::FirstHeader first{total, eager, address, request.id_, flags};
        std::memcpy(claim.payload, &first, sizeof first);
        if (request.wants_cts_) ++peer.awaiting_cts;
    }
    fill(claim.payload + header, request, body);
    if (follows) remote->hold(true);  // push_following() lets go
    request.follows_ = follows;
    commit_record(request.peer_, sender, claim, whole ? wire::Kind::eager : wire::Kind::first,
                  request.envelope.word, header + body);
    count_sent(peer, total);
    if (total > peer.max_record) peer.note_long();
    if (request.wants_cts_) count_rendezvous(total);
    if (direct) request.transfer_ = remote->prepare({request.source_, total});  // while the record flies
    if (far && !whole && !direct && !follows) remote->copied({request.source_, total});
    ++pushed_;
    request.sent_ = body;
    request.started_ = true;
    return true;
}

template <class T>
bool BasicEngine<T>::push_chunk(Request& request, const Lane::Sender& sender, bool window,
                                std::uint64_t limit) {
    const auto bytes = static_cast<std::uint32_t>(
        peers_[request.peer_].next_record(request.sink_.total, limit - request.sent_));
    auto claim = sender.try_claim(bytes);
    if (!claim) return false;
    fill(claim.payload, request, bytes);
    commit_record(request.peer_, sender, claim, window ? wire::Kind::more : wire::Kind::data,
                  window ? 0 : request.remote_id_, bytes);
    ++pushed_;
    request.sent_ += bytes;
    return true;
}

/// Sends what a peer's queues hold, answers first: the other side waits for those. True when both are empty.
template <class T>
bool BasicEngine<T>::push_peer(int rank) {
    Peer& peer = peers_[rank];
    if (!push_answers(rank)) return false;
    while (peer.send_head != nullptr) {
        Request* request = peer.send_head;
        // Taken out first: a finished request may be given back to the pool inside push_send().
        if (Request* next = request->next_; push_send(*request)) {
            peer.send_head = next;
            if (next == nullptr) peer.send_tail = nullptr;
        } else {
            return false;
        }
    }
    return true;
}

template <class T>
bool BasicEngine<T>::push_answers(int rank) {
    Peer& peer = peers_[rank];
    if (peer.reserved) return false;
    const auto sender = peer.lane.sender();
    while (peer.answer_head != nullptr) {
        Request* receive = peer.answer_head;
        // The payload's length tells: a byte says that the sender's memory cannot be read.
        const std::uint64_t bytes = receive->refused_          ? 1
                                    : receive->pin_ != nullptr ? sizeof(wire::Grant)
                                                               : 0;
        auto claim = sender.try_claim(static_cast<std::uint32_t>(bytes));
        if (!claim) return false;
        if (receive->pin_ != nullptr) {
            const network::Place place = receive->pin_->place();
            const wire::Grant grant{place.address, place.keys};
            std::memcpy(claim.payload, &grant, sizeof grant);
        }
        peer.answer_head = receive->next_;
        if (peer.answer_head == nullptr) peer.answer_tail = nullptr;
        if (receive->timed_) receive->answered_ns_ = state::now_ns();
        if (receive->pulled_)
            commit_record(rank, sender, claim, wire::Kind::fin, receive->remote_id_, 0);
        else
            commit_record(rank, sender, claim, wire::Kind::cts, wire::pack(receive->remote_id_, receive->id_),
                          bytes);
        ++pushed_;
        receive->answer_queued_ = false;
        finish_if_done(*receive);
    }
    return true;
}

/// One attempt for every peer with something queued; returns the number of records sent.
template <class T>
int BasicEngine<T>::push_blocked() {
    const std::uint64_t before = pushed_;
    for (std::size_t i = 0; i < blocked_.size();) {
        const int rank = blocked_[i];
        if (push_peer(rank)) {
            peers_[rank].queued = false;
            blocked_[i] = blocked_.back();
            blocked_.pop_back();
        } else {
            ++i;
        }
    }
    return static_cast<int>(pushed_ - before);
}

template <class T>
void BasicEngine<T>::mark_blocked(int rank) {
    if (peers_[rank].queued) return;
    peers_[rank].queued = true;
    blocked_.push_back(rank);
}

template <class T>
void BasicEngine<T>::append(Request*& head, Request*& tail, Request& request) noexcept {
    request.next_ = nullptr;
    (tail != nullptr ? tail->next_ : head) = &request;
    tail = &request;
}

template <class T>
void BasicEngine<T>::drain_sends() {
    const auto drained = [this] {
        return blocked_.empty() && direct_head_ == nullptr &&
               std::all_of(remote_.begin(), remote_.end(),
                           [this](int rank) { return peers_[rank].awaiting_cts == 0; });
    };
    wait_for(drained, [this] { return awaited_by_sends(); });
}

}  // namespace rb2::pt2pt
