// Gather and scatter.

#include "mpi/collective_call.hpp"
#include "mpi/define.hpp"
#include "mpi/inter_collective.hpp"
#include "pt2pt/collective/blocks.hpp"

namespace rb2::mpi {
namespace {

int gather(const char* function, const void* sendbuf, Elements out, void* recvbuf, Elements in, int root,
           MPI_Comm comm) {
    if (Comm* const inter = find_inter(comm); inter != nullptr) [[unlikely]]
        return inter::gather(
            function, *inter, {sendbuf, out.count, out.datatype},
            root == MPI_ROOT ? inter::equal_parts(*inter, {recvbuf, in.count, in.datatype}) : inter::Parts(),
            root);
    Call call(function, comm);
    call.check_root(root);
    const bool at_root = call.good() && call.is(root);
    const bool in_place = at_root && sendbuf == MPI_IN_PLACE;
    const std::size_t bytes = in_place ? 0 : call.check_buffer(sendbuf, out.count, out.datatype);
    const std::size_t block = at_root ? call.check_buffer(recvbuf, in.count, in.datatype) : 0;
    if (at_root) call.check_fits(bytes, block);
    if (!call.good()) return call.error();
    const auto blocks = collective::equal_blocks(block, at_root ? call.communicator().size() : 0);
    return call.result(collective::gather(call.communicator(),
                                          in_place ? std::span<const std::byte>() : bytes_at(sendbuf, bytes),
                                          static_cast<std::byte*>(recvbuf), blocks, root));
}

template <class Count, class Offset>
int gatherv(const char* function, const void* sendbuf, Elements out, void* recvbuf, const Count* recvcounts,
            const Offset* displs, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    if (Comm* const inter = find_inter(comm); inter != nullptr) [[unlikely]]
        return inter::gather(function, *inter, {sendbuf, out.count, out.datatype},
                             root == MPI_ROOT
                                 ? inter::uneven_parts(*inter, recvbuf, recvcounts, displs, recvtype)
                                 : inter::Parts(),
                             root);
    Call call(function, comm);
    call.check_root(root);
    const bool at_root = call.good() && call.is(root);
    const bool in_place = at_root && sendbuf == MPI_IN_PLACE;
    const std::size_t bytes = in_place ? 0 : call.check_buffer(sendbuf, out.count, out.datatype);
    const std::vector<Block> blocks =
        at_root ? call.check_blocks(recvbuf, recvcounts, displs, recvtype) : std::vector<Block>();
    if (at_root && call.good()) call.check_fits(bytes, blocks[static_cast<std::size_t>(root)].bytes);
    if (!call.good()) return call.error();
    return call.result(collective::gather(call.communicator(),
                                          in_place ? std::span<const std::byte>() : bytes_at(sendbuf, bytes),
                                          static_cast<std::byte*>(recvbuf), blocks, root));
}

int scatter(const char* function, const void* sendbuf, Elements out, void* recvbuf, Elements in, int root,
            MPI_Comm comm) {
    if (Comm* const inter = find_inter(comm); inter != nullptr) [[unlikely]]
        return inter::scatter(function, *inter,
                              root == MPI_ROOT
                                  ? inter::equal_parts(*inter, {sendbuf, out.count, out.datatype})
                                  : inter::Parts(),
                              {recvbuf, in.count, in.datatype}, root);
    Call call(function, comm);
    call.check_root(root);
    const bool at_root = call.good() && call.is(root);
    const bool in_place = at_root && recvbuf == MPI_IN_PLACE;
    const std::size_t room = in_place ? 0 : call.check_buffer(recvbuf, in.count, in.datatype);
    const std::size_t block = at_root ? call.check_buffer(sendbuf, out.count, out.datatype) : 0;
    if (at_root && !in_place) call.check_fits(block, room);
    if (!call.good()) return call.error();
    const auto blocks = collective::equal_blocks(block, at_root ? call.communicator().size() : 0);
    return call.result(
        collective::scatter(call.communicator(), static_cast<const std::byte*>(sendbuf), blocks,
                            in_place ? std::span<std::byte>() : bytes_at(recvbuf, room), root));
}

template <class Count, class Offset>
int scatterv(const char* function, const void* sendbuf, const Count* sendcounts, const Offset* displs,
             MPI_Datatype sendtype, void* recvbuf, Elements in, int root, MPI_Comm comm) {
    if (Comm* const inter = find_inter(comm); inter != nullptr) [[unlikely]]
        return inter::scatter(function, *inter,
                              root == MPI_ROOT
                                  ? inter::uneven_parts(*inter, sendbuf, sendcounts, displs, sendtype)
                                  : inter::Parts(),
                              {recvbuf, in.count, in.datatype}, root);
    Call call(function, comm);
    call.check_root(root);
    const bool at_root = call.good() && call.is(root);
    const bool in_place = at_root && recvbuf == MPI_IN_PLACE;
    const std::size_t room = in_place ? 0 : call.check_buffer(recvbuf, in.count, in.datatype);
    const std::vector<Block> blocks =
        at_root ? call.check_blocks(sendbuf, sendcounts, displs, sendtype) : std::vector<Block>();
    if (at_root && !in_place && call.good())
        call.check_fits(blocks[static_cast<std::size_t>(root)].bytes, room);
    if (!call.good()) return call.error();
    return call.result(
        collective::scatter(call.communicator(), static_cast<const std::byte*>(sendbuf), blocks,
                            in_place ? std::span<std::byte>() : bytes_at(recvbuf, room), root));
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Gather, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    return gather("MPI_Gather", sendbuf, {sendcount, sendtype}, recvbuf, {recvcount, recvtype}, root, comm);
}
RB2_MPI_DEFINE(int, Gather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    return gather("MPI_Gather_c", sendbuf, {sendcount, sendtype}, recvbuf, {recvcount, recvtype}, root, comm);
}
RB2_MPI_DEFINE(int, Gatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
    return gatherv("MPI_Gatherv", sendbuf, {sendcount, sendtype}, recvbuf, recvcounts, displs, recvtype, root,
                   comm);
}
RB2_MPI_DEFINE(int, Gatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
               MPI_Comm comm) {
    return gatherv("MPI_Gatherv_c", sendbuf, {sendcount, sendtype}, recvbuf, recvcounts, displs, recvtype,
                   root, comm);
}
RB2_MPI_DEFINE(int, Scatter, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    return scatter("MPI_Scatter", sendbuf, {sendcount, sendtype}, recvbuf, {recvcount, recvtype}, root, comm);
}
RB2_MPI_DEFINE(int, Scatter_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    return scatter("MPI_Scatter_c", sendbuf, {sendcount, sendtype}, recvbuf, {recvcount, recvtype}, root,
                   comm);
}
RB2_MPI_DEFINE(int, Scatterv, const void* sendbuf, const int sendcounts[], const int displs[],
               MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
               MPI_Comm comm) {
    return scatterv("MPI_Scatterv", sendbuf, sendcounts, displs, sendtype, recvbuf, {recvcount, recvtype},
                    root, comm);
}
RB2_MPI_DEFINE(int, Scatterv_c, const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
               MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
               MPI_Comm comm) {
    return scatterv("MPI_Scatterv_c", sendbuf, sendcounts, displs, sendtype, recvbuf, {recvcount, recvtype},
                    root, comm);
}
