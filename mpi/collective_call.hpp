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
#include "mpi/info.hpp"
#include "mpi/op.hpp"
#include "mpi/user_op.hpp"
#include "pt2pt/collective/algorithms.hpp"
#include "pt2pt/collective/execution.hpp"
#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/collective/inter.hpp"
#include "pt2pt/describe.hpp"

namespace rb2::mpi {

using collective::Block;
using collective::Reduction;

/// Elements that a rank gives to, or takes from, a collective.
struct Elements {
    std::int64_t count;
    MPI_Datatype datatype;
};

/// How a collective was called: as MPI_X, MPI_IX or MPI_X_init.
struct Invocation {
    enum class Way : std::uint8_t { blocking, nonblocking, persistent };

    const char* function;
    MPI_Comm comm;
    Way way = Way::blocking;
    MPI_Request* request = nullptr;  ///< of the other two ways
    MPI_Info info = MPI_INFO_NULL;   ///< of the last
};
inline Invocation blocking(const char* function, MPI_Comm comm) { return {function, comm}; }
inline Invocation nonblocking(const char* function, MPI_Comm comm, MPI_Request* request) {
    return {function, comm, Invocation::Way::nonblocking, request};
}
inline Invocation persistent(const char* function, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return {function, comm, Invocation::Way::persistent, request, info};
}

/// Whether the communicator of a call is an intercommunicator.
inline bool is_inter(const Invocation& invocation) noexcept {
    const Comm* const comm = find_comm(invocation.comm);
    return comm != nullptr && comm->communicator->is_inter();
}

/// One call: whose it is, and the first error found in its arguments (reported already).
class Call {
  public:
    Call(const Call&) = delete;  // a reduction refers to `user_`
    Call& operator=(const Call&) = delete;
    enum class Groups : std::uint8_t { one, two };
    /// Two groups: perform_across() follows. A call of one refuses an intercommunicator.
    explicit Call(const Invocation& invocation, Groups groups = Groups::one)
        : invocation_(invocation), comm_(find_comm(invocation.comm)) {
        if (invocation_.request != nullptr) *invocation_.request = MPI_REQUEST_NULL;
        if (comm_ == nullptr)
            error_ = fail_comm(function(), invocation.comm);
        else if (comm_->communicator->is_inter() && groups == Groups::one)
            error_ = fail(MPI_ERR_COMM, function(), "it is not defined for an intercommunicator", comm_);
        else if (invocation.info != MPI_INFO_NULL)
            error_ = check_info(function(), invocation.info, comm_);
    }

    [[nodiscard]] bool good() const noexcept { return error_ == MPI_SUCCESS; }
    [[nodiscard]] int error() const noexcept { return error_; }
    [[nodiscard]] const Comm& comm() const noexcept { return *comm_; }
    [[nodiscard]] pt2pt::Communicator& communicator() const noexcept { return *comm_->communicator; }
    /// Of the communicator, of an intercommunicator the remote group's; 0 when it is none.
    [[nodiscard]] int size() const noexcept { return comm_ != nullptr ? communicator().size() : 0; }
    [[nodiscard]] bool is(int rank) const noexcept {
        return comm_ != nullptr && communicator().rank() == rank;
    }

    /// Records an error unless there is one already.
    void refuse(int error_class, std::string what) {
        if (good()) error_ = fail(error_class, function(), std::move(what), comm_);
    }
    void check_root(int root) {
        if (good() && !communicator().has_rank(root))
            refuse(MPI_ERR_ROOT, pt2pt::not_a_rank(communicator(), "root", root));
    }

    /// The same for an intercommunicator.
    collective::inter::Root check_inter_root(int root);

    // Arguments that are data. Each of these checks one, records what is wrong with it, and returns how many
    // bytes the steps of the call find, or put, at `buffer`. Where the data have gaps, or lie elsewhere than
    // at the user's address, `buffer` is changed: they are staged. After an error the result has no meaning.

