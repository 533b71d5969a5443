#pragma once
// Checks and error texts of the C++ interface.

#include <optional>
#include <string>
#include <string_view>

#include "api/state.hpp"
#include "rb2/result.hpp"

namespace rb2::detail {

/// What a call was about, for its error.
struct Call {
    std::string_view name;  ///< "Communicator::send"
    const CommunicatorState* state;
    int peer = kNullRank;
    int tag = kAnyTag;
};

/// An error in the arguments of `call`, or of using it without a running job.
[[gnu::cold]] Error argument_error(const Call& call, std::string_view what, std::string_view advice);

/// The error for a result of the engine that is not ok; `what` tells more.
[[gnu::cold]] Error message_error(const Call& call, Status status, std::string_view what);

/// The error of a message that did not fit.
[[gnu::cold]] Error receive_error(const Call& call, const pt2pt::MessageInfo& info, std::uint64_t capacity);

/// True when the job runs and the communicator is one.
inline bool usable(const CommunicatorState* state) noexcept {
    return state != nullptr && pt2pt::Job::current() != nullptr;
}

/// True when `call` can be carried out with its destination, or source. Else why_not_…() gives the error, or
/// nothing: the peer is the null rank.
inline bool can_send(const Call& call) noexcept {
    return usable(call.state) && call.state->communicator->has_rank(call.peer) && call.tag >= 0;
}
inline bool can_receive(const Call& call) noexcept {
    return usable(call.state) && (call.state->communicator->has_rank(call.peer) || call.peer == kAnySource) &&
           (call.tag >= 0 || call.tag == kAnyTag);
}
[[gnu::cold]] std::optional<Error> why_not_send(const Call& call);
[[gnu::cold]] std::optional<Error> why_not_receive(const Call& call);

}  // namespace rb2::detail
