#pragma once
// Reduction operations that users make: MPI_Op_create.

#include "mpi.h"
#include "mpi/comm.hpp"
#include "pt2pt/collective/reduction.hpp"

namespace rb2::mpi {

/// Lives as long as its handle. One of the two functions is there.
struct UserOp {
    Magic magic = Magic::op;
    bool commutative = true;
    MPI_User_function* function = nullptr;
    MPI_User_function_c* large_function = nullptr;

    ~UserOp() { magic = Magic::gone; }
};

/// The user's operation behind a handle, or null: predefined, or none.
inline UserOp* find_user_op(MPI_Op handle) noexcept { return object_behind<UserOp>(handle, Magic::op); }

/// A user's operation on elements of one datatype. It may outlive the operation's handle.
struct UserReduction {
    MPI_User_function* function = nullptr;
    MPI_User_function_c* large_function = nullptr;
    bool commutative = true;
    MPI_Datatype datatype = MPI_DATATYPE_NULL;
};

/// Calls the user's function for `count` elements one extent apart.
void apply_to_array(const UserReduction& user, const std::byte* in, std::byte* inout, std::size_t count);

/// The reduction; it keeps the address of `user`.
[[nodiscard]] collective::Reduction reduction_of(const UserReduction& user) noexcept;

}  // namespace rb2::mpi
