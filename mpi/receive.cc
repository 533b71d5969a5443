// Receives.

#include "mpi/receive.hpp"

#include "mpi/define.hpp"

namespace rb2::mpi {

namespace {

[[gnu::noinline]] int start_receive_slowly(const MessageCall& call, void* buffer, MPI_Request* request) {
    return start_receive(call, buffer, request);
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
    if (start_receive_at_once(buf, count, datatype, source, tag, comm, request)) [[likely]]
        return MPI_SUCCESS;
    return start_receive_slowly({"MPI_Irecv", buf, count, datatype, source, tag, comm}, buf, request);
}
RB2_MPI_DEFINE(int, Irecv_c, void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
               MPI_Comm comm, MPI_Request* request) {
    if (start_receive_at_once(buf, count, datatype, source, tag, comm, request)) [[likely]]
        return MPI_SUCCESS;
    return start_receive_slowly({"MPI_Irecv_c", buf, count, datatype, source, tag, comm}, buf, request);
}
