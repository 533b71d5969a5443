#pragma once
// What the collectives' bindings share: checks of arguments, in the order of the call, and the result's way
// out.

#include <fmt/format.h>

#include <cstring>
#include <span>
#include <vector>

#include "mpi/arguments.hpp"
#include "mpi/errors.hpp"
#include "mpi/op.hpp"
#include "mpi/user_op.hpp"
#include "pt2pt/collective/collective.hpp"
#include "pt2pt/describe.hpp"

namespace rb2::mpi {

using collective::Block;
using collective::Reduction;

/// Elements that a rank gives to, or takes from, a collective.
struct Elements {
    std::int64_t count;
    MPI_Datatype datatype;
};

/// One call: whose it is, and the first error found in its arguments (reported already).
class Call {
  public:
    Call(const Call&) = delete;  // a reduction refers to `user_`
    Call& operator=(const Call&) = delete;
    Call(const char* function, MPI_Comm handle) : function_(function), comm_(find_comm(handle)) {
        if (comm_ == nullptr)
            error_ = fail_comm(function, handle);
        else if (comm_->communicator->is_inter())
            error_ = fail(MPI_ERR_COMM, function, "it is not defined for an intercommunicator", comm_);
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
        if (good() && buffer == MPI_IN_PLACE)
            error_ = fail(MPI_ERR_BUFFER, function_, "MPI_IN_PLACE cannot stand for this buffer on this rank",
                          comm_);
        if (good() && !accept_buffer(buffer, count, datatype, bytes))
            error_ = refuse_buffer(function_, buffer, count, datatype, comm_);
        return good() ? bytes : 0;
    }
    /// Of a call in which every rank gets one block from each: what this rank gives, in place the block
    /// itself, and the block. Also records what is wrong with them.
    struct EqualBlocks {
        std::size_t given;
        std::size_t block;
    };
    EqualBlocks check_equal(const void* sendbuf, Elements out, const void* recvbuf, Elements in) {
        const std::size_t block = check_buffer(recvbuf, in.count, in.datatype);
        const std::size_t given =
            sendbuf == MPI_IN_PLACE ? block : check_buffer(sendbuf, out.count, out.datatype);
        check_fits(given, block);
        return {given, block};
    }
    /// One block per rank: `counts[r]` elements, `displs[r]` elements behind `buffer`. Also records what is
    /// wrong with them; then the blocks have no meaning.
    template <class Count, class Offset>
    std::vector<Block> check_blocks(const void* buffer, const Count* counts, const Offset* displs,
                                    MPI_Datatype datatype) {
        std::vector<Block> blocks;
        check_array("counts", counts);
        check_array("displacements", displs);
        for (int rank = 0; good() && rank < communicator().size(); ++rank) {
            const std::size_t bytes = check_buffer(buffer, counts[rank], datatype);
            // Displacements may be negative; an empty block's is not used.
            const std::size_t offset =
                bytes == 0 ? 0 : static_cast<std::size_t>(displs[rank]) * extent_of(datatype);
            blocks.push_back({offset, bytes});
        }
        return blocks;
    }
    void check_array(const char* what, const void* array) {
        if (good() && array == nullptr)
            error_ =
                fail(MPI_ERR_ARG, function_, fmt::format("the array of {} is a null pointer", what), comm_);
    }
    /// The reduction; good as long as this object.
    Reduction check_op(MPI_Op op, MPI_Datatype datatype) {
        user_ = {find_user_op(op), datatype};
        if (user_.op != nullptr) return reduction_of(user_);
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
    UserReduction user_;
};

inline void copy(void* to, const void* from, std::size_t bytes) {
    if (bytes != 0) std::memmove(to, from, bytes);
}

}  // namespace rb2::mpi
