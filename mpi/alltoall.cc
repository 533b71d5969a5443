// Alltoall.

#include "mpi/collective_call.hpp"
#include "mpi/define.hpp"
#include "pt2pt/collective/blocks.hpp"

namespace rb2::mpi {
namespace {

int alltoall(const char* function, const void* sendbuf, Elements out, void* recvbuf, Elements in,
             MPI_Comm comm) {
    Call call(function, comm);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const std::size_t block = call.check_buffer(recvbuf, in.count, in.datatype);
    const std::size_t bytes = in_place ? block : call.check_buffer(sendbuf, out.count, out.datatype);
    call.check_fits(bytes, block);
    if (!call.good()) return call.error();
    pt2pt::Communicator& communicator = call.communicator();
    const std::size_t total = block * static_cast<std::size_t>(communicator.size());
    const std::span<std::byte> all = bytes_at(recvbuf, total);
    if (!in_place) return call.result(collective::alltoall(communicator, bytes_at(sendbuf, total), all));
    const std::vector<std::byte> copy_of_all(all.begin(), all.end());
    return call.result(collective::alltoall(communicator, copy_of_all, all));
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Alltoall, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return alltoall("MPI_Alltoall", sendbuf, {sendcount, sendtype}, recvbuf, {recvcount, recvtype}, comm);
}
RB2_MPI_DEFINE(int, Alltoall_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return alltoall("MPI_Alltoall_c", sendbuf, {sendcount, sendtype}, recvbuf, {recvcount, recvtype}, comm);
}
