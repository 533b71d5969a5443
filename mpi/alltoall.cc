// Alltoall.

#include "mpi/collective_call.hpp"
#include "mpi/define.hpp"
#include "pt2pt/collective/blocks.hpp"

namespace rb2::mpi {
namespace {

int alltoall(const char* function, const void* sendbuf, Elements out, void* recvbuf, Elements in,
             MPI_Comm comm) {
    Staging staging(function, comm);
    staging.input(sendbuf, out.count, out.datatype, staging.size());
    staging.output(recvbuf, in.count, in.datatype, sendbuf == MPI_IN_PLACE ? Fill::data : Fill::nothing,
                   staging.size());
    if (!staging.good()) return staging.error();
    Call call(function, comm);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const std::size_t block = call.check_equal(sendbuf, out, recvbuf, in).block;
    if (!call.good()) return call.error();
    pt2pt::Communicator& communicator = call.communicator();
    const std::size_t total = block * static_cast<std::size_t>(communicator.size());
    const std::span<std::byte> all = bytes_at(recvbuf, total);
    const std::span<const std::byte> given =
        in_place ? std::span<const std::byte>(all) : bytes_at(sendbuf, total);
    return staging.finish(call.result(collective::alltoall(communicator, given, all)));
}

/// One block per rank of the communicator, as the user gave it.
template <class Count, class Offset>
struct Elementsv {
    const Count* counts;
    const Offset* displs;
    MPI_Datatype datatype;
};

Elementsv<MPI_Count, MPI_Aint> bytes_of(const PackedBlocks& blocks) {
    return {blocks.counts.data(), blocks.displacements.data(), MPI_BYTE};
}

template <class Out, class In>
int alltoallv(const char* function, const void* sendbuf, Out out, void* recvbuf, In in, MPI_Comm comm) {
    Staging staging(function, comm);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const auto packed_in = staging.output_blocks(recvbuf, in.counts, in.displs, in.datatype,
                                                 in_place ? Fill::data : Fill::nothing);
    if (packed_in)
        return staging.finish(
            alltoallv(function, sendbuf, out, packed_in->buffer, bytes_of(*packed_in), comm));
    const auto packed_out = staging.input_blocks(sendbuf, out.counts, out.displs, out.datatype);
    if (!staging.good()) return staging.error();
    if (packed_out) return alltoallv(function, packed_out->buffer, bytes_of(*packed_out), recvbuf, in, comm);
    Call call(function, comm);
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
    return alltoallv("MPI_Alltoallv", sendbuf, Elementsv<int, int>{sendcounts, sdispls, sendtype}, recvbuf,
                     Elementsv<int, int>{recvcounts, rdispls, recvtype}, comm);
}
RB2_MPI_DEFINE(int, Alltoallv_c, const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
               MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
               MPI_Datatype recvtype, MPI_Comm comm) {
    return alltoallv("MPI_Alltoallv_c", sendbuf,
                     Elementsv<MPI_Count, MPI_Aint>{sendcounts, sdispls, sendtype}, recvbuf,
                     Elementsv<MPI_Count, MPI_Aint>{recvcounts, rdispls, recvtype}, comm);
}
