// Long messages to peers without shared memory: registered and written straight into the receiver's buffer,
// in blocks, while small messages go on through the ring. The receiver registers when it has matched, the
// sender its first piece while the RTS flies and the next ones while others move ("The Hidden Cost of RDMA",
// section 4.2). What cannot be registered goes through the ring. Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

/// Receiver: lets the sender write into the buffer, where it offered to and the message fits.
template <class T>
void BasicEngine<T>::admit(Request& request) {
    network::Channel* const remote = peers_[request.peer_].lane.remote();
    const Sink& sink = request.sink_;
    if (remote == nullptr || sink.total > sink.capacity) return;
    request.pin_ = remote->admit({sink.base, sink.total});
}

/// Sender: the receiver's buffer may be written. False: the own one could not be registered.
template <class T>
bool BasicEngine<T>::start_direct(Request& request, const wire::Grant& grant) {
    if (request.transfer_ == nullptr) return false;
    request.transfer_->target = {grant.address, grant.keys};
    append(direct_head_, direct_tail_, request);
    count_direct(request.sink_.total);
    return true;
}

/// One attempt for every direct write; returns how many moved.
template <class T>
int BasicEngine<T>::advance_directs() {
    int moved = 0;
    Request* next = direct_head_;
    direct_head_ = direct_tail_ = nullptr;
    while (next != nullptr) {
        Request& request = *next;
        next = request.next_;
        const network::Transfer& transfer = *request.transfer_;
        const auto state = [&] { return std::pair(transfer.posted, transfer.in_flight); };
        const auto before = state();
        const bool done = advance_direct(request);
        if (!done) append(direct_head_, direct_tail_, request);
        moved += done || state() != before ? 1 : 0;
    }
    return moved;
}

/// True, and the request may be gone, once its blocks and the record that tells of them have left; a rest
/// that could not be registered is queued for the ring then.
template <class T>
bool BasicEngine<T>::advance_direct(Request& request) {
    const Lane lane = peers_[request.peer_].lane;
    if (!post_direct(request, lane) || !request.transfer_->done() || !lane.flushed()) return false;
    request.transfer_.reset();
    if (request.sent_ == request.sink_.total)
        finish(request);
    else
        enqueue_send(request);
    return true;
}

/// Posts blocks, then the record that tells of them, with one doorbell where both go at once.
template <class T>
bool BasicEngine<T>::post_direct(Request& request, const Lane& lane) {
    const network::Holding holding(*lane.remote());
    network::Transfer& transfer = *request.transfer_;
    if (lane.remote()->advance(transfer) == Status::peer_lost) transport_.peer_lost(request.peer_);
    if (!transfer.may_be_told()) return false;
    request.sent_ = transfer.posted;
    return request.announced_ || announce(request, lane);
}

template <class T>
bool BasicEngine<T>::announce(Request& request, const Lane& lane) {
    if (peers_[request.peer_].reserved) return false;
    const auto sender = lane.sender();
    const wire::Written written{request.sent_, lane.remote()->broken()};
    const std::uint64_t bytes = written.broken != 0                    ? sizeof written
                                : request.sent_ != request.sink_.total ? sizeof written.bytes
                                                                       : 0;
    auto claim = sender.try_claim(static_cast<std::uint32_t>(bytes));
    if (!claim) return false;
    std::memcpy(claim.payload, &written, bytes);
    commit_record(request.peer_, sender, claim, wire::Kind::written, request.remote_id_, bytes);
    request.announced_ = true;
    return true;
}

/// The whole message is in the receiver's buffer, or its beginning, and the rest comes as data.
template <class T>
ring::Verdict BasicEngine<T>::on_written(int rank, const ring::Record& record) {
    Request* request = pool_.at(wire::low(record.word));
    const bool expected = request != nullptr && request->kind_ == Request::Kind::receive &&
                          request->peer_ == rank && request->pin_ != nullptr && !request->complete_ &&
                          request->sink_.received == 0;
    wire::Written written{expected ? request->sink_.total : 0, 0};
    const std::size_t said = std::min(record.payload.size(), sizeof written);
    if (said != 0) std::memcpy(&written, record.payload.data(), said);
    if (!expected || written.bytes > request->sink_.total) {
        transport_.protocol_error(rank, "a word of a written message that no receive admits");
        return ring::Verdict::keep;
    }
    if (written.broken != 0) peers_[rank].lane.remote()->close(written.broken);
    request->sink_.received = written.bytes;
    finish_if_done(*request);
    return ring::Verdict::consumed;
}

}  // namespace rb2::pt2pt
