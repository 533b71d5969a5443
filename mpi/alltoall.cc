// Alltoall.

#include "mpi/collective_call.hpp"
#include "mpi/define.hpp"
#include "mpi/inter_collective.hpp"
#include "pt2pt/collective/blocks.hpp"

namespace rb2::mpi {
namespace {

int alltoall(const char* function, const void* sendbuf, Elements out, void* recvbuf, Elements in,
             MPI_Comm comm) {
    if (Comm* const inter = find_inter(comm); inter != nullptr) [[unlikely]]
        return inter::exchange(function, *inter,
                               inter::equal_parts(*inter, {sendbuf, out.count, out.datatype}),
                               inter::equal_parts(*inter, {recvbuf, in.count, in.datatype}));
    Call call(function, comm);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const std::size_t block = call.check_equal(sendbuf, out, recvbuf, in).block;
    if (!call.good()) return call.error();
    pt2pt::Communicator& communicator = call.communicator();
    const std::size_t total = block * static_cast<std::size_t>(communicator.size());
    const std::span<std::byte> all = bytes_at(recvbuf, total);
    const std::span<const std::byte> given =
        in_place ? std::span<const std::byte>(all) : bytes_at(sendbuf, total);
    return call.result(collective::alltoall(communicator, given, all));
}

/// One block per rank of the communicator, as the user gave it.
template <class Count, class Offset>
struct Elementsv {
    const Count* counts;
    const Offset* displs;
    MPI_Datatype datatype;
};

template <class Count, class Offset>
int alltoallv(const char* function, const void* sendbuf, Elementsv<Count, Offset> out, void* recvbuf,
              Elementsv<Count, Offset> in, MPI_Comm comm) {
    if (Comm* const inter = find_inter(comm); inter != nullptr) [[unlikely]]
        return inter::exchange(function, *inter,
                               inter::uneven_parts(*inter, sendbuf, out.counts, out.displs, out.datatype),
                               inter::uneven_parts(*inter, recvbuf, in.counts, in.displs, in.datatype));
    Call call(function, comm);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const auto in_blocks = call.check_blocks(recvbuf, in.counts, in.displs, in.datatype);
    const auto out_blocks =
        in_place ? std::vector<Block>() : call.check_blocks(sendbuf, out.counts, out.displs, out.datatype);
    if (!call.good()) return call.error();
    pt2pt::Communicator& communicator = call.communicator();
    const auto own = static_cast<std::size_t>(communicator.rank());
    auto* const to = static_cast<std::byte*>(recvbuf);
    if (in_place) return call.result(collective::alltoallv_in_place(communicator, to, in_blocks));
    call.check_fits(out_blocks[own].bytes, in_blocks[own].bytes);
    if (!call.good()) return call.error();
    return call.result(collective::alltoallv(communicator, static_cast<const std::byte*>(sendbuf), out_blocks,
                                             to, in_blocks));
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
RB2_MPI_DEFINE(int, Alltoallv, const void* sendbuf, const int sendcounts[], const int sdispls[],
               MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
               MPI_Datatype recvtype, MPI_Comm comm) {
    return alltoallv<int, int>("MPI_Alltoallv", sendbuf, {sendcounts, sdispls, sendtype}, recvbuf,
                               {recvcounts, rdispls, recvtype}, comm);
}
RB2_MPI_DEFINE(int, Alltoallv_c, const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
               MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
               MPI_Datatype recvtype, MPI_Comm comm) {
    return alltoallv<MPI_Count, MPI_Aint>("MPI_Alltoallv_c", sendbuf, {sendcounts, sdispls, sendtype},
                                          recvbuf, {recvcounts, rdispls, recvtype}, comm);
}
