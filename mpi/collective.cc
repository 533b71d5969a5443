// Barrier, broadcast, reduce and allreduce.

#include "mpi/collective_call.hpp"
#include "mpi/define.hpp"
#include "mpi/inter_collective.hpp"

namespace rb2::mpi {
namespace {

int barrier(const Invocation& invocation) {
    if (Comm* const inter = find_inter(invocation); inter != nullptr) [[unlikely]]
        return inter::barrier(*inter);
    return Call(invocation).perform([](auto& steps) { collective::barrier(steps); });
}

int bcast(const Invocation& invocation, void* buffer, std::int64_t count, MPI_Datatype datatype, int root) {
    if (Comm* const inter = find_inter(invocation); inter != nullptr) [[unlikely]]
        return inter::broadcast(invocation.function, *inter, {buffer, count, datatype}, root);
    Call call(invocation);
    Staging staging(invocation);
    staging.output(buffer, count, datatype, staging.is(root) ? Fill::data : Fill::nothing);
    if (!staging.good()) return staging.error();
    call.check_root(root);
    const std::size_t bytes = call.check_buffer(buffer, count, datatype);
    return staging.finish(
        call.perform([&](auto& steps) { collective::broadcast(steps, bytes_at(buffer, bytes), root); }));
}

int reduce(const Invocation& invocation, const void* sendbuf, void* recvbuf, std::int64_t count,
           MPI_Datatype datatype, MPI_Op op, int root) {
    if (Comm* const inter = find_inter(invocation); inter != nullptr) [[unlikely]]
        return inter::reduce(invocation.function, *inter, {sendbuf, count, datatype}, recvbuf, op, root);
    Call call(invocation);
    Staging staging(invocation);
    const bool into_own = staging.is(root) && sendbuf == MPI_IN_PLACE;
    if (staging.is(root)) staging.slots_out(recvbuf, count, datatype, into_own ? Fill::data : Fill::nothing);
    staging.slots_in(sendbuf, count, datatype);
    if (!staging.good()) return staging.error();
    call.check_root(root);
    const bool at_root = call.good() && call.is(root);
    const void* const contribution = at_root && sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    const std::size_t bytes = call.check_elements(contribution, count, datatype);
    const Reduction reduction = call.check_op(op, datatype);
    if (at_root) call.check_elements(recvbuf, count, datatype);
    return staging.finish(call.perform([&](auto& steps) {
        collective::reduce(steps, bytes_at(contribution, bytes), bytes_at(recvbuf, at_root ? bytes : 0),
                           reduction, root);
    }));
}

int allreduce(const Invocation& invocation, const void* sendbuf, void* recvbuf, std::int64_t count,
              MPI_Datatype datatype, MPI_Op op) {
    if (Comm* const inter = find_inter(invocation); inter != nullptr) [[unlikely]]
        return inter::allreduce(invocation.function, *inter, {sendbuf, count, datatype}, recvbuf, op);
    Call call(invocation);
    Staging staging(invocation);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    staging.slots_out(recvbuf, count, datatype, in_place ? Fill::data : Fill::nothing);
    staging.slots_in(sendbuf, count, datatype);
    if (!staging.good()) return staging.error();
    if (!in_place) call.check_elements(sendbuf, count, datatype);
    const std::size_t bytes = call.check_elements(recvbuf, count, datatype);
    const Reduction reduction = call.check_op(op, datatype);
    return staging.finish(call.perform([&](auto& steps) {
        const std::span<std::byte> data = bytes_at(recvbuf, bytes);
        if (!in_place) steps.copy(bytes_at(sendbuf, bytes), data.data());
        collective::allreduce(steps, data, reduction);
    }));
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Barrier, MPI_Comm comm) { return barrier(blocking("MPI_Barrier", comm)); }
RB2_MPI_DEFINE(int, Ibarrier, MPI_Comm comm, MPI_Request* request) {
    return barrier(nonblocking("MPI_Ibarrier", comm, request));
}
RB2_MPI_DEFINE(int, Barrier_init, MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return barrier(persistent("MPI_Barrier_init", comm, request));
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
               MPI_Info, MPI_Request* request) {
    return bcast(persistent("MPI_Bcast_init", comm, request), buffer, count, datatype, root);
}
RB2_MPI_DEFINE(int, Bcast_init_c, void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
               MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return bcast(persistent("MPI_Bcast_init_c", comm, request), buffer, count, datatype, root);
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
               MPI_Op op, int root, MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return reduce(persistent("MPI_Reduce_init", comm, request), sendbuf, recvbuf, count, datatype, op, root);
}
RB2_MPI_DEFINE(int, Reduce_init_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, int root, MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return reduce(persistent("MPI_Reduce_init_c", comm, request), sendbuf, recvbuf, count, datatype, op,
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
               MPI_Op op, MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return allreduce(persistent("MPI_Allreduce_init", comm, request), sendbuf, recvbuf, count, datatype, op);
}
RB2_MPI_DEFINE(int, Allreduce_init_c, const void* sendbuf, void* recvbuf, MPI_Count count,
               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return allreduce(persistent("MPI_Allreduce_init_c", comm, request), sendbuf, recvbuf, count, datatype,
                     op);
}
