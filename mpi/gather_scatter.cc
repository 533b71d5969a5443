// Gather and scatter.

#include "mpi/collective_call.hpp"
#include "mpi/define.hpp"
#include "mpi/inter_collective.hpp"
#include "pt2pt/collective/blocks.hpp"

namespace rb2::mpi {
namespace {

/// Blocks of the communicator's ranks at the root, none elsewhere.
std::vector<Block> blocks_at_root(const Call& call, bool at_root, std::size_t block) {
    return collective::equal_blocks(block, at_root ? call.size() : 0);
}

int gather_blocks(Call& call, const void* sendbuf, std::size_t bytes, void* recvbuf,
                  std::span<const Block> blocks, int root) {
    const bool in_place = sendbuf == MPI_IN_PLACE;
    return call.perform([&](auto& steps) {
        collective::gather(steps, in_place ? std::span<const std::byte>() : bytes_at(sendbuf, bytes),
                           static_cast<std::byte*>(recvbuf), blocks, root);
    });
}

int gather(const Invocation& invocation, const void* sendbuf, Elements out, void* recvbuf, Elements in,
           int root) {
    if (is_inter(invocation)) [[unlikely]]
        return inter::gather(invocation, sendbuf, out, recvbuf, EqualParts{in}, root);
    Call call(invocation);
    call.check_root(root);
    const bool at_root = call.is(root);
    const bool in_place = at_root && sendbuf == MPI_IN_PLACE;
    const std::size_t bytes = in_place ? 0 : call.take_input(sendbuf, out);
    std::size_t block = 0;
    if (at_root) block = call.take_output(recvbuf, in, in_place ? Use::both : Use::output, call.size());
    if (at_root) call.check_fits(bytes, block);
    return gather_blocks(call, sendbuf, bytes, recvbuf, blocks_at_root(call, at_root, block), root);
}

template <class Count, class Offset>
int gatherv(const Invocation& invocation, const void* sendbuf, Elements out, void* recvbuf,
            const Count* recvcounts, const Offset* displs, MPI_Datatype recvtype, int root) {
    if (is_inter(invocation)) [[unlikely]]
        return inter::gather(invocation, sendbuf, out, recvbuf, Parts{recvcounts, displs, recvtype}, root);
    Call call(invocation);
    call.check_root(root);
    const bool at_root = call.is(root);
    const bool in_place = at_root && sendbuf == MPI_IN_PLACE;
    const std::size_t bytes = in_place ? 0 : call.take_input(sendbuf, out);
    std::vector<Block> blocks;
    if (at_root)
        blocks = call.take_blocks(recvbuf, static_cast<std::size_t>(call.size()), recvcounts, displs,
                                  recvtype, in_place ? Use::both : Use::output);
    if (at_root && call.good()) call.check_fits(bytes, blocks[static_cast<std::size_t>(root)].bytes);
    return gather_blocks(call, sendbuf, bytes, recvbuf, blocks, root);
}

int scatter_blocks(Call& call, const void* sendbuf, std::span<const Block> blocks, void* recvbuf,
                   std::size_t room, int root) {
    const bool in_place = recvbuf == MPI_IN_PLACE;
    return call.perform([&](auto& steps) {
        collective::scatter(steps, static_cast<const std::byte*>(sendbuf), blocks,
                            in_place ? std::span<std::byte>() : bytes_at(recvbuf, room), root);
    });
}

int scatter(const Invocation& invocation, const void* sendbuf, Elements out, void* recvbuf, Elements in,
            int root) {
    if (is_inter(invocation)) [[unlikely]]
        return inter::scatter(invocation, sendbuf, EqualParts{out}, recvbuf, in, root);
    Call call(invocation);
    call.check_root(root);
    const bool at_root = call.is(root);
    const bool in_place = at_root && recvbuf == MPI_IN_PLACE;
    const std::size_t room = in_place ? 0 : call.take_output(recvbuf, in);
    const std::size_t block = at_root ? call.take_input(sendbuf, out, call.size()) : 0;
    if (at_root && !in_place) call.check_fits(block, room);
    return scatter_blocks(call, sendbuf, blocks_at_root(call, at_root, block), recvbuf, room, root);
}

template <class Count, class Offset>
int scatterv(const Invocation& invocation, const void* sendbuf, const Count* sendcounts, const Offset* displs,
             MPI_Datatype sendtype, void* recvbuf, Elements in, int root) {
    if (is_inter(invocation)) [[unlikely]]
        return inter::scatter(invocation, sendbuf, Parts{sendcounts, displs, sendtype}, recvbuf, in, root);
    Call call(invocation);
    call.check_root(root);
    const bool at_root = call.is(root);
    const bool in_place = at_root && recvbuf == MPI_IN_PLACE;
    const std::size_t room = in_place ? 0 : call.take_output(recvbuf, in);
    std::vector<Block> blocks;
    if (at_root)
        blocks = call.take_blocks(const_cast<void*&>(sendbuf), static_cast<std::size_t>(call.size()),
                                  sendcounts, displs, sendtype, Use::input);
    if (at_root && !in_place && call.good())
        call.check_fits(blocks[static_cast<std::size_t>(root)].bytes, room);
    return scatter_blocks(call, sendbuf, blocks, recvbuf, room, root);
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Gather, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    return gather(blocking("MPI_Gather", comm), sendbuf, {sendcount, sendtype}, recvbuf,
                  {recvcount, recvtype}, root);
}
RB2_MPI_DEFINE(int, Gather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    return gather(blocking("MPI_Gather_c", comm), sendbuf, {sendcount, sendtype}, recvbuf,
                  {recvcount, recvtype}, root);
}
RB2_MPI_DEFINE(int, Igather, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
    return gather(nonblocking("MPI_Igather", comm, request), sendbuf, {sendcount, sendtype}, recvbuf,
                  {recvcount, recvtype}, root);
}
RB2_MPI_DEFINE(int, Igather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
    return gather(nonblocking("MPI_Igather_c", comm, request), sendbuf, {sendcount, sendtype}, recvbuf,
                  {recvcount, recvtype}, root);
}
RB2_MPI_DEFINE(int, Gather_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
               MPI_Request* request) {
    return gather(persistent("MPI_Gather_init", comm, info, request), sendbuf, {sendcount, sendtype}, recvbuf,
                  {recvcount, recvtype}, root);
}
RB2_MPI_DEFINE(int, Gather_init_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
               MPI_Info info, MPI_Request* request) {
    return gather(persistent("MPI_Gather_init_c", comm, info, request), sendbuf, {sendcount, sendtype},
                  recvbuf, {recvcount, recvtype}, root);
}

RB2_MPI_DEFINE(int, Gatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
    return gatherv(blocking("MPI_Gatherv", comm), sendbuf, {sendcount, sendtype}, recvbuf, recvcounts, displs,
                   recvtype, root);
}
RB2_MPI_DEFINE(int, Gatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
               MPI_Comm comm) {
    return gatherv(blocking("MPI_Gatherv_c", comm), sendbuf, {sendcount, sendtype}, recvbuf, recvcounts,
                   displs, recvtype, root);
}
RB2_MPI_DEFINE(int, Igatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
               MPI_Request* request) {
    return gatherv(nonblocking("MPI_Igatherv", comm, request), sendbuf, {sendcount, sendtype}, recvbuf,
                   recvcounts, displs, recvtype, root);
}
RB2_MPI_DEFINE(int, Igatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
               int root, MPI_Comm comm, MPI_Request* request) {
    return gatherv(nonblocking("MPI_Igatherv_c", comm, request), sendbuf, {sendcount, sendtype}, recvbuf,
                   recvcounts, displs, recvtype, root);
}
RB2_MPI_DEFINE(int, Gatherv_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
               MPI_Info info, MPI_Request* request) {
    return gatherv(persistent("MPI_Gatherv_init", comm, info, request), sendbuf, {sendcount, sendtype},
                   recvbuf, recvcounts, displs, recvtype, root);
}
RB2_MPI_DEFINE(int, Gatherv_init_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
               int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return gatherv(persistent("MPI_Gatherv_init_c", comm, info, request), sendbuf, {sendcount, sendtype},
                   recvbuf, recvcounts, displs, recvtype, root);
}

RB2_MPI_DEFINE(int, Scatter, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    return scatter(blocking("MPI_Scatter", comm), sendbuf, {sendcount, sendtype}, recvbuf,
                   {recvcount, recvtype}, root);
}
RB2_MPI_DEFINE(int, Scatter_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    return scatter(blocking("MPI_Scatter_c", comm), sendbuf, {sendcount, sendtype}, recvbuf,
                   {recvcount, recvtype}, root);
}
RB2_MPI_DEFINE(int, Iscatter, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
    return scatter(nonblocking("MPI_Iscatter", comm, request), sendbuf, {sendcount, sendtype}, recvbuf,
                   {recvcount, recvtype}, root);
}
RB2_MPI_DEFINE(int, Iscatter_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
               MPI_Request* request) {
    return scatter(nonblocking("MPI_Iscatter_c", comm, request), sendbuf, {sendcount, sendtype}, recvbuf,
                   {recvcount, recvtype}, root);
}
RB2_MPI_DEFINE(int, Scatter_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
               MPI_Request* request) {
    return scatter(persistent("MPI_Scatter_init", comm, info, request), sendbuf, {sendcount, sendtype},
                   recvbuf, {recvcount, recvtype}, root);
}
RB2_MPI_DEFINE(int, Scatter_init_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
               MPI_Info info, MPI_Request* request) {
    return scatter(persistent("MPI_Scatter_init_c", comm, info, request), sendbuf, {sendcount, sendtype},
                   recvbuf, {recvcount, recvtype}, root);
}

RB2_MPI_DEFINE(int, Scatterv, const void* sendbuf, const int sendcounts[], const int displs[],
               MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
               MPI_Comm comm) {
    return scatterv(blocking("MPI_Scatterv", comm), sendbuf, sendcounts, displs, sendtype, recvbuf,
                    {recvcount, recvtype}, root);
}
RB2_MPI_DEFINE(int, Scatterv_c, const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
               MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
               MPI_Comm comm) {
    return scatterv(blocking("MPI_Scatterv_c", comm), sendbuf, sendcounts, displs, sendtype, recvbuf,
                    {recvcount, recvtype}, root);
}
RB2_MPI_DEFINE(int, Iscatterv, const void* sendbuf, const int sendcounts[], const int displs[],
               MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
               MPI_Comm comm, MPI_Request* request) {
    return scatterv(nonblocking("MPI_Iscatterv", comm, request), sendbuf, sendcounts, displs, sendtype,
                    recvbuf, {recvcount, recvtype}, root);
}
RB2_MPI_DEFINE(int, Iscatterv_c, const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
               MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
               MPI_Comm comm, MPI_Request* request) {
    return scatterv(nonblocking("MPI_Iscatterv_c", comm, request), sendbuf, sendcounts, displs, sendtype,
                    recvbuf, {recvcount, recvtype}, root);
}
RB2_MPI_DEFINE(int, Scatterv_init, const void* sendbuf, const int sendcounts[], const int displs[],
               MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
               MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return scatterv(persistent("MPI_Scatterv_init", comm, info, request), sendbuf, sendcounts, displs,
                    sendtype, recvbuf, {recvcount, recvtype}, root);
}
RB2_MPI_DEFINE(int, Scatterv_init_c, const void* sendbuf, const MPI_Count sendcounts[],
               const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
               MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return scatterv(persistent("MPI_Scatterv_init_c", comm, info, request), sendbuf, sendcounts, displs,
                    sendtype, recvbuf, {recvcount, recvtype}, root);
}
