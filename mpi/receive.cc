// Receives.

#include "mpi/receive.hpp"

#include <type_traits>
#include <utility>

#include "mpi/define.hpp"

namespace rb2::mpi {

namespace {

constexpr int kStock = 64;  // more than most programs have under way at a time

/// Fills the list of free receives, as far as memory is there.
[[gnu::cold, gnu::noinline]] void stock_receives(const Comm* comm) noexcept {
    for (int i = 0; i < kStock && comm != nullptr; ++i) {
        if (free_requests == nullptr && !grow_request_pool()) return;
        pt2pt::Request* const operation = comm->engine().spare_receive();
        if (operation == nullptr) return;
        RequestObject& object = *std::exchange(free_requests, free_requests->next_free);
        object.operation = operation;
        object.next_free = std::exchange(free_receives, &object);
    }
}

template <class Count>
[[gnu::noinline]] int start_receive_otherwise(void* buf, Count count, MPI_Datatype datatype, int source,
                                              int tag, MPI_Comm comm, MPI_Request* request) {
    if (free_receives == nullptr) stock_receives(find_comm(comm));
    return start_receive(
        {std::is_same_v<Count, int> ? "MPI_Irecv" : "MPI_Irecv_c", buf, count, datatype, source, tag, comm},
        buf, request);
}

/// The last step of MPI_Irecv: the arguments are right, and `object`, the receive that is next, knows count
/// and datatype. Called last, and mostly calls nothing, so that no register is saved (pt2pt/put.hpp has the
/// reasons). An Envelope among the arguments would go through the stack. Returns 0, MPI_SUCCESS.
[[gnu::noinline]] int post(std::byte* buffer, std::size_t bytes, Comm* comm, std::uint64_t word,
                           int world_source, RequestObject* object) {
    take(free_receives, *object, RequestObject::Kind::receive, true, *comm);
    comm->engine().ireceive(*object->operation, {buffer, bytes}, {word, world_source});
    return 0;
}

template <class Count>
[[gnu::always_inline]] inline int start_receive_quickly(void* buf, Count count, MPI_Datatype datatype,
                                                        int source, int tag, MPI_Comm comm,
                                                        MPI_Request* request) {
    Message message;
    RequestObject* const object = free_receives;
    if (object == nullptr ||
        !accept_quickly<Direction::receive>(buf, count, datatype, source, tag, comm, message)) [[unlikely]]
        return start_receive_otherwise(buf, count, datatype, source, tag, comm, request);
    *request = handle_of(*object);
    object->count = count;
    object->datatype = datatype;
    const matching::Envelope pattern(message.comm->communicator->context(), message.world_peer, tag);
    return post(static_cast<std::byte*>(buf), message.bytes, message.comm, pattern.word, pattern.source,
                object);
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
