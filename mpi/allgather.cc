// Allgather.

#include "mpi/collective_call.hpp"
#include "mpi/define.hpp"
#include "mpi/inter_collective.hpp"
#include "pt2pt/collective/blocks.hpp"

namespace rb2::mpi {
namespace {

int allgather(const char* function, const void* sendbuf, Elements out, void* recvbuf, Elements in,
              MPI_Comm comm) {
    if (Comm* const inter = find_inter(comm); inter != nullptr) [[unlikely]]
        return inter::exchange(function, *inter,
                               inter::same_parts(*inter, {sendbuf, out.count, out.datatype}),
                               inter::equal_parts(*inter, {recvbuf, in.count, in.datatype}));
    Call call(function, comm);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const auto [bytes, block] = call.check_equal(sendbuf, out, recvbuf, in);
    if (!call.good()) return call.error();
    pt2pt::Communicator& communicator = call.communicator();
    const auto size = static_cast<std::size_t>(communicator.size());
    const std::span<std::byte> all = bytes_at(recvbuf, block * size);
    if (!in_place) copy(all.data() + static_cast<std::size_t>(communicator.rank()) * block, sendbuf, bytes);
    return call.result(collective::allgather(communicator, all));
}

template <class Count, class Offset>
int allgatherv(const char* function, const void* sendbuf, Elements out, void* recvbuf,
               const Count* recvcounts, const Offset* displs, MPI_Datatype recvtype, MPI_Comm comm) {
    if (Comm* const inter = find_inter(comm); inter != nullptr) [[unlikely]]
        return inter::exchange(function, *inter,
                               inter::same_parts(*inter, {sendbuf, out.count, out.datatype}),
                               inter::uneven_parts(*inter, recvbuf, recvcounts, displs, recvtype));
    Call call(function, comm);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const std::vector<Block> blocks = call.check_blocks(recvbuf, recvcounts, displs, recvtype);
    const std::size_t bytes = in_place ? 0 : call.check_buffer(sendbuf, out.count, out.datatype);
    if (!call.good()) return call.error();
    pt2pt::Communicator& communicator = call.communicator();
    const Block& own = blocks[static_cast<std::size_t>(communicator.rank())];
    call.check_fits(bytes, own.bytes);
    if (!call.good()) return call.error();
    auto* const all = static_cast<std::byte*>(recvbuf);
    copy(all + own.offset, sendbuf, bytes);
    return call.result(collective::allgatherv(communicator, all, blocks));
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
RB2_MPI_DEFINE(int, Allgatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
    return allgatherv("MPI_Allgatherv", sendbuf, {sendcount, sendtype}, recvbuf, recvcounts, displs, recvtype,
                      comm);
}
RB2_MPI_DEFINE(int, Allgatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
               MPI_Comm comm) {
    return allgatherv("MPI_Allgatherv_c", sendbuf, {sendcount, sendtype}, recvbuf, recvcounts, displs,
                      recvtype, comm);
}
