// Collectives among the neighbours of a topology (MPI 5.0, section 8.6).

#include "mpi/collective_call.hpp"
#include "mpi/define.hpp"
#include "mpi/parts.hpp"
#include "mpi/topology.hpp"

namespace rb2::mpi {
namespace {

using collective::Piece;

/// A call on a communicator that has a topology.
class NeighborCall : public Call {
  public:
    explicit NeighborCall(const Invocation& invocation) : Call(invocation) {
        if (!good()) return;
        auto around = neighborhood_of(comm());
        if (around)
            around_ = *std::move(around);
        else
            refuse(MPI_ERR_TOPOLOGY, "the communicator has no topology");
    }

    [[nodiscard]] std::size_t outdegree() const noexcept { return around_.destinations.size(); }
    [[nodiscard]] std::size_t indegree() const noexcept { return around_.sources.size(); }

    /// Block i of `out` goes to destination i, block i of `in` comes from source i.
    int exchange(const void* sendbuf, const std::vector<Block>& out, void* recvbuf,
                 const std::vector<Block>& in) {
        if (!good()) return error();
        const std::vector<Piece> sends = pieces(around_.destinations, out, 0);
        // What a neighbour sends down comes from above: with the same rank on both sides it comes first.
        const std::vector<Piece> receives = pieces(around_.sources, in, around_.grid ? 1 : 0);
        return perform([&](auto& steps) {
            collective::neighbor_exchange(steps, static_cast<const std::byte*>(sendbuf), sends,
                                          static_cast<std::byte*>(recvbuf), receives);
        });
    }

  private:
    /// In the order i ^ flip.
    static std::vector<Piece> pieces(const std::vector<int>& peers, const std::vector<Block>& blocks,
                                     std::size_t flip) {
        std::vector<Piece> all;
        for (std::size_t i = 0; i < peers.size(); ++i)
            if (const int peer = peers[i ^ flip]; peer != MPI_PROC_NULL)
                all.push_back({peer, blocks[i ^ flip]});
        return all;
    }

