#pragma once
// What the handles of the C++ interface stand for.

#include <memory>

#include "pt2pt/communicator.hpp"
#include "pt2pt/job.hpp"
#include "rb2/communicator.hpp"

namespace rb2::detail {

struct CommunicatorState {
    pt2pt::Communicator* communicator = nullptr;
    std::unique_ptr<pt2pt::Communicator> owned;  // null for world and self, which the job owns
};

/// One nonblocking operation, owned by its Request.
struct Operation {
    pt2pt::Request* request = nullptr;  // null: a receive from the null rank, complete from the start
    std::shared_ptr<CommunicatorState> state;
    std::uint64_t capacity = 0;  // bytes of a receive's buffer

    [[nodiscard]] bool complete() const noexcept { return request == nullptr || request->complete(); }
    [[nodiscard]] pt2pt::Engine& engine() const noexcept { return state->communicator->engine(); }
};

/// The engine's report, for users. Sends have no source and tag of interest.
[[nodiscard]] inline RecvStatus to_status(const pt2pt::Communicator& communicator,
                                          const pt2pt::MessageInfo& info) {
    return {communicator.local_rank(info.source), info.tag, info.bytes, info.cancelled};
}
[[nodiscard]] inline RecvStatus null_status() { return {kNullRank, kAnyTag, 0, false}; }

}  // namespace rb2::detail
