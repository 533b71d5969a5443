#pragma once
// The sends, shared by all their modes, MPI_Sendrecv and the buffered send.

#include "mpi/arguments.hpp"
#include "mpi/errors.hpp"
#include "mpi/receive.hpp"
#include "mpi/request.hpp"

namespace rb2::mpi {

using pt2pt::SendMode;

[[gnu::cold, gnu::noinline]] int fail_send(MessageCall call, const Comm& comm, Status status);

/// Copies the message into the attached buffer and sends it from there. Returns the error class.
int bsend(const MessageCall& call);
int bsend(const MessageCall& call, const AnyMessage& message);

/// Sends `data`, bytes or memory with gaps, as `message` says.
template <SendMode kMode, class Checked, class Bytes>
inline int send_data(const MessageCall& call, const Checked& message, const Bytes& data) {
    const pt2pt::Communicator& communicator = *message.comm->communicator;
    const Status status =
        communicator.engine().send(data, message.world_peer, communicator.context(), call.tag, kMode);
    if (status != Status::ok) [[unlikely]]
        return fail_send(call, *message.comm, status);
    return MPI_SUCCESS;
}

/// send() for every datatype.
template <SendMode kMode>
[[gnu::noinline]] int send_any(const MessageCall& call) {
    AnyMessage message;
    if (!accept_any(Direction::send, call, message)) return refuse(Direction::send, call);
    if (message.data.layout != nullptr) return send_data<kMode>(call, message, gather(message.data));
    return send_data<kMode>(call, message,
                            std::span<const std::byte>(message.data.memory, message.data.bytes));
}

template <SendMode kMode>
inline int send(const MessageCall& call) {
    Message message;
    if (!accept<Direction::send>(call, message)) [[unlikely]]
        return send_any<kMode>(call);
    return send_data<kMode>(call, message, bytes_at(call.buffer, message.bytes));
}

/// A request for an operation of the engine that may be complete already.
inline int start_send(const MessageCall& call, Comm& comm, pt2pt::Request* operation, MPI_Request* request) {
    if (pt2pt::Engine::is_immediate(operation)) {
        *request = handle_of(shared_requests.complete_send);
        return MPI_SUCCESS;
    }
    return start_request(RequestObject::Kind::send, operation, comm, call, request);
}

/// The operation that sends a message of any datatype; null: no memory.
[[nodiscard]] inline pt2pt::Request* begin_send(const AnyMessage& message, int tag, SendMode mode) {
    const pt2pt::Communicator& communicator = *message.comm->communicator;
    const Data& data = message.data;
    if (data.layout != nullptr)
        return communicator.engine().isend(gather(data), message.world_peer, communicator.context(), tag,
                                           mode);
    return communicator.engine().isend(std::span<const std::byte>(data.memory, data.bytes),
                                       message.world_peer, communicator.context(), tag, mode);
}

/// isend() for every datatype.
[[gnu::noinline]] int isend_any(const MessageCall& call, SendMode mode, MPI_Request* request);

template <SendMode kMode>
inline int isend(const MessageCall& call, MPI_Request* request) {
    Message message;
    if (!accept<Direction::send>(call, message)) [[unlikely]]
        return isend_any(call, kMode, request);
    const pt2pt::Communicator& communicator = *message.comm->communicator;
    return start_send(call, *message.comm,
                      communicator.engine().isend(bytes_at(call.buffer, message.bytes), message.world_peer,
                                                  communicator.context(), call.tag, kMode),
                      request);
}

}  // namespace rb2::mpi
