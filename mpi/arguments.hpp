#pragma once
// Checking the arguments of messages: quickly when all is well, in words when not.
//
// accept() is the short way: one branch over all checks, for dense predefined datatypes. When it says no,
// accept_any() looks whether the datatype is another one; when it says no, too, refuse() finds out why: null
// rank, or which argument is wrong. The calls that must be quick try accept_quickly() on their bare arguments
// first and describe themselves in a MessageCall, which costs stores, only when that says no.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "mpi.h"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/datatype/data.hpp"
#include "mpi/errors.hpp"

namespace rb2::mpi {

enum class Direction : std::uint8_t { send, receive };

/// The arguments of one send or receive, as the user gave them.
struct MessageCall {
    const char* function;
    const void* buffer;
    std::int64_t count;
    MPI_Datatype datatype;
    int peer;  ///< destination or source
    int tag;
    MPI_Comm comm;
};

/// The same, checked and translated.
struct Message {
    Comm* comm = nullptr;
    std::size_t bytes = 0;
    int world_peer = 0;
};

/// The same for data of any datatype.
struct AnyMessage {
    Comm* comm = nullptr;
    Data data;
    int world_peer = 0;
};

/// A user's buffer.
inline std::span<std::byte> bytes_at(void* buffer, std::size_t bytes) {
    return {static_cast<std::byte*>(buffer), bytes};
}
inline std::span<const std::byte> bytes_at(const void* buffer, std::size_t bytes) {
    return {static_cast<const std::byte*>(buffer), bytes};
}

/// True when `buffer` can hold `count` elements, `extent` bytes apart; sets `bytes`.
inline bool accept_elements(const void* buffer, std::int64_t count, std::size_t extent, std::size_t& bytes) {
    const bool overflow = __builtin_mul_overflow(static_cast<std::size_t>(count), extent, &bytes);
    return (count >= 0) & (extent != kNoDatatype) & !overflow & ((buffer != nullptr) | (count == 0));
}

/// True when `buffer` can hold `count` elements of a predefined datatype; sets `bytes`, those of padding
/// included.
inline bool accept_buffer(const void* buffer, std::int64_t count, MPI_Datatype datatype, std::size_t& bytes) {
    return accept_elements(buffer, count, extent_of(datatype), bytes);
}

/// True when a message to or from `peer` can carry `tag` in the communicator.
template <Direction kDirection>
inline bool accept_envelope(const pt2pt::Communicator& communicator, int peer, int tag) {
    if constexpr (kDirection == Direction::send) return communicator.has_rank(peer) && tag >= 0;
    return (communicator.has_rank(peer) || peer == MPI_ANY_SOURCE) && (tag >= 0 || tag == MPI_ANY_TAG);
}

/// True when the message can be sent or received as it is; then `message` is filled.
template <Direction kDirection>
inline bool accept(const MessageCall& call, Message& message) {
    message.comm = find_comm(call.comm);
    if (message.comm == nullptr) [[unlikely]]
        return false;
    const pt2pt::Communicator& communicator = *message.comm->communicator;
    if (!accept_elements(call.buffer, call.count, dense_extent_of(call.datatype), message.bytes) ||
        !accept_envelope<kDirection>(communicator, call.peer, call.tag)) [[unlikely]]
        return false;
    message.world_peer = communicator.world_source(call.peer);
    return true;
}

/// accept() without a call or a division of cases. False also for some good messages, rare ones: then take
/// the way of a MessageCall.
template <Direction kDirection, class Count>
[[gnu::always_inline]] inline bool accept_quickly(const void* buffer, Count count, MPI_Datatype datatype,
                                                  int peer, int tag, MPI_Comm comm, Message& message) {
    constexpr std::uint64_t most_elements = std::uint64_t{1} << 32;  // times an extent: no overflow
    const std::size_t extent = dense_extent_of(datatype);
    if (extent == kNoDatatype) [[unlikely]]
        return false;
    message.comm = find_comm_quickly(comm);
    if (message.comm == nullptr || buffer == nullptr) [[unlikely]]
        return false;
    const pt2pt::Communicator& communicator = *message.comm->communicator;
    const bool countable =
        sizeof(Count) == sizeof(int) ? count >= 0 : static_cast<std::uint64_t>(count) <= most_elements;
    if (!countable || !accept_envelope<kDirection>(communicator, peer, tag)) [[unlikely]]
        return false;
    message.bytes = static_cast<std::size_t>(count) * extent;
    message.world_peer =
        kDirection == Direction::send ? communicator.world_rank(peer) : communicator.world_source(peer);
    return true;
}

/// accept() for every datatype.
[[gnu::noinline]] bool accept_any(Direction direction, const MessageCall& call, AnyMessage& message);

/// What the engine takes for data with gaps.
inline pt2pt::Gather gather(const Data& data) { return {data.memory, data.layout, data.bytes}; }
inline pt2pt::Scatter scatter(const Data& data) { return {data.memory, data.layout, data.bytes}; }

/// Why accept_any() refused: the error class, already reported, or MPI_SUCCESS when the peer is MPI_PROC_NULL
/// and all else is right, so that there is nothing to do.
[[gnu::cold, gnu::noinline]] int refuse(Direction direction, MessageCall call);

/// Checks of a source and tag alone, for probes. Same contract as accept() and refuse().
[[gnu::cold, gnu::noinline]] int refuse_envelope(Direction direction, const MessageCall& call);

/// Checks of a buffer alone, for any datatype: MPI_SUCCESS, or the error, already reported.
[[gnu::cold, gnu::noinline]] int refuse_buffer(const char* function, const void* buffer, std::int64_t count,
                                               MPI_Datatype datatype, const Comm* comm);

/// "tag 5, 100 elements of 4 bytes".
[[nodiscard]] std::string describe(const MessageCall& call);

/// The error for a result of the engine that is not ok. `info`: the incoming message, its source a rank in
/// `comm`; of a send only the status and the destination count.
[[nodiscard]] Failure message_failure(const MessageCall& call, const Comm& comm,
                                      const pt2pt::MessageInfo& info);

}  // namespace rb2::mpi
