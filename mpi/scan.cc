// Scan and exclusive scan.

#include "mpi/collective_call.hpp"
#include "mpi/define.hpp"

namespace rb2::mpi {
namespace {

int scan(const Invocation& invocation, const void* sendbuf, void* recvbuf, std::int64_t count,
         MPI_Datatype datatype, MPI_Op op) {
    Call call(invocation);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const std::size_t bytes =
        call.take_result(recvbuf, {count, datatype}, in_place ? Use::both : Use::output);
    if (!in_place) call.take_contribution(sendbuf, {count, datatype});
    const Reduction reduction = call.check_op(op, datatype);
    return call.perform([&](auto& steps) {
        const std::span<std::byte> data = bytes_at(recvbuf, bytes);
        if (!in_place) steps.copy(bytes_at(sendbuf, bytes), data.data());
        collective::scan(steps, data, reduction);
    });
}

/// Rank 0's receive buffer means nothing and may be null, unless it is the contribution.
int exscan(const Invocation& invocation, const void* sendbuf, void* recvbuf, std::int64_t count,
           MPI_Datatype datatype, MPI_Op op) {
    Call call(invocation);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    std::size_t bytes = 0;
    if (!call.is(0) || in_place)
        bytes = call.take_result(recvbuf, {count, datatype}, in_place ? Use::both : Use::output);
    if (!in_place) bytes = call.take_contribution(sendbuf, {count, datatype});
    const Reduction reduction = call.check_op(op, datatype);
    return call.perform([&](auto& steps) {
        collective::exclusive_scan(steps, bytes_at(in_place ? recvbuf : sendbuf, bytes),
                                   bytes_at(recvbuf, call.is(0) ? 0 : bytes), reduction);
    });
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Scan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm) {
    return scan(blocking("MPI_Scan", comm), sendbuf, recvbuf, count, datatype, op);
}
RB2_MPI_DEFINE(int, Scan_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm) {
    return scan(blocking("MPI_Scan_c", comm), sendbuf, recvbuf, count, datatype, op);
}
RB2_MPI_DEFINE(int, Iscan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm, MPI_Request* request) {
    return scan(nonblocking("MPI_Iscan", comm, request), sendbuf, recvbuf, count, datatype, op);
}
RB2_MPI_DEFINE(int, Iscan_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    return scan(nonblocking("MPI_Iscan_c", comm, request), sendbuf, recvbuf, count, datatype, op);
}
RB2_MPI_DEFINE(int, Scan_init, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return scan(persistent("MPI_Scan_init", comm, info, request), sendbuf, recvbuf, count, datatype, op);
}
RB2_MPI_DEFINE(int, Scan_init_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return scan(persistent("MPI_Scan_init_c", comm, info, request), sendbuf, recvbuf, count, datatype, op);
}

RB2_MPI_DEFINE(int, Exscan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm) {
    return exscan(blocking("MPI_Exscan", comm), sendbuf, recvbuf, count, datatype, op);
}
RB2_MPI_DEFINE(int, Exscan_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm) {
    return exscan(blocking("MPI_Exscan_c", comm), sendbuf, recvbuf, count, datatype, op);
}
RB2_MPI_DEFINE(int, Iexscan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm, MPI_Request* request) {
    return exscan(nonblocking("MPI_Iexscan", comm, request), sendbuf, recvbuf, count, datatype, op);
}
RB2_MPI_DEFINE(int, Iexscan_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    return exscan(nonblocking("MPI_Iexscan_c", comm, request), sendbuf, recvbuf, count, datatype, op);
}
RB2_MPI_DEFINE(int, Exscan_init, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return exscan(persistent("MPI_Exscan_init", comm, info, request), sendbuf, recvbuf, count, datatype, op);
}
RB2_MPI_DEFINE(int, Exscan_init_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return exscan(persistent("MPI_Exscan_init_c", comm, info, request), sendbuf, recvbuf, count, datatype,
                  op);
}
