// Scan and exclusive scan.

#include "mpi/collective_call.hpp"
#include "mpi/define.hpp"

namespace rb2::mpi {
namespace {

int scan(const char* function, const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype datatype,
         MPI_Op op, MPI_Comm comm) {
    Staging staging(function, comm);
    staging.slots_out(recvbuf, count, datatype, sendbuf == MPI_IN_PLACE ? Fill::data : Fill::nothing);
    staging.slots_in(sendbuf, count, datatype);
    if (!staging.good()) return staging.error();
    Call call(function, comm);
    const std::size_t bytes = call.check_elements(recvbuf, count, datatype);
    if (sendbuf != MPI_IN_PLACE) call.check_elements(sendbuf, count, datatype);
    const Reduction reduction = call.check_op(op, datatype);
    if (!call.good()) return call.error();
    if (sendbuf != MPI_IN_PLACE) copy(recvbuf, sendbuf, bytes);
    return staging.finish(
        call.result(collective::scan(call.communicator(), bytes_at(recvbuf, bytes), reduction)));
}

/// Rank 0's receive buffer means nothing and may be null, unless it is the contribution.
int exscan(const char* function, const void* sendbuf, void* recvbuf, std::int64_t count,
           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    Staging staging(function, comm);
    const bool receives = !staging.is(0) || sendbuf == MPI_IN_PLACE;
    if (receives)
        staging.slots_out(recvbuf, count, datatype, sendbuf == MPI_IN_PLACE ? Fill::data : Fill::nothing);
    staging.slots_in(sendbuf, count, datatype);
    if (!staging.good()) return staging.error();
    Call call(function, comm);
    const void* const contribution = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    const std::size_t bytes = call.check_elements(contribution, count, datatype);
    if (call.good() && !call.is(0)) call.check_elements(recvbuf, count, datatype);
    const Reduction reduction = call.check_op(op, datatype);
    if (!call.good()) return call.error();
    return staging.finish(
        call.result(collective::exclusive_scan(call.communicator(), bytes_at(contribution, bytes),
                                               bytes_at(recvbuf, call.is(0) ? 0 : bytes), reduction)));
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Scan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm) {
    return scan("MPI_Scan", sendbuf, recvbuf, count, datatype, op, comm);
}
RB2_MPI_DEFINE(int, Scan_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm) {
    return scan("MPI_Scan_c", sendbuf, recvbuf, count, datatype, op, comm);
}
RB2_MPI_DEFINE(int, Exscan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm) {
    return exscan("MPI_Exscan", sendbuf, recvbuf, count, datatype, op, comm);
}
RB2_MPI_DEFINE(int, Exscan_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm) {
    return exscan("MPI_Exscan_c", sendbuf, recvbuf, count, datatype, op, comm);
}
