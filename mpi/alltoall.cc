// Alltoall.

#include "mpi/collective_call.hpp"
#include "mpi/define.hpp"
#include "mpi/inter_collective.hpp"
#include "mpi/parts.hpp"

namespace rb2::mpi {
namespace {

int alltoall(const Invocation& invocation, const void* sendbuf, Elements out, void* recvbuf, Elements in) {
    if (is_inter(invocation)) [[unlikely]]
        return inter::exchange(invocation, sendbuf, EqualParts{out}, recvbuf, EqualParts{in});
    Call call(invocation);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const auto [given, block] = call.take_equal(sendbuf, out, call.size(), recvbuf, in);
    call.check_same(given, block);
    return call.perform([&, block = block](auto& steps) {
        const std::size_t total = block * static_cast<std::size_t>(steps.size());
        const std::span<std::byte> all = bytes_at(recvbuf, total);
        collective::alltoall(steps, in_place ? std::span<const std::byte>(all) : bytes_at(sendbuf, total),
                             all);
    });
}

template <class Blocks>
int alltoallv(const Invocation& invocation, const void* sendbuf, const Blocks& out, void* recvbuf,
              const Blocks& in) {
    if (is_inter(invocation)) [[unlikely]]
        return inter::exchange(invocation, sendbuf, out, recvbuf, in);
    Call call(invocation);
    if (!call.good()) return call.error();
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const auto ranks = static_cast<std::size_t>(call.size());
    const auto own = static_cast<std::size_t>(call.communicator().rank());
    const std::vector<Block> in_blocks =
        in.take_output(call, recvbuf, ranks, in_place ? Use::both : Use::output);
    const std::vector<Block> out_blocks =
        in_place ? std::vector<Block>() : out.take_input(call, sendbuf, ranks);
    if (call.good() && !in_place) call.check_fits(out_blocks[own].bytes, in_blocks[own].bytes);
    return call.perform([&](auto& steps) {
        auto* const to = static_cast<std::byte*>(recvbuf);
        if (in_place)
            collective::alltoallv_in_place(steps, to, in_blocks);
        else
            collective::alltoallv(steps, static_cast<const std::byte*>(sendbuf), out_blocks, to, in_blocks);
    });
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Alltoall, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return alltoall(blocking("MPI_Alltoall", comm), sendbuf, {sendcount, sendtype}, recvbuf,
                    {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Alltoall_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return alltoall(blocking("MPI_Alltoall_c", comm), sendbuf, {sendcount, sendtype}, recvbuf,
                    {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Ialltoall, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    return alltoall(nonblocking("MPI_Ialltoall", comm, request), sendbuf, {sendcount, sendtype}, recvbuf,
                    {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Ialltoall_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
               MPI_Request* request) {
    return alltoall(nonblocking("MPI_Ialltoall_c", comm, request), sendbuf, {sendcount, sendtype}, recvbuf,
                    {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Alltoall_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return alltoall(persistent("MPI_Alltoall_init", comm, info, request), sendbuf, {sendcount, sendtype},
                    recvbuf, {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Alltoall_init_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
               MPI_Request* request) {
    return alltoall(persistent("MPI_Alltoall_init_c", comm, info, request), sendbuf, {sendcount, sendtype},
                    recvbuf, {recvcount, recvtype});
}

RB2_MPI_DEFINE(int, Alltoallv, const void* sendbuf, const int sendcounts[], const int sdispls[],
               MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
               MPI_Datatype recvtype, MPI_Comm comm) {
    return alltoallv(blocking("MPI_Alltoallv", comm), sendbuf, Parts{sendcounts, sdispls, sendtype}, recvbuf,
                     Parts{recvcounts, rdispls, recvtype});
}
RB2_MPI_DEFINE(int, Alltoallv_c, const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
               MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
               MPI_Datatype recvtype, MPI_Comm comm) {
    return alltoallv(blocking("MPI_Alltoallv_c", comm), sendbuf, Parts{sendcounts, sdispls, sendtype},
                     recvbuf, Parts{recvcounts, rdispls, recvtype});
}
RB2_MPI_DEFINE(int, Ialltoallv, const void* sendbuf, const int sendcounts[], const int sdispls[],
               MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
               MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    return alltoallv(nonblocking("MPI_Ialltoallv", comm, request), sendbuf,
                     Parts{sendcounts, sdispls, sendtype}, recvbuf, Parts{recvcounts, rdispls, recvtype});
}
RB2_MPI_DEFINE(int, Ialltoallv_c, const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
               MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
               MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    return alltoallv(nonblocking("MPI_Ialltoallv_c", comm, request), sendbuf,
                     Parts{sendcounts, sdispls, sendtype}, recvbuf, Parts{recvcounts, rdispls, recvtype});
}
RB2_MPI_DEFINE(int, Alltoallv_init, const void* sendbuf, const int sendcounts[], const int sdispls[],
               MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
               MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return alltoallv(persistent("MPI_Alltoallv_init", comm, info, request), sendbuf,
                     Parts{sendcounts, sdispls, sendtype}, recvbuf, Parts{recvcounts, rdispls, recvtype});
}
RB2_MPI_DEFINE(int, Alltoallv_init_c, const void* sendbuf, const MPI_Count sendcounts[],
               const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
               const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
               MPI_Request* request) {
    return alltoallv(persistent("MPI_Alltoallv_init_c", comm, info, request), sendbuf,
                     Parts{sendcounts, sdispls, sendtype}, recvbuf, Parts{recvcounts, rdispls, recvtype});
}

RB2_MPI_DEFINE(int, Alltoallw, const void* sendbuf, const int sendcounts[], const int sdispls[],
               const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
               const MPI_Datatype recvtypes[], MPI_Comm comm) {
    return alltoallv(blocking("MPI_Alltoallw", comm), sendbuf, TypedParts{sendcounts, sdispls, sendtypes},
                     recvbuf, TypedParts{recvcounts, rdispls, recvtypes});
}
RB2_MPI_DEFINE(int, Alltoallw_c, const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
               const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
               const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    return alltoallv(blocking("MPI_Alltoallw_c", comm), sendbuf, TypedParts{sendcounts, sdispls, sendtypes},
                     recvbuf, TypedParts{recvcounts, rdispls, recvtypes});
}
RB2_MPI_DEFINE(int, Ialltoallw, const void* sendbuf, const int sendcounts[], const int sdispls[],
               const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
               const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request) {
    return alltoallv(nonblocking("MPI_Ialltoallw", comm, request), sendbuf,
                     TypedParts{sendcounts, sdispls, sendtypes}, recvbuf,
                     TypedParts{recvcounts, rdispls, recvtypes});
}
RB2_MPI_DEFINE(int, Ialltoallw_c, const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
               const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
               const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
               MPI_Request* request) {
    return alltoallv(nonblocking("MPI_Ialltoallw_c", comm, request), sendbuf,
                     TypedParts{sendcounts, sdispls, sendtypes}, recvbuf,
                     TypedParts{recvcounts, rdispls, recvtypes});
}
RB2_MPI_DEFINE(int, Alltoallw_init, const void* sendbuf, const int sendcounts[], const int sdispls[],
               const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
               const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return alltoallv(persistent("MPI_Alltoallw_init", comm, info, request), sendbuf,
                     TypedParts{sendcounts, sdispls, sendtypes}, recvbuf,
                     TypedParts{recvcounts, rdispls, recvtypes});
}
RB2_MPI_DEFINE(int, Alltoallw_init_c, const void* sendbuf, const MPI_Count sendcounts[],
               const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
               const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
               MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return alltoallv(persistent("MPI_Alltoallw_init_c", comm, info, request), sendbuf,
                     TypedParts{sendcounts, sdispls, sendtypes}, recvbuf,
                     TypedParts{recvcounts, rdispls, recvtypes});
}
