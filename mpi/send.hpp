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

/// The short way of a standard send: all is right and the ring has room. False: nothing was done.
[[gnu::always_inline]] inline bool send_at_once(const void* buffer, std::int64_t count, MPI_Datatype datatype,
                                                int destination, int tag, MPI_Comm comm) {
    Message message;
    if (!accept_quickly<Direction::send>(buffer, count, datatype, destination, tag, comm, message))
        [[unlikely]]
        return false;
    const pt2pt::Communicator& communicator = *message.comm->communicator;
    return communicator.engine().send_at_once(bytes_at(buffer, message.bytes), message.world_peer,
                                              communicator.context(), tag);
}

template <SendMode kMode>
inline int send(const MessageCall& call) {
    Message message;
    if (!accept<Direction::send>(call, message)) [[unlikely]]
        return refuse(Direction::send, call);
    const pt2pt::Communicator& communicator = *message.comm->communicator;
    const Status status = communicator.engine().send(bytes_at(call.buffer, message.bytes), message.world_peer,
                                                     communicator.context(), call.tag, kMode);
    if (status != Status::ok) [[unlikely]]
        return fail_send(call, *message.comm, status);
    return MPI_SUCCESS;
}

template <SendMode kMode>
inline int isend(const MessageCall& call, MPI_Request* request) {
    Message message;
    if (!accept<Direction::send>(call, message)) [[unlikely]]
        return refuse_start(Direction::send, call, request);
    const pt2pt::Communicator& communicator = *message.comm->communicator;
    pt2pt::Request* const operation = communicator.engine().isend(
        bytes_at(call.buffer, message.bytes), message.world_peer, communicator.context(), call.tag, kMode);
    if (pt2pt::Engine::is_immediate(operation)) {
        *request = handle_of(shared_requests.complete_send);
        return MPI_SUCCESS;
    }
    return start_request(RequestObject::Kind::send, operation, *message.comm, call, request);
}

}  // namespace rb2::mpi
