// Messages of the C++ interface: arguments checked, ranks translated, the engine called.

#include "rb2/communicator.hpp"

#include "api/errors.hpp"

namespace rb2 {

using detail::Call;
using pt2pt::MessageInfo;

namespace {

/// Takes over a started operation; a send that is complete already needs none.
Result<Request> track(const Call& call, pt2pt::Request* request, std::uint64_t capacity,
                      const std::shared_ptr<detail::CommunicatorState>& state) {
    if (pt2pt::Engine::is_immediate(request)) return Request();
    if (request == nullptr)
        return detail::message_error(call, Status::out_of_memory, "no memory for a request");
    return Request(new detail::Operation{request, state, capacity});
}

}  // namespace

int Communicator::rank() const noexcept { return state_->communicator->rank(); }
int Communicator::size() const noexcept { return state_->communicator->size(); }

Result<void> Communicator::send_bytes(Bytes data, int destination, int tag) const {
    const Call call{"Communicator::send", state_.get(), destination, tag};
    if (!can_send(call)) [[unlikely]] {
        if (auto error = why_not_send(call)) return *error;
        return {};
    }
    const pt2pt::Communicator& here = *state_->communicator;
    const Status status = here.engine().send(data, here.world_rank(destination), here.context(), tag);
    if (status != Status::ok) [[unlikely]]
        return message_error(call, status, "the message could not be sent");
    return {};
}

Result<RecvStatus> Communicator::recv_bytes(MutableBytes buffer, int source, int tag) const {
    const Call call{"Communicator::recv", state_.get(), source, tag};
    if (!can_receive(call)) [[unlikely]] {
        if (auto error = why_not_receive(call)) return *error;
        return detail::null_status();
    }
    const pt2pt::Communicator& here = *state_->communicator;
    MessageInfo info;
    const Status status =
        here.engine().receive(buffer, here.world_source(source), here.context(), tag, &info);
    if (status != Status::ok) [[unlikely]]
        return receive_error(call, here.translate(info), buffer.size());
    return detail::to_status(here, info);
}

Result<RecvStatus> Communicator::sendrecv_bytes(Bytes data, int destination, int send_tag,
                                                MutableBytes buffer, int source, int recv_tag) const {
    auto incoming = irecv_bytes(buffer, source, recv_tag);
    if (!incoming) return Error(incoming.error());
    if (auto sent = send_bytes(data, destination, send_tag); !sent) return Error(sent.error());
    return incoming->wait();
}

Result<Request> Communicator::isend_bytes(Bytes data, int destination, int tag) const {
    const Call call{"Communicator::isend", state_.get(), destination, tag};
    if (!can_send(call)) [[unlikely]] {
        if (auto error = why_not_send(call)) return *error;
        return Request();
    }
    const pt2pt::Communicator& here = *state_->communicator;
    return track(call, here.engine().isend(data, here.world_rank(destination), here.context(), tag), 0,
                 state_);
}

Result<Request> Communicator::irecv_bytes(MutableBytes buffer, int source, int tag) const {
    const Call call{"Communicator::irecv", state_.get(), source, tag};
    if (!can_receive(call)) [[unlikely]] {
        if (auto error = why_not_receive(call)) return *error;
        return Request(new detail::Operation{nullptr, state_, 0});
    }
    const pt2pt::Communicator& here = *state_->communicator;
    return track(call, here.engine().ireceive(buffer, here.world_source(source), here.context(), tag),
                 buffer.size(), state_);
}

Result<RecvStatus> Communicator::probe(int source, int tag) const {
    const Call call{"Communicator::probe", state_.get(), source, tag};
    if (!can_receive(call)) {
        if (auto error = why_not_receive(call)) return *error;
        return detail::null_status();
    }
    const pt2pt::Communicator& here = *state_->communicator;
    MessageInfo info;
    here.engine().probe(here.world_source(source), here.context(), tag, &info);
    return detail::to_status(here, info);
}

Result<std::optional<RecvStatus>> Communicator::iprobe(int source, int tag) const {
    const Call call{"Communicator::iprobe", state_.get(), source, tag};
    if (!can_receive(call)) {
        if (auto error = why_not_receive(call)) return *error;
        return std::optional(detail::null_status());
    }
    const pt2pt::Communicator& here = *state_->communicator;
    MessageInfo info;
    if (!here.engine().iprobe(here.world_source(source), here.context(), tag, &info))
        return std::optional<RecvStatus>();
    return std::optional(detail::to_status(here, info));
}

Result<Communicator> Communicator::dup() const {
    const Call call{"Communicator::dup", state_.get()};
    if (!usable(state_.get())) return *why_not_send(call);
    auto state = std::make_shared<detail::CommunicatorState>();
    state->owned = pt2pt::Job::current()->duplicate(*state_->communicator).communicator;
    state->communicator = state->owned.get();
    if (state->owned == nullptr)
        return message_error(call, Status::fatal, "the ranks could not agree on an id");
    return Communicator(std::move(state));
}

Result<std::optional<Communicator>> Communicator::split(std::optional<int> color, int key) const {
    const Call call{"Communicator::split", state_.get()};
    if (!usable(state_.get())) return *why_not_send(call);
    auto part = pt2pt::Job::current()->split(*state_->communicator, color, key);
    if (part.status != Status::ok)
        return message_error(call, part.status, "the ranks could not exchange colors");
    if (part.communicator == nullptr) return std::optional<Communicator>();
    auto state = std::make_shared<detail::CommunicatorState>();
    state->owned = std::move(part.communicator);
    state->communicator = state->owned.get();
    return std::optional(Communicator(std::move(state)));
}

}  // namespace rb2
