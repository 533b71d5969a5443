// The collectives: arguments checked here, data moved by pt2pt/collective.

#include "pt2pt/collective/collective.hpp"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "mpi/arguments.hpp"
#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/op.hpp"
#include "pt2pt/collective/blocks.hpp"
#include "pt2pt/describe.hpp"

namespace rb2::mpi {
namespace {

using collective::Block;
using collective::Reduction;

/// One call: whose it is, and the first error found in its arguments (reported already).
class Call {
  public:
    Call(const char* function, MPI_Comm handle) : function_(function), comm_(find_comm(handle)) {
        if (comm_ == nullptr) error_ = fail_comm(function, handle);
    }

    [[nodiscard]] bool good() const noexcept { return error_ == MPI_SUCCESS; }
    [[nodiscard]] int error() const noexcept { return error_; }
    [[nodiscard]] pt2pt::Communicator& communicator() const noexcept { return *comm_->communicator; }
    [[nodiscard]] bool is(int rank) const noexcept { return communicator().rank() == rank; }

    void check_root(int root) {
        if (good() && !communicator().has_rank(root))
            error_ = fail(MPI_ERR_ROOT, function_, pt2pt::not_a_rank(communicator(), "root", root), comm_);
    }
    /// Bytes of `count` elements; also records what is wrong with them.
    std::size_t check_buffer(const void* buffer, std::int64_t count, MPI_Datatype datatype) {
        std::size_t bytes = 0;
        if (good() && !accept_buffer(buffer, count, datatype, bytes))
            error_ = refuse_buffer(function_, buffer, count, datatype, comm_);
        return good() ? bytes : 0;
    }
    Reduction check_op(MPI_Op op, MPI_Datatype datatype) {
        const Reduction found = reduction_for(op, datatype);
        if (good() && found.apply == nullptr)
            error_ = fail(MPI_ERR_OP, function_,
                          fmt::format("{} is no predefined operation on datatype {}", show_handle(op),
                                      show_handle(datatype)),
                          comm_);
        return found;
    }
    void check_fits(std::size_t bytes, std::size_t room) {
        if (good() && bytes > room)
            error_ =
                fail(MPI_ERR_TRUNCATE, function_,
                     fmt::format("this rank gives {} bytes, but receives {} from each", bytes, room), comm_);
    }
    /// The call's result.
    [[nodiscard]] int result(Status status) const {
        if (status == Status::ok) [[likely]]
            return MPI_SUCCESS;
        return fail(class_of(status), function_,
                    status == Status::truncated ? "another rank sent more than this one expects"
                                                : "a message to or from another rank failed",
                    comm_);
    }

