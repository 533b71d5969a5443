// Reduce-scatter, with equal and with uneven blocks.

#include "mpi/collective_call.hpp"
#include "mpi/define.hpp"
#include "mpi/inter_collective.hpp"

namespace rb2::mpi {
namespace {

/// `count_of(r)` elements go to rank r.
template <class CountOf>
int reduce_scatter(Call& call, Staging& staging, const void* sendbuf, void* recvbuf, CountOf count_of,
                   MPI_Datatype datatype, MPI_Op op) {
    std::int64_t total = 0;
    for (int rank = 0; call.good() && rank < call.communicator().size(); ++rank) total += count_of(rank);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    if (call.good())
        staging.slots_out(recvbuf, in_place ? total : count_of(call.communicator().rank()), datatype,
                          in_place ? Fill::data : Fill::nothing);
    staging.slots_in(sendbuf, total, datatype);
    if (!staging.good()) return staging.error();
    const void* const contribution = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    std::vector<Block> blocks;
    std::size_t end = 0;
    for (int rank = 0; call.good() && rank < call.communicator().size(); ++rank) {
        blocks.push_back({end, call.check_elements(contribution, count_of(rank), datatype)});
        end += blocks.back().bytes;
    }
    std::size_t bytes = 0;
    if (call.good()) bytes = call.check_elements(recvbuf, count_of(call.communicator().rank()), datatype);
    const Reduction reduction = call.check_op(op, datatype);
    return staging.finish(call.perform([&](auto& steps) {
        collective::reduce_scatter(steps, bytes_at(contribution, end), blocks, bytes_at(recvbuf, bytes),
                                   reduction);
    }));
}

template <class Count>
int with_counts(const Invocation& invocation, const void* sendbuf, void* recvbuf, const Count* counts,
                MPI_Datatype datatype, MPI_Op op) {
    if (Comm* const inter = find_inter(invocation); inter != nullptr) [[unlikely]]
        return inter::reduce_scatter(
            invocation.function, *inter, {sendbuf, 0, datatype}, recvbuf,
            std::vector<MPI_Count>(counts, counts + inter->communicator->local().size()), op);
    Call call(invocation);
    Staging staging(invocation);
    call.check_array("counts", counts);
    const auto count_of = [counts](int rank) { return static_cast<std::int64_t>(counts[rank]); };
    return reduce_scatter(call, staging, sendbuf, recvbuf, count_of, datatype, op);
}

int with_one_count(const Invocation& invocation, const void* sendbuf, void* recvbuf, std::int64_t count,
                   MPI_Datatype datatype, MPI_Op op) {
    if (Comm* const inter = find_inter(invocation); inter != nullptr) [[unlikely]]
        return inter::reduce_scatter(
            invocation.function, *inter, {sendbuf, 0, datatype}, recvbuf,
            std::vector<MPI_Count>(static_cast<std::size_t>(inter->communicator->local().size()), count), op);
    Call call(invocation);
    Staging staging(invocation);
    return reduce_scatter(
        call, staging, sendbuf, recvbuf, [count](int) { return count; }, datatype, op);
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
               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return with_counts(persistent("MPI_Reduce_scatter_init", comm, request), sendbuf, recvbuf, recvcounts,
                       datatype, op);
}
RB2_MPI_DEFINE(int, Reduce_scatter_init_c, const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return with_counts(persistent("MPI_Reduce_scatter_init_c", comm, request), sendbuf, recvbuf, recvcounts,
                       datatype, op);
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
               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return with_one_count(persistent("MPI_Reduce_scatter_block_init", comm, request), sendbuf, recvbuf,
                          recvcount, datatype, op);
}
RB2_MPI_DEFINE(int, Reduce_scatter_block_init_c, const void* sendbuf, void* recvbuf, MPI_Count recvcount,
               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return with_one_count(persistent("MPI_Reduce_scatter_block_init_c", comm, request), sendbuf, recvbuf,
                          recvcount, datatype, op);
}
