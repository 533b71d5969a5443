// MPI_Op_create and its kin.

#include "mpi/user_op.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "mpi/datatype/staging.hpp"
#include "mpi/datatype/type.hpp"
#include "mpi/define.hpp"
#include "mpi/errors.hpp"

namespace rb2::mpi {
namespace {

/// Users' functions take pointers to what is not const, and may change length and datatype.
template <class Function, class Count>
void call_user(Function* function, const std::byte* in, std::byte* inout, Count count,
               MPI_Datatype datatype) {
    function(const_cast<std::byte*>(in), inout, &count, &datatype);
}

/// Elements that would overlap if they were one extent apart.
void apply_one_by_one(const UserReduction& user, const Slot& slot, const std::byte* in, std::byte* inout,
                      std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::byte* const left = in + i * slot.bytes + slot.origin;
        std::byte* const right = inout + i * slot.bytes + slot.origin;
        if (user.large_function != nullptr)
            call_user(user.large_function, left, right, MPI_Count{1}, user.datatype);
        else
            call_user(user.function, left, right, 1, user.datatype);
    }
}

void apply_user(const std::byte* in, std::byte* inout, std::size_t count, const void* argument) {
    const auto& user = *static_cast<const UserReduction*>(argument);
    const Slot slot = slot_of(user.datatype);
    if (slot.together)
        apply_to_array(user, in, inout, count);
    else
        apply_one_by_one(user, slot, in, inout, count);
}

template <class Function>
int op_create(const char* name, Function* UserOp::*slot, Function* function, int commute, MPI_Op* op) {
    if (const int error = require_running(name); error != MPI_SUCCESS) return error;
    if (function == nullptr) return fail(MPI_ERR_ARG, name, "the function is a null pointer");
    auto made = std::make_unique<UserOp>();
    made.get()->*slot = function;
    made->commutative = commute != 0;
    *op = reinterpret_cast<MPI_Op>(made.release());
    return MPI_SUCCESS;
}

int op_free(const char* name, MPI_Op* op) {
    if (const int error = require_running(name); error != MPI_SUCCESS) return error;
    const std::unique_ptr<UserOp> user(find_user_op(*op));
    if (user == nullptr)
        return fail(MPI_ERR_OP, name,
                    fmt::format("{} is no operation made by MPI_Op_create", show_handle(*op)));
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

bool is_predefined_op(MPI_Op op) {
    for (const MPI_Op known : {MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND,
                               MPI_LOR, MPI_LXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP})
        if (op == known) return true;
    return false;
}

/// MPI_REPLACE and MPI_NO_OP depend on the order; all other predefined operations do not.
int op_commutative(const char* name, MPI_Op op, int* commute) {
    if (const int error = require_running(name); error != MPI_SUCCESS) return error;
    const UserOp* const user = find_user_op(op);
    if (user == nullptr && !is_predefined_op(op))
        return fail(MPI_ERR_OP, name, fmt::format("{} is no operation", show_handle(op)));
    const bool ordered = op == MPI_REPLACE || op == MPI_NO_OP;
    *commute = (user != nullptr ? user->commutative : !ordered) ? 1 : 0;
    return MPI_SUCCESS;
}

}  // namespace

void apply_to_array(const UserReduction& user, const std::byte* in, std::byte* inout, std::size_t count) {
    if (user.large_function != nullptr)
        return call_user(user.large_function, in, inout, static_cast<MPI_Count>(count), user.datatype);
    constexpr std::size_t most = std::numeric_limits<int>::max();  // that one call can be given
    const std::int64_t extent = extent_in_bytes(user.datatype);
    for (std::size_t done = 0; done < count; done += most) {
        const std::int64_t begin = static_cast<std::int64_t>(done) * extent;
        call_user(user.function, in + begin, inout + begin, static_cast<int>(std::min(most, count - done)),
                  user.datatype);
    }
}

collective::Reduction reduction_of(const UserReduction& user) noexcept {
    return {apply_user, slot_of(user.datatype).bytes, user.commutative, &user};
}

}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Op_create, MPI_User_function* user_fn, int commute, MPI_Op* op) {
    return op_create("MPI_Op_create", &UserOp::function, user_fn, commute, op);
}
RB2_MPI_DEFINE(int, Op_create_c, MPI_User_function_c* user_fn, int commute, MPI_Op* op) {
    return op_create("MPI_Op_create_c", &UserOp::large_function, user_fn, commute, op);
}
RB2_MPI_DEFINE(int, Op_free, MPI_Op* op) { return op_free("MPI_Op_free", op); }
RB2_MPI_DEFINE(int, Op_commutative, MPI_Op op, int* commute) {
    return op_commutative("MPI_Op_commutative", op, commute);
}
