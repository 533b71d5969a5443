#pragma once
// The blocking receive, shared by MPI_Recv, MPI_Sendrecv and MPI_Mrecv.

#include "mpi/arguments.hpp"
#include "mpi/errors.hpp"
#include "mpi/request.hpp"

namespace rb2::mpi {

static_assert(MPI_ANY_SOURCE == pt2pt::kAnySource && MPI_ANY_TAG == pt2pt::kAnyTag,
              "wildcards go to the engine as they are");

[[gnu::cold, gnu::noinline]] int fail_receive(MessageCall call, const Comm& comm,
                                              const pt2pt::MessageInfo& info);

/// Receives into `buffer`, bytes or memory with gaps, as `message` says.
template <class Checked, class Bytes>
inline int receive_data(const MessageCall& call, const Checked& message, const Bytes& buffer,
                        MPI_Status* status) {
    const pt2pt::Communicator& communicator = *message.comm->communicator;
    pt2pt::MessageInfo info;
    const Status result =
        communicator.engine().receive(buffer, message.world_peer, communicator.context(), call.tag, &info);
    set_status(status, communicator, info);
    if (result != Status::ok) [[unlikely]]
        return fail_receive(call, *message.comm, info);
    return MPI_SUCCESS;
}

/// receive() and start_receive() for every datatype.
[[gnu::noinline]] int receive_any(const MessageCall& call, MPI_Status* status);
[[gnu::noinline]] int start_receive_any(const MessageCall& call, MPI_Request* request);

/// The operation that receives a message of any datatype; null: no memory.
[[nodiscard]] inline pt2pt::Request* begin_receive(const AnyMessage& message, int tag) {
    const pt2pt::Communicator& communicator = *message.comm->communicator;
    const Data& data = message.data;
    if (data.layout != nullptr)
        return communicator.engine().ireceive(scatter(data), message.world_peer, communicator.context(), tag);
    return communicator.engine().ireceive(std::span(data.memory, data.bytes), message.world_peer,
                                          communicator.context(), tag);
}

/// `buffer` is the one of `call`.
inline int receive(const MessageCall& call, void* buffer, MPI_Status* status) {
    Message message;
    if (!accept<Direction::receive>(call, message)) [[unlikely]]
        return receive_any(call, status);
    return receive_data(call, message, bytes_at(buffer, message.bytes), status);
}

/// Starts a receive.
inline int start_receive(const MessageCall& call, void* buffer, MPI_Request* request) {
    Message message;
    if (!accept<Direction::receive>(call, message)) [[unlikely]]
        return start_receive_any(call, request);
    const pt2pt::Communicator& communicator = *message.comm->communicator;
    pt2pt::Request* const operation = communicator.engine().ireceive(
        bytes_at(buffer, message.bytes), message.world_peer, communicator.context(), call.tag);
    return start_request(RequestObject::Kind::receive, operation, *message.comm, call, request);
}

}  // namespace rb2::mpi
