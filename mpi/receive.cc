// Receives.

#include "mpi/receive.hpp"

#include <type_traits>

#include "mpi/define.hpp"

namespace rb2::mpi {

namespace {

template <class Count>
[[gnu::noinline]] int start_receive_otherwise(void* buf, Count count, MPI_Datatype datatype, int source,
                                              int tag, MPI_Comm comm, MPI_Request* request) {
    return start_receive(
        {std::is_same_v<Count, int> ? "MPI_Irecv" : "MPI_Irecv_c", buf, count, datatype, source, tag, comm},
        buf, request);
}

/// post() with any way to a request.
[[gnu::noinline]] int post_otherwise(std::byte* buffer, std::size_t bytes, Comm* comm, std::uint64_t word,
                                     int world_source, MPI_Request* request) {
    const pt2pt::Communicator& communicator = *comm->communicator;
    const matching::Envelope pattern(word, world_source);
    const RequestObject& next = *free_requests;
    const int source = pattern.source < 0 ? pattern.source : communicator.local_rank(pattern.source);
    pt2pt::Request* const operation =
        communicator.engine().ireceive({buffer, bytes}, pattern.source, pattern.context(), pattern.tag());
    return start_request(
        RequestObject::Kind::receive, operation, *comm,
        {"MPI_Irecv", buffer, next.count, next.datatype, source, pattern.tag(), MPI_COMM_NULL}, request);
}

/// The last step of MPI_Irecv: the arguments are right, and the object that is next knows count and datatype.
/// No calls, and called last, so that no register is saved (pt2pt/put.hpp has the reasons). An Envelope among
/// the arguments would go through the stack. Returns 0, MPI_SUCCESS.
[[gnu::noinline]] int post(std::byte* buffer, std::size_t bytes, Comm* comm, std::uint64_t word,
                           int world_source, MPI_Request* request) {
    pt2pt::Engine& engine = comm->engine();
    if (!engine.receives_at_once({word, world_source})) [[unlikely]]
        return post_otherwise(buffer, bytes, comm, word, world_source, request);
    RequestObject& object = take_next_object(RequestObject::Kind::receive, true, *comm);
    object.operation = engine.ireceive_at_once({buffer, bytes}, {word, world_source});
    *request = handle_of(object);
    return 0;
}

template <class Count>
[[gnu::always_inline]] inline int start_receive_quickly(void* buf, Count count, MPI_Datatype datatype,
                                                        int source, int tag, MPI_Comm comm,
                                                        MPI_Request* request) {
    Message message;
    if (free_requests == nullptr ||
        !accept_quickly<Direction::receive>(buf, count, datatype, source, tag, comm, message)) [[unlikely]]
        return start_receive_otherwise(buf, count, datatype, source, tag, comm, request);
    free_requests->count = count;
    free_requests->datatype = datatype;
    const matching::Envelope pattern(message.comm->communicator->context(), message.world_peer, tag);
    return post(static_cast<std::byte*>(buf), message.bytes, message.comm, pattern.word, pattern.source,
                request);
}

}  // namespace

int fail_receive(MessageCall call, const Comm& comm, const pt2pt::MessageInfo& info) {
    return fail(message_failure(call, comm, comm.communicator->translate(info)));
}

int receive_any(const MessageCall& call, MPI_Status* status) {
    AnyMessage message;
    if (!accept_any(Direction::receive, call, message)) {
        const int error = refuse(Direction::receive, call);
        if (error == MPI_SUCCESS) set_null_status(status);
        return error;
    }
    const Data& data = message.data;
    if (data.layout != nullptr) return receive_data(call, message, scatter(data), status);
    return receive_data(call, message, std::span(data.memory, data.bytes), status);
}

int start_receive_any(const MessageCall& call, MPI_Request* request) {
    AnyMessage message;
    if (!accept_any(Direction::receive, call, message))
        return refuse_start(Direction::receive, call, request);
    return start_request(RequestObject::Kind::receive, begin_receive(message, call.tag), *message.comm, call,
                         request);
}

}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Recv, void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
               MPI_Status* status) {
    return receive({"MPI_Recv", buf, count, datatype, source, tag, comm}, buf, status);
}
RB2_MPI_DEFINE(int, Recv_c, void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
               MPI_Comm comm, MPI_Status* status) {
    return receive({"MPI_Recv_c", buf, count, datatype, source, tag, comm}, buf, status);
}
RB2_MPI_DEFINE(int, Irecv, void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
               MPI_Request* request) {
    return start_receive_quickly(buf, count, datatype, source, tag, comm, request);
}
RB2_MPI_DEFINE(int, Irecv_c, void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return start_receive_quickly(buf, count, datatype, source, tag, comm, request);
}
