// Reduce-scatter, with equal and with uneven blocks.

#include "mpi/collective_call.hpp"
#include "mpi/define.hpp"

namespace rb2::mpi {
namespace {

/// `count_of(r)` elements go to rank r.
template <class CountOf>
int reduce_scatter(Call& call, const void* sendbuf, void* recvbuf, CountOf count_of, MPI_Datatype datatype,
                   MPI_Op op) {
    if (!call.good()) return call.error();
    const bool inter = call.communicator().is_inter();
    const int own = call.communicator().rank();
    const int ranks = call.communicator().own_side().size();
    std::int64_t total = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        if (count_of(rank) < 0)
            call.refuse(MPI_ERR_COUNT, fmt::format("the count for rank {} is {}", rank, count_of(rank)));
        else if (__builtin_add_overflow(total, count_of(rank), &total))
            call.refuse(MPI_ERR_COUNT, "the counts are more than an address can reach");
    }
    const bool in_place = sendbuf == MPI_IN_PLACE && !inter;
    std::size_t all = 0;
    if (!in_place) all = call.take_contribution(sendbuf, {total, datatype});
    std::size_t bytes = call.take_result(recvbuf, {in_place ? total : count_of(own), datatype},
                                         in_place ? Use::both : Use::output);
    if (in_place) all = bytes;
    std::vector<Block> blocks;
    const std::size_t element = total == 0 ? 0 : all / static_cast<std::size_t>(total);
    std::size_t end = 0;
    for (int rank = 0; call.good() && rank < ranks; ++rank) {
        blocks.push_back({end, static_cast<std::size_t>(count_of(rank)) * element});
        end += blocks.back().bytes;
    }
    if (call.good()) bytes = blocks[static_cast<std::size_t>(own)].bytes;
    const Reduction reduction = call.check_op(op, datatype);
    if (inter)
        return call.perform_across([&](collective::Schedule& steps) {
            collective::inter::reduce_scatter(steps, bytes_at(sendbuf, all), blocks, bytes_at(recvbuf, bytes),
                                              reduction);
        });
    return call.perform([&](auto& steps) {
        collective::reduce_scatter(steps, bytes_at(in_place ? recvbuf : sendbuf, all), blocks,
                                   bytes_at(recvbuf, bytes), reduction);
    });
}

template <class Count>
int with_counts(const Invocation& invocation, const void* sendbuf, void* recvbuf, const Count* counts,
                MPI_Datatype datatype, MPI_Op op) {
    const auto count_of = [counts](int rank) { return static_cast<std::int64_t>(counts[rank]); };
    Call call(invocation, Call::Groups::two);
    call.check_array("counts", counts);
    return reduce_scatter(call, sendbuf, recvbuf, count_of, datatype, op);
}

int with_one_count(const Invocation& invocation, const void* sendbuf, void* recvbuf, std::int64_t count,
                   MPI_Datatype datatype, MPI_Op op) {
    Call call(invocation, Call::Groups::two);
    return reduce_scatter(
        call, sendbuf, recvbuf, [count](int) { return count; }, datatype, op);
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Reduce_scatter, const void* sendbuf, void* recvbuf, const int recvcounts[],
               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    return with_counts(blocking("MPI_Reduce_scatter", comm), sendbuf, recvbuf, recvcounts, datatype, op);
}
RB2_MPI_DEFINE(int, Reduce_scatter_c, const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    return with_counts(blocking("MPI_Reduce_scatter_c", comm), sendbuf, recvbuf, recvcounts, datatype, op);
}
RB2_MPI_DEFINE(int, Ireduce_scatter, const void* sendbuf, void* recvbuf, const int recvcounts[],
               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    return with_counts(nonblocking("MPI_Ireduce_scatter", comm, request), sendbuf, recvbuf, recvcounts,
                       datatype, op);
}
RB2_MPI_DEFINE(int, Ireduce_scatter_c, const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    return with_counts(nonblocking("MPI_Ireduce_scatter_c", comm, request), sendbuf, recvbuf, recvcounts,
                       datatype, op);
}
RB2_MPI_DEFINE(int, Reduce_scatter_init, const void* sendbuf, void* recvbuf, const int recvcounts[],
               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return with_counts(persistent("MPI_Reduce_scatter_init", comm, info, request), sendbuf, recvbuf,
                       recvcounts, datatype, op);
}
RB2_MPI_DEFINE(int, Reduce_scatter_init_c, const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return with_counts(persistent("MPI_Reduce_scatter_init_c", comm, info, request), sendbuf, recvbuf,
                       recvcounts, datatype, op);
}

RB2_MPI_DEFINE(int, Reduce_scatter_block, const void* sendbuf, void* recvbuf, int recvcount,
               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    return with_one_count(blocking("MPI_Reduce_scatter_block", comm), sendbuf, recvbuf, recvcount, datatype,
                          op);
}
RB2_MPI_DEFINE(int, Reduce_scatter_block_c, const void* sendbuf, void* recvbuf, MPI_Count recvcount,
               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    return with_one_count(blocking("MPI_Reduce_scatter_block_c", comm), sendbuf, recvbuf, recvcount, datatype,
                          op);
}
RB2_MPI_DEFINE(int, Ireduce_scatter_block, const void* sendbuf, void* recvbuf, int recvcount,
               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    return with_one_count(nonblocking("MPI_Ireduce_scatter_block", comm, request), sendbuf, recvbuf,
                          recvcount, datatype, op);
}
RB2_MPI_DEFINE(int, Ireduce_scatter_block_c, const void* sendbuf, void* recvbuf, MPI_Count recvcount,
               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    return with_one_count(nonblocking("MPI_Ireduce_scatter_block_c", comm, request), sendbuf, recvbuf,
                          recvcount, datatype, op);
}
RB2_MPI_DEFINE(int, Reduce_scatter_block_init, const void* sendbuf, void* recvbuf, int recvcount,
               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return with_one_count(persistent("MPI_Reduce_scatter_block_init", comm, info, request), sendbuf, recvbuf,
                          recvcount, datatype, op);
}
RB2_MPI_DEFINE(int, Reduce_scatter_block_init_c, const void* sendbuf, void* recvbuf, MPI_Count recvcount,
               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return with_one_count(persistent("MPI_Reduce_scatter_block_init_c", comm, info, request), sendbuf,
                          recvbuf, recvcount, datatype, op);
}