    /// Elements that this rank gives. They lie one behind the other `blocks` times; the bytes are of one.
    std::size_t take_input(const void*& buffer, Elements what, int blocks = 1) {
        return take(const_cast<void*&>(buffer), what, Use::input, blocks);
    }
    /// Elements that it gets.
    std::size_t take_output(void*& buffer, Elements what, Use use = Use::output, int blocks = 1) {
        return take(buffer, what, use, blocks);
    }
    /// The same of elements that are reduced, and stay apart from each other as slot_of() says.
    std::size_t take_contribution(const void*& buffer, Elements what) {
        return take_slots(const_cast<void*&>(buffer), what, Use::input);
    }
    std::size_t take_result(void*& buffer, Elements what, Use use = Use::output) {
        return take_slots(buffer, what, use);
    }
    /// Of a call in which every rank gives one block to each and gets one from each. `given` is of the own
    /// block, in place the block itself; `out_blocks`: how many there are at `sendbuf`.
    struct EqualBlocks {
        std::size_t given;
        std::size_t block;
    };
    EqualBlocks take_equal(const void*& sendbuf, Elements out, int out_blocks, void*& recvbuf, Elements in) {
        const bool in_place = sendbuf == MPI_IN_PLACE;
        const std::size_t block = take_output(recvbuf, in, in_place ? Use::both : Use::output, size());
        const std::size_t given = in_place ? block : take_input(sendbuf, out, out_blocks);
        check_fits(given, block);
        return {given, block};
    }
    /// `count` blocks: `counts[i]` elements, `displs[i]` elements behind `buffer`. Displacements may be
    /// negative; an empty block's is not used.
    template <class Count, class Offset>
    std::vector<Block> take_blocks(void*& buffer, std::size_t count, const Count* counts,
                                   const Offset* displs, MPI_Datatype datatype, Use use) {
        std::vector<Data> found;
        check_array("counts", counts, count);
        check_array("displacements", displs, count);
        const std::int64_t unit = extent_in_bytes(datatype);
        for (std::size_t i = 0; good() && i < count; ++i)
            found.push_back(block_at(buffer, displs[i] * unit, counts[i], datatype));
        return stage_blocks(buffer, found, use);
    }
    /// The same with a datatype for each block and displacements in bytes.
    template <class Count, class Offset>
    std::vector<Block> take_typed_blocks(void*& buffer, std::size_t count, const Count* counts,
                                         const Offset* displs, const MPI_Datatype* datatypes, Use use) {
        std::vector<Data> found;
        check_array("counts", counts, count);
        check_array("displacements", displs, count);
        check_array("datatypes", datatypes, count);
        for (std::size_t i = 0; good() && i < count; ++i)
            found.push_back(block_at(buffer, displs[i], counts[i], datatypes[i]));
        return stage_blocks(buffer, found, use);
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
        communicator().calls(function());
        try {
            if (invocation_.way != Invocation::Way::blocking) return hand_out(note(build));
            collective::Immediate steps(communicator());
            say(steps, build);
            return result(steps.finish());
        } catch (const std::bad_alloc&) {
            return result(Status::out_of_memory);
        }
    }

    /// The same over an intercommunicator; `build` says its steps to a Schedule.
    template <class Build>
    int perform_across(Build build) {
        if (!good()) return error_;
        communicator().calls(function());
        communicator().local().calls(function());
        try {
            auto execution = note(build);
            if (invocation_.way != Invocation::Way::blocking) return hand_out(std::move(execution));
            return result(run(execution));
        } catch (const std::bad_alloc&) {
            return result(Status::out_of_memory);
        }
    }

  private:
    [[nodiscard]] const char* function() const noexcept { return invocation_.function; }

    /// The steps noted down, with what they refer to.
    template <class Build>
    std::shared_ptr<collective::Execution> note(Build& build) {
        auto execution = std::make_shared<collective::Execution>(communicator());
        execution->keep(kept_user_);
        execution->keep(staging_);
        say(execution->schedule(), build);
        return execution;
    }
    /// From its start to its end.
    [[nodiscard]] Status run(const std::shared_ptr<collective::Execution>& execution) const;

    template <class Steps, class Build>
    void say(Steps& steps, Build& build) {
        if (staging_ != nullptr)
            steps.call([](const void* staging) { static_cast<const Staging*>(staging)->pack(); },
                       staging_.get());
        build(steps);
        if (staging_ == nullptr) return;
        steps.wait();
        steps.call([](const void* staging) { static_cast<const Staging*>(staging)->unpack(); },
                   staging_.get());
    }
    std::size_t take(void*& buffer, Elements what, Use use, int blocks) {
        std::size_t bytes = 0;
        if (good() && buffer != MPI_IN_PLACE &&
            accept_elements(buffer, what.count, dense_extent_of(what.datatype), bytes)) [[likely]]
            return bytes;
        return take_any(buffer, what, use, blocks);
    }
    /// take() for every datatype.
    std::size_t take_any(void*& buffer, Elements what, Use use, int blocks);
    std::size_t take_slots(void*& buffer, Elements what, Use use);
    /// False: it cannot be `what`, and that is recorded.
    bool check_data(const void* buffer, Elements what, Data& data);
    [[nodiscard]] Data block_at(const void* buffer, std::int64_t displacement, std::int64_t count,
                                MPI_Datatype datatype);
    [[nodiscard]] std::vector<Block> stage_blocks(void*& buffer, std::span<const Data> blocks, Use use);
    /// `add(staging)`; what it throws is recorded as an error.
    template <class Add>
    void stage(Add add);

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
    // For the execution that outlives this object.
    std::shared_ptr<UserReduction> kept_user_;
    std::shared_ptr<Staging> staging_;  // null: nothing is staged
};

}  // namespace rb2::mpi
