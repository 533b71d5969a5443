#pragma once
// What the collectives' bindings share: checks of arguments, in the order of the call, and the ways to run
// it.

#include <fmt/format.h>

#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mpi/arguments.hpp"
#include "mpi/datatype/staging.hpp"
#include "mpi/datatype/type.hpp"
#include "mpi/errors.hpp"
#include "mpi/inter_collective.hpp"
#include "mpi/invocation.hpp"
#include "mpi/op.hpp"
#include "mpi/user_op.hpp"
#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/execution.hpp"
#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/describe.hpp"

namespace rb2::mpi {

using collective::Block;
using collective::Reduction;

/// Elements that a rank gives to, or takes from, a collective.
struct Elements {
    std::int64_t count;
    MPI_Datatype datatype;
};

/// The intercommunicator of a call that its collectives are provided for, or null. Only blocking ones are.
inline Comm* find_inter(const Invocation& invocation) noexcept {
    return invocation.way == Invocation::Way::blocking ? find_inter(invocation.comm) : nullptr;
}

/// One call: whose it is, and the first error found in its arguments (reported already).
class Call {
  public:
    Call(const Call&) = delete;  // a reduction refers to `user_`
    Call& operator=(const Call&) = delete;
    explicit Call(const Invocation& invocation) : invocation_(invocation), comm_(find_comm(invocation.comm)) {
        if (invocation_.request != nullptr) *invocation_.request = MPI_REQUEST_NULL;
        if (comm_ == nullptr)
            error_ = fail_comm(function(), invocation.comm);
        else if (comm_->communicator->is_inter())
            error_ = fail(MPI_ERR_COMM, function(), "it is not provided for an intercommunicator", comm_);
    }

    [[nodiscard]] bool good() const noexcept { return error_ == MPI_SUCCESS; }
    [[nodiscard]] int error() const noexcept { return error_; }
    [[nodiscard]] const Comm& comm() const noexcept { return *comm_; }
    [[nodiscard]] pt2pt::Communicator& communicator() const noexcept { return *comm_->communicator; }
    [[nodiscard]] bool is(int rank) const noexcept { return communicator().rank() == rank; }