  private:
    const char* function_;
    Comm* comm_;
    int error_ = MPI_SUCCESS;
};

std::span<std::byte> bytes_at(void* buffer, std::size_t bytes) {
    return {static_cast<std::byte*>(buffer), bytes};
}
std::span<const std::byte> bytes_at(const void* buffer, std::size_t bytes) {
    return {static_cast<const std::byte*>(buffer), bytes};
}
void copy(void* to, const void* from, std::size_t bytes) {
    if (bytes != 0) std::memmove(to, from, bytes);
}

int barrier(const char* function, MPI_Comm comm) {
    const Call call(function, comm);
    return call.good() ? call.result(collective::barrier(call.communicator())) : call.error();
}

int bcast(const char* function, void* buffer, std::int64_t count, MPI_Datatype datatype, int root,
          MPI_Comm comm) {
    Call call(function, comm);
    call.check_root(root);
    const std::size_t bytes = call.check_buffer(buffer, count, datatype);
    if (!call.good()) return call.error();
    return call.result(collective::broadcast(call.communicator(), bytes_at(buffer, bytes), root));
}

int reduce(const char* function, const void* sendbuf, void* recvbuf, std::int64_t count,
           MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
    Call call(function, comm);
    call.check_root(root);
    const std::size_t bytes = call.check_buffer(sendbuf, count, datatype);
    const Reduction reduction = call.check_op(op, datatype);
    const bool at_root = call.good() && call.is(root);
    if (at_root) call.check_buffer(recvbuf, count, datatype);
    if (!call.good()) return call.error();
    const void* const contribution = at_root && sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    return call.result(collective::reduce(call.communicator(), bytes_at(contribution, bytes),
                                          bytes_at(recvbuf, at_root ? bytes : 0), reduction, root));
}

int allreduce(const char* function, const void* sendbuf, void* recvbuf, std::int64_t count,
              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    Call call(function, comm);
    call.check_buffer(sendbuf, count, datatype);
    const std::size_t bytes = call.check_buffer(recvbuf, count, datatype);
    const Reduction reduction = call.check_op(op, datatype);
    if (!call.good()) return call.error();
    if (sendbuf != MPI_IN_PLACE) copy(recvbuf, sendbuf, bytes);
    return call.result(collective::allreduce(call.communicator(), bytes_at(recvbuf, bytes), reduction));
}

/// Elements that a rank gives to, or takes from, a collective.
struct Elements {
    std::int64_t count;
    MPI_Datatype datatype;
};

int gather(const char* function, const void* sendbuf, Elements out, void* recvbuf, Elements in, int root,
           MPI_Comm comm) {
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
    Call call(function, comm);
    call.check_root(root);
    const bool at_root = call.good() && call.is(root);
    const bool in_place = at_root && sendbuf == MPI_IN_PLACE;
    const std::size_t bytes = in_place ? 0 : call.check_buffer(sendbuf, out.count, out.datatype);
    std::vector<Block> blocks;
    for (int rank = 0; at_root && call.good() && rank < call.communicator().size(); ++rank) {
        const std::size_t length = call.check_buffer(recvbuf, recvcounts[rank], recvtype);
        if (call.good())
            blocks.push_back({static_cast<std::size_t>(displs[rank]) * extent_of(recvtype), length});
    }
    if (at_root && call.good()) call.check_fits(bytes, blocks[static_cast<std::size_t>(root)].bytes);
    if (!call.good()) return call.error();
    return call.result(collective::gather(call.communicator(),
                                          in_place ? std::span<const std::byte>() : bytes_at(sendbuf, bytes),
                                          static_cast<std::byte*>(recvbuf), blocks, root));
}

int scatter(const char* function, const void* sendbuf, Elements out, void* recvbuf, Elements in, int root,
            MPI_Comm comm) {
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

int allgather(const char* function, const void* sendbuf, Elements out, void* recvbuf, Elements in,
              MPI_Comm comm) {
    Call call(function, comm);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const std::size_t block = call.check_buffer(recvbuf, in.count, in.datatype);
    const std::size_t bytes = in_place ? block : call.check_buffer(sendbuf, out.count, out.datatype);
    call.check_fits(bytes, block);
    if (!call.good()) return call.error();
    pt2pt::Communicator& communicator = call.communicator();
    const auto size = static_cast<std::size_t>(communicator.size());
    const std::span<std::byte> all = bytes_at(recvbuf, block * size);
    if (!in_place) copy(all.data() + static_cast<std::size_t>(communicator.rank()) * block, sendbuf, bytes);
    return call.result(collective::allgather(communicator, all));
}

int alltoall(const char* function, const void* sendbuf, Elements out, void* recvbuf, Elements in,
             MPI_Comm comm) {
    Call call(function, comm);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const std::size_t block = call.check_buffer(recvbuf, in.count, in.datatype);
    const std::size_t bytes = in_place ? block : call.check_buffer(sendbuf, out.count, out.datatype);
    call.check_fits(bytes, block);
    if (!call.good()) return call.error();
    pt2pt::Communicator& communicator = call.communicator();
    const std::size_t total = block * static_cast<std::size_t>(communicator.size());
    const std::span<std::byte> all = bytes_at(recvbuf, total);
    if (!in_place) return call.result(collective::alltoall(communicator, bytes_at(sendbuf, total), all));
    const std::vector<std::byte> copy_of_all(all.begin(), all.end());
    return call.result(collective::alltoall(communicator, copy_of_all, all));
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Barrier, MPI_Comm comm) { return barrier("MPI_Barrier", comm); }

RB2_MPI_DEFINE(int, Bcast, void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    return bcast("MPI_Bcast", buffer, count, datatype, root, comm);
}
RB2_MPI_DEFINE(int, Bcast_c, void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    return bcast("MPI_Bcast_c", buffer, count, datatype, root, comm);
}
RB2_MPI_DEFINE(int, Reduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               int root, MPI_Comm comm) {
    return reduce("MPI_Reduce", sendbuf, recvbuf, count, datatype, op, root, comm);
}
RB2_MPI_DEFINE(int, Reduce_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, int root, MPI_Comm comm) {
    return reduce("MPI_Reduce_c", sendbuf, recvbuf, count, datatype, op, root, comm);
}
RB2_MPI_DEFINE(int, Allreduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm) {
    return allreduce("MPI_Allreduce", sendbuf, recvbuf, count, datatype, op, comm);
}
RB2_MPI_DEFINE(int, Allreduce_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm) {
    return allreduce("MPI_Allreduce_c", sendbuf, recvbuf, count, datatype, op, comm);
}
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
RB2_MPI_DEFINE(int, Allgather, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return allgather("MPI_Allgather", sendbuf, {sendcount, sendtype}, recvbuf, {recvcount, recvtype}, comm);
}
RB2_MPI_DEFINE(int, Allgather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return allgather("MPI_Allgather_c", sendbuf, {sendcount, sendtype}, recvbuf, {recvcount, recvtype}, comm);
}
RB2_MPI_DEFINE(int, Alltoall, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return alltoall("MPI_Alltoall", sendbuf, {sendcount, sendtype}, recvbuf, {recvcount, recvtype}, comm);
}
RB2_MPI_DEFINE(int, Alltoall_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return alltoall("MPI_Alltoall_c", sendbuf, {sendcount, sendtype}, recvbuf, {recvcount, recvtype}, comm);
}
