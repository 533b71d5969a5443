// Long messages to peers without shared memory: registered and written straight into the receiver's buffer,
// in blocks, while small messages go on through the ring. The receiver registers when it has matched, the
// sender when it has the answer; what cannot be registered goes through the ring. ("The Hidden Cost of RDMA",
// section 4.2, registers at the sender while the RTS flies; the registration cache makes that the exception
// here.) Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

/// Receiver: lets the sender write into the buffer, where it offered to and the message fits.
template <class T>
void BasicEngine<T>::admit(Request& request) {
    network::Channel* const remote = peers_[request.peer_].lane.remote();
    const Sink& sink = request.sink_;
    if (remote == nullptr || sink.total > sink.capacity) return;
    request.pin_ = remote->admit({sink.base, sink.total});
}

/// Sender: the receiver's buffer may be written. False: the own one cannot be registered.
template <class T>
bool BasicEngine<T>::start_direct(Request& request, const wire::Grant& grant) {
    network::Channel* const remote = peers_[request.peer_].lane.remote();
    if (remote == nullptr) return false;
    request.transfer_ = remote->start({request.source_, request.sink_.total},
                                      {grant.address, static_cast<fabric::Key>(grant.key)});
    if (request.transfer_ == nullptr) return false;
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

/// Posts blocks, then the record that tells of them. True, and the request may be gone, once both have left.
template <class T>
bool BasicEngine<T>::advance_direct(Request& request) {
    const Lane lane = peers_[request.peer_].lane;
    network::Transfer& transfer = *request.transfer_;
    if (lane.remote()->advance(transfer) == Status::peer_lost) transport_.peer_lost(request.peer_);
    if (!transfer.all_posted()) return false;
    if (!request.announced_ && !peers_[request.peer_].reserved) {
        const auto sender = lane.sender();
        auto claim = sender.try_claim(0);
        if (!claim) return false;
        commit_record(request.peer_, sender, claim, wire::Kind::written, request.remote_id_, 0);
        request.announced_ = true;
    }
    if (!request.announced_ || !transfer.done() || !lane.flushed()) return false;
    request.transfer_.reset();
    finish(request);
    return true;
}

/// The whole message is in the receiver's buffer.
template <class T>
ring::Verdict BasicEngine<T>::on_written(int rank, const ring::Record& record) {
    Request* request = pool_.at(wire::low(record.word));
    const bool expected = request != nullptr && request->kind_ == Request::Kind::receive &&
                          request->peer_ == rank && request->pin_ != nullptr && !request->complete_;
    if (!expected) {
        transport_.protocol_error(rank, "a word of a written message that no receive admits");
        return ring::Verdict::keep;
    }
    request->sink_.received = request->sink_.total;
    finish_if_done(*request);
    return ring::Verdict::consumed;
}

}  // namespace rb2::pt2pt