    /// Records an error unless there is one already.
    void refuse(int error_class, std::string what) {
        if (good()) error_ = fail(error_class, function(), std::move(what), comm_);
    }
    void check_root(int root) {
        if (good() && !communicator().has_rank(root))
            refuse(MPI_ERR_ROOT, pt2pt::not_a_rank(communicator(), "root", root));
    }
    /// Bytes of `count` elements; also records what is wrong with them.
    std::size_t check_buffer(const void* buffer, std::int64_t count, MPI_Datatype datatype) {
        std::size_t bytes = 0;
        if (buffer == MPI_IN_PLACE)
            refuse(MPI_ERR_BUFFER, "MPI_IN_PLACE cannot stand for this buffer on this rank");
        if (good() && !accept_buffer(buffer, count, datatype, bytes))
            refuse_elements(buffer, count, datatype);
        return good() ? bytes : 0;
    }
    /// The same of elements to be reduced, which lie in memory as slot_of() says.
    std::size_t check_elements(const void* buffer, std::int64_t count, MPI_Datatype datatype) {
        if (layout_of(datatype) == nullptr || find_type(datatype) == nullptr)
            return check_buffer(buffer, count, datatype);
        std::size_t bytes = 0;
        if (good() && !accept_elements(buffer, count, slot_of(datatype).bytes, bytes))
            refuse_elements(buffer, count, datatype);
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
    /// `count` blocks: `counts[i]` elements, `displs[i]` elements behind `buffer`. Also records what is wrong
    /// with them; then the blocks have no meaning.
    template <class Count, class Offset>
    std::vector<Block> check_blocks(std::size_t count, const void* buffer, const Count* counts,
                                    const Offset* displs, MPI_Datatype datatype) {
        std::vector<Block> blocks;
        check_array("counts", counts, count);
        check_array("displacements", displs, count);
        for (std::size_t i = 0; good() && i < count; ++i)
            add_block(blocks, buffer, counts[i], displs[i], extent_of(datatype), datatype);
        return blocks;
    }
    /// The same with a datatype for each block and displacements in bytes.
    template <class Count, class Offset>
    std::vector<Block> check_typed_blocks(std::size_t count, const void* buffer, const Count* counts,
                                          const Offset* displs, const MPI_Datatype* datatypes) {
        std::vector<Block> blocks;
        check_array("counts", counts, count);
        check_array("displacements", displs, count);
        check_array("datatypes", datatypes, count);
        for (std::size_t i = 0; good() && i < count; ++i)
            add_block(blocks, buffer, counts[i], displs[i], 1, datatypes[i]);
        return blocks;
    }
    void check_array(const char* what, const void* array, std::size_t count = 1) {
        if (array == nullptr && count > 0)
            refuse(MPI_ERR_ARG, fmt::format("the array of {} is a null pointer", what));
    }
    /// The reduction, to be used in perform().
    Reduction check_op(MPI_Op op, MPI_Datatype datatype) {
        if (const UserOp* const user = find_user_op(op); user != nullptr) return keep_op(*user, datatype);
        const Reduction found = reduction_for(op, datatype);
        if (found.apply == nullptr)
            refuse(MPI_ERR_OP, fmt::format("{} is no predefined operation on datatype {}", show_handle(op),
                                           show_handle(datatype)));
        return found;
    }
    void check_fits(std::size_t bytes, std::size_t room) {
        if (bytes > room)
            refuse(MPI_ERR_TRUNCATE,
                   fmt::format("this rank gives {} bytes, but receives {} from each", bytes, room));
    }
    /// Of a call in which every rank gives to each as much as it gets from each.
    void check_same(std::size_t given, std::size_t received) {
        if (given != received)
            refuse(MPI_ERR_ARG, fmt::format("this rank gives {} bytes to each, but receives {} from each: "
                                            "the two must be the same",
                                            given, received));
    }

    /// Does, starts or prepares what `build(steps)` says, unless an argument was wrong. Returns the error
    /// class.
    template <class Build>
    int perform(Build build) {
        if (!good()) return error_;
        try {
            if (invocation_.way != Invocation::Way::blocking) {
                auto execution = std::make_shared<collective::Execution>(communicator());
                execution->keep(kept_user_);
                build(execution->schedule());
                return hand_out(std::move(execution));
            }
            collective::Immediate steps(communicator());
            build(steps);
            return result(steps.finish());
        } catch (const std::bad_alloc&) {
            return result(Status::out_of_memory);
        }
    }

  private:
    [[nodiscard]] const char* function() const noexcept { return invocation_.function; }

    /// Says what is wrong. Nothing else: the data were not staged, and are not plain bytes.
    void refuse_elements(const void* buffer, std::int64_t count, MPI_Datatype datatype) {
        error_ = refuse_buffer(function(), buffer, count, datatype, comm_);
        refuse(MPI_ERR_TYPE, "the datatype cannot be used in this place of a collective: pack the data");
    }
    /// Displacements may be negative; an empty block's is not used.
    template <class Count, class Offset>
    void add_block(std::vector<Block>& blocks, const void* buffer, Count count, Offset displacement,
                   std::size_t unit, MPI_Datatype datatype) {
        const std::size_t bytes = check_buffer(buffer, count, datatype);
        blocks.push_back({bytes == 0 ? 0 : static_cast<std::size_t>(displacement) * unit, bytes});
    }
    /// With a reference to the datatype.
    struct KeptReduction {
        explicit KeptReduction(const UserReduction& reduction) : user(reduction) {
            retain_type(user.datatype);
        }
        ~KeptReduction() { drop_type(user.datatype); }
        KeptReduction(const KeptReduction&) = delete;
        KeptReduction& operator=(const KeptReduction&) = delete;
        UserReduction user;
    };
    /// Users may free an operation or a datatype while a call with it is under way.
    Reduction keep_op(const UserOp& op, MPI_Datatype datatype) {
        user_ = {op.function, op.large_function, op.commutative, datatype};
        if (invocation_.way == Invocation::Way::blocking) return reduction_of(user_);
        const auto kept = std::make_shared<KeptReduction>(user_);
        kept_user_ = {kept, &kept->user};
        return reduction_of(*kept_user_);
    }
    [[nodiscard]] int result(Status status) const {
        if (status == Status::ok) [[likely]]
            return MPI_SUCCESS;
        return fail(class_of(status), function(), collective_failure(status), comm_);
    }
    /// The request for a call that goes on, or can be started.
    [[nodiscard]] int hand_out(std::shared_ptr<collective::Execution> execution) const;

    Invocation invocation_;
    Comm* comm_;
    int error_ = MPI_SUCCESS;
    UserReduction user_;
    std::shared_ptr<UserReduction> kept_user_;  // for the execution that outlives this object
};

}  // namespace rb2::mpi
