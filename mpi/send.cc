// Sends: blocking and not, standard, synchronous and ready. A ready send is a standard one: MPI lets it be.

#include "mpi/send.hpp"

#include <type_traits>

#include "mpi/define.hpp"
#include "pt2pt/put.hpp"

namespace rb2::mpi {

namespace {

[[gnu::noinline]] int send_slowly(const MessageCall& call) { return send<SendMode::standard>(call); }
[[gnu::noinline]] int isend_slowly(const MessageCall& call, MPI_Request* request) {
    return isend<SendMode::standard>(call, request);
}

// The same with the arguments of the call, so that it is a jump from there and the short way saves nothing
// for it.
template <class Count>
[[gnu::noinline]] int send_otherwise(const void* buf, Count count, MPI_Datatype datatype, int dest, int tag,
                                     MPI_Comm comm) {
    return send_slowly(
        {std::is_same_v<Count, int> ? "MPI_Send" : "MPI_Send_c", buf, count, datatype, dest, tag, comm});
}
template <class Count>
[[gnu::noinline]] int isend_otherwise(const void* buf, Count count, MPI_Datatype datatype, int dest, int tag,
                                      MPI_Comm comm, MPI_Request* request) {
    return isend_slowly(
        {std::is_same_v<Count, int> ? "MPI_Isend" : "MPI_Isend_c", buf, count, datatype, dest, tag, comm},
        request);
}

/// What put() needs for a standard send. A null peer: nothing was done.
struct Put {
    pt2pt::Peer* peer = nullptr;
    std::size_t bytes = 0;
    std::uint64_t word = 0;
};

template <class Count>
[[gnu::always_inline]] inline Put open_ring(const void* buffer, Count count, MPI_Datatype datatype, int dest,
                                            int tag, MPI_Comm comm) {
    Message message;
    if (!accept_quickly<Direction::send>(buffer, count, datatype, dest, tag, comm, message)) [[unlikely]]
        return {};
    const pt2pt::Communicator& communicator = *message.comm->communicator;
    return {communicator.engine().open_ring(message.bytes, message.world_peer), message.bytes,
            pt2pt::wire::pack(communicator.context(), static_cast<std::uint32_t>(tag))};
}

template <class Count>
[[gnu::always_inline]] inline int send_quickly(const void* buf, Count count, MPI_Datatype datatype, int dest,
                                               int tag, MPI_Comm comm) {
    const Put way = open_ring(buf, count, datatype, dest, tag, comm);
    if (way.peer == nullptr) [[unlikely]]
        return send_otherwise(buf, count, datatype, dest, tag, comm);
    return pt2pt::put(buf, way.bytes, way.peer, way.word);
}
template <class Count>
[[gnu::always_inline]] inline int isend_quickly(const void* buf, Count count, MPI_Datatype datatype, int dest,
                                                int tag, MPI_Comm comm, MPI_Request* request) {
    const Put way = open_ring(buf, count, datatype, dest, tag, comm);
    if (way.peer == nullptr) [[unlikely]]
        return isend_otherwise(buf, count, datatype, dest, tag, comm, request);
    *request = handle_of(shared_requests.complete_send);
    return pt2pt::put(buf, way.bytes, way.peer, way.word);
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
    return send_quickly(buf, count, datatype, dest, tag, comm);
}
RB2_MPI_DEFINE(int, Send_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm) {
    return send_quickly(buf, count, datatype, dest, tag, comm);
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
    return isend_quickly(buf, count, datatype, dest, tag, comm, request);
}
RB2_MPI_DEFINE(int, Isend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) {
    return isend_quickly(buf, count, datatype, dest, tag, comm, request);
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
