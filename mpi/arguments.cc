#include "mpi/arguments.hpp"

#include <fmt/format.h>

#include "mpi/datatype/type.hpp"
#include "mpi/errors.hpp"
#include "pt2pt/describe.hpp"

namespace rb2::mpi {
namespace {

int fail_call(int error_class, const MessageCall& call, const Comm* comm, std::string what) {
    Failure failure;
    failure.error_class = error_class;
    failure.function = call.function;
    failure.comm = comm;
    failure.what = std::move(what);
    failure.peer = call.peer;
    failure.message = describe(call);
    return fail(failure);
}

const char* peer_word(Direction direction) { return direction == Direction::send ? "destination" : "source"; }

}  // namespace

std::string describe(const MessageCall& call) {
    const std::size_t size = size_of(call.datatype);
    if (size == kNoDatatype) return fmt::format("{}, {} elements", pt2pt::show_tag(call.tag), call.count);
    return fmt::format("{}, {} element{} of {} byte{}", pt2pt::show_tag(call.tag), call.count,
                       call.count == 1 ? "" : "s", size, size == 1 ? "" : "s");
}

bool accept_any(Direction direction, const MessageCall& call, AnyMessage& message) {
    message.comm = find_comm(call.comm);
    if (message.comm == nullptr) return false;
    const pt2pt::Communicator& communicator = *message.comm->communicator;
    const bool good = direction == Direction::send
                          ? accept_envelope<Direction::send>(communicator, call.peer, call.tag)
                          : accept_envelope<Direction::receive>(communicator, call.peer, call.tag);
    if (!good || !find_data(call.buffer, call.count, call.datatype, message.data)) return false;
    message.world_peer = communicator.world_source(call.peer);
    return true;
}

int refuse_buffer(const char* function, const void* buffer, std::int64_t count, MPI_Datatype datatype,
                  const Comm* comm) {
    const std::size_t size = size_of(datatype);
    std::size_t bytes = 0;
    if (count < 0) return fail(MPI_ERR_COUNT, function, fmt::format("the count is {}", count), comm);
    if (size == kNoDatatype) return fail(MPI_ERR_TYPE, function, unknown_datatype(datatype), comm);
    if (layout_of(datatype) == nullptr)
        return fail(MPI_ERR_TYPE, function, "the datatype is not committed: call MPI_Type_commit first",
                    comm);
    if (__builtin_mul_overflow(static_cast<std::size_t>(count), size, &bytes))
        return fail(MPI_ERR_COUNT, function,
                    fmt::format("{} elements of {} bytes are more than an address can reach", count, size),
                    comm);
    if (buffer == nullptr && count > 0 && find_type(datatype) == nullptr)
        return fail(MPI_ERR_BUFFER, function,
                    fmt::format("the buffer is a null pointer, but the count is {}", count), comm);
    return MPI_SUCCESS;
}

int refuse_envelope(Direction direction, const MessageCall& call) {
    Comm* const comm = find_comm(call.comm);
    if (comm == nullptr) return fail_comm(call.function, call.comm);
    const pt2pt::Communicator& communicator = *comm->communicator;
    const bool wildcard = direction == Direction::receive && call.peer == MPI_ANY_SOURCE;
    if (!communicator.has_rank(call.peer) && !wildcard && call.peer != MPI_PROC_NULL)
        return fail_call(MPI_ERR_RANK, call, comm,
                         pt2pt::not_a_rank(communicator, peer_word(direction), call.peer));
    if (call.tag < 0 && !(direction == Direction::receive && call.tag == MPI_ANY_TAG))
        return fail_call(MPI_ERR_TAG, call, comm, pt2pt::not_a_tag(call.tag));
    return MPI_SUCCESS;
}

int refuse(Direction direction, MessageCall call) {
    if (const int error = refuse_envelope(direction, call); error != MPI_SUCCESS) return error;
    return refuse_buffer(call.function, call.buffer, call.count, call.datatype, find_comm(call.comm));
}

Failure message_failure(const MessageCall& call, const Comm& comm, const pt2pt::MessageInfo& info) {
    Failure failure;
    failure.error_class = class_of(info.status);
    failure.function = call.function;
    failure.comm = &comm;
    failure.peer = info.source;
    failure.message = describe(call);
    if (info.status == Status::truncated)
        failure.what = fmt::format(
            "a message of {} bytes from rank {} with tag {} came for a buffer of {} bytes", info.bytes,
            info.source, info.tag, static_cast<std::size_t>(call.count) * size_of(call.datatype));
    else
        failure.what = fmt::format("the message with rank {} could not be completed", info.source);
    return failure;
}

}  // namespace rb2::mpi
