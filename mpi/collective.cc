// Barrier, broadcast, reduce and allreduce.

#include "mpi/collective_call.hpp"
#include "mpi/define.hpp"
#include "mpi/inter_collective.hpp"
#include "pt2pt/collective/blocks.hpp"

namespace rb2::mpi {
namespace {

int barrier(const char* function, MPI_Comm comm) {
    if (Comm* const inter = find_inter(comm); inter != nullptr) [[unlikely]]
        return inter::barrier(*inter);
    const Call call(function, comm);
    return call.good() ? call.result(collective::barrier(call.communicator())) : call.error();
}

int bcast(const char* function, void* buffer, std::int64_t count, MPI_Datatype datatype, int root,
          MPI_Comm comm) {
    if (Comm* const inter = find_inter(comm); inter != nullptr) [[unlikely]]
        return inter::broadcast(function, *inter, {buffer, count, datatype}, root);
    Call call(function, comm);
    call.check_root(root);
    const std::size_t bytes = call.check_buffer(buffer, count, datatype);
    if (!call.good()) return call.error();
    return call.result(collective::broadcast(call.communicator(), bytes_at(buffer, bytes), root));
}

int reduce(const char* function, const void* sendbuf, void* recvbuf, std::int64_t count,
           MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
    if (Comm* const inter = find_inter(comm); inter != nullptr) [[unlikely]]
        return inter::reduce(function, *inter, {sendbuf, count, datatype}, recvbuf, op, root);
    Call call(function, comm);
    call.check_root(root);
    const bool at_root = call.good() && call.is(root);
    const void* const contribution = at_root && sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    const std::size_t bytes = call.check_buffer(contribution, count, datatype);
    const Reduction reduction = call.check_op(op, datatype);
    if (at_root) call.check_buffer(recvbuf, count, datatype);
    if (!call.good()) return call.error();
    return call.result(collective::reduce(call.communicator(), bytes_at(contribution, bytes),
                                          bytes_at(recvbuf, at_root ? bytes : 0), reduction, root));
}

int allreduce(const char* function, const void* sendbuf, void* recvbuf, std::int64_t count,
              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    if (Comm* const inter = find_inter(comm); inter != nullptr) [[unlikely]]
        return inter::allreduce(function, *inter, {sendbuf, count, datatype}, recvbuf, op);
    Call call(function, comm);
    if (sendbuf != MPI_IN_PLACE) call.check_buffer(sendbuf, count, datatype);
    const std::size_t bytes = call.check_buffer(recvbuf, count, datatype);
    const Reduction reduction = call.check_op(op, datatype);
    if (!call.good()) return call.error();
    if (sendbuf != MPI_IN_PLACE) copy(recvbuf, sendbuf, bytes);
    return call.result(collective::allreduce(call.communicator(), bytes_at(recvbuf, bytes), reduction));
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Barrier, MPI_Comm comm) { return barrier("MPI_Barrier", comm); }

RB2_MPI_DEFINE(int, Bcast, void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    return bcast("MPI_Bcast", buffer, count, datatype, root, comm);
}
RB2_MPI_DEFINE(int, Bcast_c, void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    return bcast("MPI_Bcast_c", buffer, count, datatype, root, comm);
}
RB2_MPI_DEFINE(int, Reduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               int root, MPI_Comm comm) {
    return reduce("MPI_Reduce", sendbuf, recvbuf, count, datatype, op, root, comm);
}
RB2_MPI_DEFINE(int, Reduce_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, int root, MPI_Comm comm) {
    return reduce("MPI_Reduce_c", sendbuf, recvbuf, count, datatype, op, root, comm);
}
RB2_MPI_DEFINE(int, Allreduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm) {
    return allreduce("MPI_Allreduce", sendbuf, recvbuf, count, datatype, op, comm);
}
RB2_MPI_DEFINE(int, Allreduce_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm) {
    return allreduce("MPI_Allreduce_c", sendbuf, recvbuf, count, datatype, op, comm);
}
