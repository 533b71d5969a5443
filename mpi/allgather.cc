// Allgather.

#include "mpi/collective_call.hpp"
#include "mpi/define.hpp"
#include "mpi/inter_collective.hpp"

namespace rb2::mpi {
namespace {

int allgather(const Invocation& invocation, const void* sendbuf, Elements out, void* recvbuf, Elements in) {
    if (is_inter(invocation)) [[unlikely]]
        return inter::exchange(invocation, sendbuf, SameForAll{out}, recvbuf, EqualParts{in});
    Call call(invocation);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const auto [bytes, block] = call.take_equal(sendbuf, out, 1, recvbuf, in);
    return call.perform([&, bytes = bytes, block = block](auto& steps) {
        const auto size = static_cast<std::size_t>(steps.size());
        const std::span<std::byte> all = bytes_at(recvbuf, block * size);
        std::byte* const own = all.data() + static_cast<std::size_t>(steps.rank()) * block;
        if (!in_place) steps.copy(bytes_at(sendbuf, bytes), own);
        collective::allgather(steps, all);
    });
}

template <class Count, class Offset>
int allgatherv(const Invocation& invocation, const void* sendbuf, Elements out, void* recvbuf,
               const Count* recvcounts, const Offset* displs, MPI_Datatype recvtype) {
    if (is_inter(invocation)) [[unlikely]]
        return inter::exchange(invocation, sendbuf, SameForAll{out}, recvbuf,
                               Parts{recvcounts, displs, recvtype});
    Call call(invocation);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const auto size = static_cast<std::size_t>(call.size());
    const std::vector<Block> blocks =
        call.take_blocks(recvbuf, size, recvcounts, displs, recvtype, in_place ? Use::both : Use::output);
    const std::size_t bytes = in_place ? 0 : call.take_input(sendbuf, out);
    if (!call.good()) return call.error();
    const Block& own = blocks[static_cast<std::size_t>(call.communicator().rank())];
    call.check_fits(bytes, own.bytes);
    return call.perform([&](auto& steps) {
        auto* const all = static_cast<std::byte*>(recvbuf);
        if (!in_place) steps.copy(bytes_at(sendbuf, bytes), all + own.offset);
        collective::allgatherv(steps, all, blocks);
    });
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Allgather, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return allgather(blocking("MPI_Allgather", comm), sendbuf, {sendcount, sendtype}, recvbuf,
                     {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Allgather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return allgather(blocking("MPI_Allgather_c", comm), sendbuf, {sendcount, sendtype}, recvbuf,
                     {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Iallgather, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    return allgather(nonblocking("MPI_Iallgather", comm, request), sendbuf, {sendcount, sendtype}, recvbuf,
                     {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Iallgather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
               MPI_Request* request) {
    return allgather(nonblocking("MPI_Iallgather_c", comm, request), sendbuf, {sendcount, sendtype}, recvbuf,
                     {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Allgather_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return allgather(persistent("MPI_Allgather_init", comm, info, request), sendbuf, {sendcount, sendtype},
                     recvbuf, {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Allgather_init_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
               MPI_Request* request) {
    return allgather(persistent("MPI_Allgather_init_c", comm, info, request), sendbuf, {sendcount, sendtype},
                     recvbuf, {recvcount, recvtype});
}

RB2_MPI_DEFINE(int, Allgatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
    return allgatherv(blocking("MPI_Allgatherv", comm), sendbuf, {sendcount, sendtype}, recvbuf, recvcounts,
                      displs, recvtype);
}
RB2_MPI_DEFINE(int, Allgatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
               MPI_Comm comm) {
    return allgatherv(blocking("MPI_Allgatherv_c", comm), sendbuf, {sendcount, sendtype}, recvbuf, recvcounts,
                      displs, recvtype);
}
RB2_MPI_DEFINE(int, Iallgatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
               MPI_Request* request) {
    return allgatherv(nonblocking("MPI_Iallgatherv", comm, request), sendbuf, {sendcount, sendtype}, recvbuf,
                      recvcounts, displs, recvtype);
}
RB2_MPI_DEFINE(int, Iallgatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
               MPI_Comm comm, MPI_Request* request) {
    return allgatherv(nonblocking("MPI_Iallgatherv_c", comm, request), sendbuf, {sendcount, sendtype},
                      recvbuf, recvcounts, displs, recvtype);
}
RB2_MPI_DEFINE(int, Allgatherv_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
               MPI_Info info, MPI_Request* request) {
    return allgatherv(persistent("MPI_Allgatherv_init", comm, info, request), sendbuf, {sendcount, sendtype},
                      recvbuf, recvcounts, displs, recvtype);
}
RB2_MPI_DEFINE(int, Allgatherv_init_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
               MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return allgatherv(persistent("MPI_Allgatherv_init_c", comm, info, request), sendbuf,
                      {sendcount, sendtype}, recvbuf, recvcounts, displs, recvtype);
}
