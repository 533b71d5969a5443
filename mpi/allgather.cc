// Allgather.

#include "mpi/collective_call.hpp"
#include "mpi/define.hpp"
#include "pt2pt/collective/blocks.hpp"

namespace rb2::mpi {
namespace {

int allgather(const char* function, const void* sendbuf, Elements out, void* recvbuf, Elements in,
              MPI_Comm comm) {
    Call call(function, comm);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const std::size_t block = call.check_buffer(recvbuf, in.count, in.datatype);
    const std::size_t bytes = in_place ? block : call.check_buffer(sendbuf, out.count, out.datatype);
    call.check_fits(bytes, block);
    if (!call.good()) return call.error();
    pt2pt::Communicator& communicator = call.communicator();
    const auto size = static_cast<std::size_t>(communicator.size());
    const std::span<std::byte> all = bytes_at(recvbuf, block * size);
    if (!in_place) copy(all.data() + static_cast<std::size_t>(communicator.rank()) * block, sendbuf, bytes);
    return call.result(collective::allgather(communicator, all));
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Allgather, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return allgather("MPI_Allgather", sendbuf, {sendcount, sendtype}, recvbuf, {recvcount, recvtype}, comm);
}
RB2_MPI_DEFINE(int, Allgather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return allgather("MPI_Allgather_c", sendbuf, {sendcount, sendtype}, recvbuf, {recvcount, recvtype}, comm);
}
