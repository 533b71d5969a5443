// Barrier, broadcast, reduce and allreduce.

#include "mpi/collective_call.hpp"
#include "mpi/define.hpp"
#include "mpi/inter_collective.hpp"

namespace rb2::mpi {
namespace {

int barrier(const Invocation& invocation) {
    if (is_inter(invocation)) [[unlikely]]
        return inter::barrier(invocation);
    return Call(invocation).perform([](auto& steps) { collective::barrier(steps); });
}

int bcast(const Invocation& invocation, void* buffer, std::int64_t count, MPI_Datatype datatype, int root) {
    if (is_inter(invocation)) [[unlikely]]
        return inter::broadcast(invocation, buffer, {count, datatype}, root);
    Call call(invocation);
    call.check_root(root);
    const Use use = call.is(root) ? Use::input : Use::output;
    const std::size_t bytes = call.take_output(buffer, {count, datatype}, use);
    return call.perform([&](auto& steps) { collective::broadcast(steps, bytes_at(buffer, bytes), root); });
}

int reduce(const Invocation& invocation, const void* sendbuf, void* recvbuf, std::int64_t count,
           MPI_Datatype datatype, MPI_Op op, int root) {
    if (is_inter(invocation)) [[unlikely]]
        return inter::reduce(invocation, sendbuf, recvbuf, {count, datatype}, op, root);
    Call call(invocation);
    call.check_root(root);
    const bool at_root = call.is(root);
    const bool in_place = at_root && sendbuf == MPI_IN_PLACE;
    std::size_t bytes = 0;
    if (at_root) bytes = call.take_result(recvbuf, {count, datatype}, in_place ? Use::both : Use::output);
    if (!in_place) bytes = call.take_contribution(sendbuf, {count, datatype});
    const Reduction reduction = call.check_op(op, datatype);
    return call.perform([&](auto& steps) {
        collective::reduce(steps, bytes_at(in_place ? recvbuf : sendbuf, bytes),
                           bytes_at(recvbuf, at_root ? bytes : 0), reduction, root);
    });
}

int allreduce(const Invocation& invocation, const void* sendbuf, void* recvbuf, std::int64_t count,
              MPI_Datatype datatype, MPI_Op op) {
    if (is_inter(invocation)) [[unlikely]]
        return inter::allreduce(invocation, sendbuf, recvbuf, {count, datatype}, op);
    Call call(invocation);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    if (!in_place) call.take_contribution(sendbuf, {count, datatype});
    const std::size_t bytes =
        call.take_result(recvbuf, {count, datatype}, in_place ? Use::both : Use::output);
    const Reduction reduction = call.check_op(op, datatype);
    return call.perform([&](auto& steps) {
        const std::span<std::byte> data = bytes_at(recvbuf, bytes);
        if (!in_place) steps.copy(bytes_at(sendbuf, bytes), data.data());
        collective::allreduce(steps, data, reduction);
    });
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Barrier, MPI_Comm comm) { return barrier(blocking("MPI_Barrier", comm)); }
RB2_MPI_DEFINE(int, Ibarrier, MPI_Comm comm, MPI_Request* request) {
    return barrier(nonblocking("MPI_Ibarrier", comm, request));
}
RB2_MPI_DEFINE(int, Barrier_init, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return barrier(persistent("MPI_Barrier_init", comm, info, request));
}

RB2_MPI_DEFINE(int, Bcast, void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    return bcast(blocking("MPI_Bcast", comm), buffer, count, datatype, root);
}
RB2_MPI_DEFINE(int, Bcast_c, void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    return bcast(blocking("MPI_Bcast_c", comm), buffer, count, datatype, root);
}
RB2_MPI_DEFINE(int, Ibcast, void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
               MPI_Request* request) {
    return bcast(nonblocking("MPI_Ibcast", comm, request), buffer, count, datatype, root);
}
RB2_MPI_DEFINE(int, Ibcast_c, void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
               MPI_Request* request) {
    return bcast(nonblocking("MPI_Ibcast_c", comm, request), buffer, count, datatype, root);
}
RB2_MPI_DEFINE(int, Bcast_init, void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
               MPI_Info info, MPI_Request* request) {
    return bcast(persistent("MPI_Bcast_init", comm, info, request), buffer, count, datatype, root);
}
RB2_MPI_DEFINE(int, Bcast_init_c, void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
               MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return bcast(persistent("MPI_Bcast_init_c", comm, info, request), buffer, count, datatype, root);
}

RB2_MPI_DEFINE(int, Reduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               int root, MPI_Comm comm) {
    return reduce(blocking("MPI_Reduce", comm), sendbuf, recvbuf, count, datatype, op, root);
}
RB2_MPI_DEFINE(int, Reduce_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, int root, MPI_Comm comm) {
    return reduce(blocking("MPI_Reduce_c", comm), sendbuf, recvbuf, count, datatype, op, root);
}
RB2_MPI_DEFINE(int, Ireduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               int root, MPI_Comm comm, MPI_Request* request) {
    return reduce(nonblocking("MPI_Ireduce", comm, request), sendbuf, recvbuf, count, datatype, op, root);
}
RB2_MPI_DEFINE(int, Ireduce_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
    return reduce(nonblocking("MPI_Ireduce_c", comm, request), sendbuf, recvbuf, count, datatype, op, root);
}
RB2_MPI_DEFINE(int, Reduce_init, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
               MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return reduce(persistent("MPI_Reduce_init", comm, info, request), sendbuf, recvbuf, count, datatype, op,
                  root);
}
RB2_MPI_DEFINE(int, Reduce_init_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return reduce(persistent("MPI_Reduce_init_c", comm, info, request), sendbuf, recvbuf, count, datatype, op,
                  root);
}

RB2_MPI_DEFINE(int, Allreduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm) {
    return allreduce(blocking("MPI_Allreduce", comm), sendbuf, recvbuf, count, datatype, op);
}
RB2_MPI_DEFINE(int, Allreduce_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm) {
    return allreduce(blocking("MPI_Allreduce_c", comm), sendbuf, recvbuf, count, datatype, op);
}
RB2_MPI_DEFINE(int, Iallreduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    return allreduce(nonblocking("MPI_Iallreduce", comm, request), sendbuf, recvbuf, count, datatype, op);
}
RB2_MPI_DEFINE(int, Iallreduce_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    return allreduce(nonblocking("MPI_Iallreduce_c", comm, request), sendbuf, recvbuf, count, datatype, op);
}
RB2_MPI_DEFINE(int, Allreduce_init, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return allreduce(persistent("MPI_Allreduce_init", comm, info, request), sendbuf, recvbuf, count, datatype,
                     op);
}
RB2_MPI_DEFINE(int, Allreduce_init_c, const void* sendbuf, void* recvbuf, MPI_Count count,
               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return allreduce(persistent("MPI_Allreduce_init_c", comm, info, request), sendbuf, recvbuf, count,
                     datatype, op);
}
