// Sends: blocking and not, standard, synchronous and ready. A ready send is a standard one: MPI lets it be.

#include "mpi/send.hpp"

#include "mpi/define.hpp"

namespace rb2::mpi {

namespace {

[[gnu::noinline]] int send_slowly(const MessageCall& call) { return send<SendMode::standard>(call); }
[[gnu::noinline]] int isend_slowly(const MessageCall& call, MPI_Request* request) {
    return isend<SendMode::standard>(call, request);
}

}  // namespace

int fail_send(MessageCall call, const Comm& comm, Status status) {
    return fail(message_failure(call, comm, {call.peer, call.tag, 0, status, false}));
}

int isend_any(const MessageCall& call, SendMode mode, MPI_Request* request) {
    AnyMessage message;
    if (!accept_any(Direction::send, call, message)) return refuse_start(Direction::send, call, request);
    return start_send(call, *message.comm, begin_send(message, call.tag, mode), request);
}

}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Send, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm) {
    if (send_at_once(buf, count, datatype, dest, tag, comm)) [[likely]]
        return MPI_SUCCESS;
    return send_slowly({"MPI_Send", buf, count, datatype, dest, tag, comm});
}
RB2_MPI_DEFINE(int, Send_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm) {
    if (send_at_once(buf, count, datatype, dest, tag, comm)) [[likely]]
        return MPI_SUCCESS;
    return send_slowly({"MPI_Send_c", buf, count, datatype, dest, tag, comm});
}
RB2_MPI_DEFINE(int, Ssend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm) {
    return send<SendMode::synchronous>({"MPI_Ssend", buf, count, datatype, dest, tag, comm});
}
RB2_MPI_DEFINE(int, Ssend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm) {
    return send<SendMode::synchronous>({"MPI_Ssend_c", buf, count, datatype, dest, tag, comm});
}
RB2_MPI_DEFINE(int, Rsend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm) {
    return send_slowly({"MPI_Rsend", buf, count, datatype, dest, tag, comm});
}
RB2_MPI_DEFINE(int, Rsend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm) {
    return send_slowly({"MPI_Rsend_c", buf, count, datatype, dest, tag, comm});
}
RB2_MPI_DEFINE(int, Isend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) {
    if (send_at_once(buf, count, datatype, dest, tag, comm)) [[likely]] {
        *request = handle_of(shared_requests.complete_send);
        return MPI_SUCCESS;
    }
    return isend_slowly({"MPI_Isend", buf, count, datatype, dest, tag, comm}, request);
}
RB2_MPI_DEFINE(int, Isend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) {
    if (send_at_once(buf, count, datatype, dest, tag, comm)) [[likely]] {
        *request = handle_of(shared_requests.complete_send);
        return MPI_SUCCESS;
    }
    return isend_slowly({"MPI_Isend_c", buf, count, datatype, dest, tag, comm}, request);
}
RB2_MPI_DEFINE(int, Issend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return isend<SendMode::synchronous>({"MPI_Issend", buf, count, datatype, dest, tag, comm}, request);
}
RB2_MPI_DEFINE(int, Issend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return isend<SendMode::synchronous>({"MPI_Issend_c", buf, count, datatype, dest, tag, comm}, request);
}
RB2_MPI_DEFINE(int, Irsend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return isend_slowly({"MPI_Irsend", buf, count, datatype, dest, tag, comm}, request);
}
RB2_MPI_DEFINE(int, Irsend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return isend_slowly({"MPI_Irsend_c", buf, count, datatype, dest, tag, comm}, request);
}