    Neighborhood around_;
};

/// `count` blocks of `bytes`, `step` bytes from one to the next.
std::vector<Block> stepping(std::size_t count, std::size_t bytes, std::size_t step) {
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < count; ++i) blocks.push_back({i * step, bytes});
    return blocks;
}
/// Blocks one behind the other.
std::vector<Block> row(std::size_t count, std::size_t bytes) { return stepping(count, bytes, bytes); }

/// Blocks from all sources. What none sends stays as it is.
std::vector<Block> take_row(NeighborCall& call, void*& buffer, Elements each) {
    const auto count = static_cast<int>(call.indegree());
    return row(call.indegree(), count == 0 ? 0 : call.take_output(buffer, each, Use::both, count));
}
/// The same block for every destination.
std::vector<Block> take_one(NeighborCall& call, const void*& buffer, Elements each) {
    return stepping(call.outdegree(), call.take_input(buffer, each), 0);
}

int allgather(const Invocation& invocation, const void* sendbuf, Elements out, void* recvbuf, Elements in) {
    NeighborCall call(invocation);
    if (!call.good()) return call.error();
    const std::vector<Block> out_blocks = take_one(call, sendbuf, out);
    const std::vector<Block> in_blocks = take_row(call, recvbuf, in);
    return call.exchange(sendbuf, out_blocks, recvbuf, in_blocks);
}

template <class Count, class Offset>
int allgatherv(const Invocation& invocation, const void* sendbuf, Elements out, void* recvbuf,
               const Count* recvcounts, const Offset* displs, MPI_Datatype recvtype) {
    NeighborCall call(invocation);
    if (!call.good()) return call.error();
    const std::vector<Block> out_blocks = take_one(call, sendbuf, out);
    const std::vector<Block> in_blocks =
        call.take_blocks(recvbuf, call.indegree(), recvcounts, displs, recvtype, Use::both);
    return call.exchange(sendbuf, out_blocks, recvbuf, in_blocks);
}

int alltoall(const Invocation& invocation, const void* sendbuf, Elements out, void* recvbuf, Elements in) {
    NeighborCall call(invocation);
    if (!call.good()) return call.error();
    const auto count = static_cast<int>(call.outdegree());
    const std::size_t bytes = count == 0 ? 0 : call.take_input(sendbuf, out, count);
    const std::vector<Block> in_blocks = take_row(call, recvbuf, in);
    return call.exchange(sendbuf, row(call.outdegree(), bytes), recvbuf, in_blocks);
}

template <class Blocks>
int alltoallv(const Invocation& invocation, const void* sendbuf, const Blocks& out, void* recvbuf,
              const Blocks& in) {
    NeighborCall call(invocation);
    if (!call.good()) return call.error();
    const std::vector<Block> out_blocks = out.take_input(call, sendbuf, call.outdegree());
    const std::vector<Block> in_blocks = in.take_output(call, recvbuf, call.indegree(), Use::both);
    return call.exchange(sendbuf, out_blocks, recvbuf, in_blocks);
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Neighbor_allgather, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
               void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return allgather(blocking("MPI_Neighbor_allgather", comm), sendbuf, {sendcount, sendtype}, recvbuf,
                     {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Neighbor_allgather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return allgather(blocking("MPI_Neighbor_allgather_c", comm), sendbuf, {sendcount, sendtype}, recvbuf,
                     {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Ineighbor_allgather, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
               void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    return allgather(nonblocking("MPI_Ineighbor_allgather", comm, request), sendbuf, {sendcount, sendtype},
                     recvbuf, {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Ineighbor_allgather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
               MPI_Request* request) {
    return allgather(nonblocking("MPI_Ineighbor_allgather_c", comm, request), sendbuf, {sendcount, sendtype},
                     recvbuf, {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Neighbor_allgather_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
               void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
               MPI_Request* request) {
    return allgather(persistent("MPI_Neighbor_allgather_init", comm, info, request), sendbuf,
                     {sendcount, sendtype}, recvbuf, {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Neighbor_allgather_init_c, const void* sendbuf, MPI_Count sendcount,
               MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
               MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return allgather(persistent("MPI_Neighbor_allgather_init_c", comm, info, request), sendbuf,
                     {sendcount, sendtype}, recvbuf, {recvcount, recvtype});
}

RB2_MPI_DEFINE(int, Neighbor_allgatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
               void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
               MPI_Comm comm) {
    return allgatherv(blocking("MPI_Neighbor_allgatherv", comm), sendbuf, {sendcount, sendtype}, recvbuf,
                      recvcounts, displs, recvtype);
}
RB2_MPI_DEFINE(int, Neighbor_allgatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
               MPI_Comm comm) {
    return allgatherv(blocking("MPI_Neighbor_allgatherv_c", comm), sendbuf, {sendcount, sendtype}, recvbuf,
                      recvcounts, displs, recvtype);
}
RB2_MPI_DEFINE(int, Ineighbor_allgatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
               void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
               MPI_Comm comm, MPI_Request* request) {
    return allgatherv(nonblocking("MPI_Ineighbor_allgatherv", comm, request), sendbuf, {sendcount, sendtype},
                      recvbuf, recvcounts, displs, recvtype);
}
RB2_MPI_DEFINE(int, Ineighbor_allgatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
               MPI_Comm comm, MPI_Request* request) {
    return allgatherv(nonblocking("MPI_Ineighbor_allgatherv_c", comm, request), sendbuf,
                      {sendcount, sendtype}, recvbuf, recvcounts, displs, recvtype);
}
RB2_MPI_DEFINE(int, Neighbor_allgatherv_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
               void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
               MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return allgatherv(persistent("MPI_Neighbor_allgatherv_init", comm, info, request), sendbuf,
                      {sendcount, sendtype}, recvbuf, recvcounts, displs, recvtype);
}
RB2_MPI_DEFINE(int, Neighbor_allgatherv_init_c, const void* sendbuf, MPI_Count sendcount,
               MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
               MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return allgatherv(persistent("MPI_Neighbor_allgatherv_init_c", comm, info, request), sendbuf,
                      {sendcount, sendtype}, recvbuf, recvcounts, displs, recvtype);
}

RB2_MPI_DEFINE(int, Neighbor_alltoall, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
               void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return alltoall(blocking("MPI_Neighbor_alltoall", comm), sendbuf, {sendcount, sendtype}, recvbuf,
                    {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Neighbor_alltoall_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return alltoall(blocking("MPI_Neighbor_alltoall_c", comm), sendbuf, {sendcount, sendtype}, recvbuf,
                    {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Ineighbor_alltoall, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
               void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    return alltoall(nonblocking("MPI_Ineighbor_alltoall", comm, request), sendbuf, {sendcount, sendtype},
                    recvbuf, {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Ineighbor_alltoall_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
               MPI_Request* request) {
    return alltoall(nonblocking("MPI_Ineighbor_alltoall_c", comm, request), sendbuf, {sendcount, sendtype},
                    recvbuf, {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Neighbor_alltoall_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
               void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
               MPI_Request* request) {
    return alltoall(persistent("MPI_Neighbor_alltoall_init", comm, info, request), sendbuf,
                    {sendcount, sendtype}, recvbuf, {recvcount, recvtype});
}
RB2_MPI_DEFINE(int, Neighbor_alltoall_init_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
               MPI_Request* request) {
    return alltoall(persistent("MPI_Neighbor_alltoall_init_c", comm, info, request), sendbuf,
                    {sendcount, sendtype}, recvbuf, {recvcount, recvtype});
}

RB2_MPI_DEFINE(int, Neighbor_alltoallv, const void* sendbuf, const int sendcounts[], const int sdispls[],
               MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
               MPI_Datatype recvtype, MPI_Comm comm) {
    return alltoallv(blocking("MPI_Neighbor_alltoallv", comm), sendbuf, Parts{sendcounts, sdispls, sendtype},
                     recvbuf, Parts{recvcounts, rdispls, recvtype});
}
RB2_MPI_DEFINE(int, Neighbor_alltoallv_c, const void* sendbuf, const MPI_Count sendcounts[],
               const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
               const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
    return alltoallv(blocking("MPI_Neighbor_alltoallv_c", comm), sendbuf,
                     Parts{sendcounts, sdispls, sendtype}, recvbuf, Parts{recvcounts, rdispls, recvtype});
}
RB2_MPI_DEFINE(int, Ineighbor_alltoallv, const void* sendbuf, const int sendcounts[], const int sdispls[],
               MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
               MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    return alltoallv(nonblocking("MPI_Ineighbor_alltoallv", comm, request), sendbuf,
                     Parts{sendcounts, sdispls, sendtype}, recvbuf, Parts{recvcounts, rdispls, recvtype});
}
RB2_MPI_DEFINE(int, Ineighbor_alltoallv_c, const void* sendbuf, const MPI_Count sendcounts[],
               const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
               const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    return alltoallv(nonblocking("MPI_Ineighbor_alltoallv_c", comm, request), sendbuf,
                     Parts{sendcounts, sdispls, sendtype}, recvbuf, Parts{recvcounts, rdispls, recvtype});
}
RB2_MPI_DEFINE(int, Neighbor_alltoallv_init, const void* sendbuf, const int sendcounts[], const int sdispls[],
               MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
               MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return alltoallv(persistent("MPI_Neighbor_alltoallv_init", comm, info, request), sendbuf,
                     Parts{sendcounts, sdispls, sendtype}, recvbuf, Parts{recvcounts, rdispls, recvtype});
}
RB2_MPI_DEFINE(int, Neighbor_alltoallv_init_c, const void* sendbuf, const MPI_Count sendcounts[],
               const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
               const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
               MPI_Request* request) {
    return alltoallv(persistent("MPI_Neighbor_alltoallv_init_c", comm, info, request), sendbuf,
                     Parts{sendcounts, sdispls, sendtype}, recvbuf, Parts{recvcounts, rdispls, recvtype});
}

RB2_MPI_DEFINE(int, Neighbor_alltoallw, const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
               const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
               const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    return alltoallv(blocking("MPI_Neighbor_alltoallw", comm), sendbuf,
                     TypedParts{sendcounts, sdispls, sendtypes}, recvbuf,
                     TypedParts{recvcounts, rdispls, recvtypes});
}
RB2_MPI_DEFINE(int, Neighbor_alltoallw_c, const void* sendbuf, const MPI_Count sendcounts[],
               const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
               const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
               MPI_Comm comm) {
    return alltoallv(blocking("MPI_Neighbor_alltoallw_c", comm), sendbuf,
                     TypedParts{sendcounts, sdispls, sendtypes}, recvbuf,
                     TypedParts{recvcounts, rdispls, recvtypes});
}
RB2_MPI_DEFINE(int, Ineighbor_alltoallw, const void* sendbuf, const int sendcounts[],
               const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
               const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
               MPI_Comm comm, MPI_Request* request) {
    return alltoallv(nonblocking("MPI_Ineighbor_alltoallw", comm, request), sendbuf,
                     TypedParts{sendcounts, sdispls, sendtypes}, recvbuf,
                     TypedParts{recvcounts, rdispls, recvtypes});
}
RB2_MPI_DEFINE(int, Ineighbor_alltoallw_c, const void* sendbuf, const MPI_Count sendcounts[],
               const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
               const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
               MPI_Comm comm, MPI_Request* request) {
    return alltoallv(nonblocking("MPI_Ineighbor_alltoallw_c", comm, request), sendbuf,
                     TypedParts{sendcounts, sdispls, sendtypes}, recvbuf,
                     TypedParts{recvcounts, rdispls, recvtypes});
}
RB2_MPI_DEFINE(int, Neighbor_alltoallw_init, const void* sendbuf, const int sendcounts[],
               const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
               const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
               MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return alltoallv(persistent("MPI_Neighbor_alltoallw_init", comm, info, request), sendbuf,
                     TypedParts{sendcounts, sdispls, sendtypes}, recvbuf,
                     TypedParts{recvcounts, rdispls, recvtypes});
}
RB2_MPI_DEFINE(int, Neighbor_alltoallw_init_c, const void* sendbuf, const MPI_Count sendcounts[],
               const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
               const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
               MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return alltoallv(persistent("MPI_Neighbor_alltoallw_init_c", comm, info, request), sendbuf,
                     TypedParts{sendcounts, sdispls, sendtypes}, recvbuf,
                     TypedParts{recvcounts, rdispls, recvtypes});
}
