// MPI_Reduce_local: one step of a reduction, without messages.

#include <fmt/format.h>

#include "mpi/arguments.hpp"
#include "mpi/define.hpp"
#include "mpi/op.hpp"
#include "mpi/user_op.hpp"

namespace rb2::mpi {
namespace {

int reduce_local(const char* function, const void* in, void* inout, std::int64_t count, MPI_Datatype datatype,
                 MPI_Op op) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    Data data;
    for (const void* const buffer : {in, static_cast<const void*>(inout)})
        if (!find_data(buffer, count, datatype, data))
            return refuse_buffer(function, buffer, count, datatype, nullptr);
    const auto elements = static_cast<std::size_t>(count);
    if (const UserOp* const user = find_user_op(op); user != nullptr) {
        apply_to_array({user->function, user->large_function, user->commutative, datatype},
                       static_cast<const std::byte*>(in), static_cast<std::byte*>(inout), elements);
        return MPI_SUCCESS;
    }
    const collective::Reduction reduction = reduction_for(op, datatype);
    if (reduction.apply == nullptr)
        return fail(MPI_ERR_OP, function,
                    fmt::format("{} is no predefined operation on datatype {}", show_handle(op),
                                show_handle(datatype)));
    const std::size_t bytes = elements * extent_of(datatype);
    collective::combine(reduction, bytes_at(in, bytes), bytes_at(inout, bytes));
    return MPI_SUCCESS;
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Reduce_local, const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype,
               MPI_Op op) {
    return reduce_local("MPI_Reduce_local", inbuf, inoutbuf, count, datatype, op);
}
RB2_MPI_DEFINE(int, Reduce_local_c, const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op) {
    return reduce_local("MPI_Reduce_local_c", inbuf, inoutbuf, count, datatype, op);
}
