#pragma once
// One READ of a receiver that is under way.

#include <cstdint>

#include "runtime/fabric/fabric.hpp"

namespace rb2::channel {

/// At most one at a time. `ticket` tells it from the other reads of the same endpoint.
class Fetch {
  public:
    explicit Fetch(std::uint64_t ticket) noexcept : ticket_(ticket) {}

    /// ok: it is under way; would_block: call again; peer_lost.
    template <fabric::Endpoint E>
    Status start(E& endpoint, fabric::Sink sink, fabric::Remote from) noexcept {
        const Status status = endpoint.read(sink, from, fabric::Signal{ticket_});
        if (status != Status::ok) return status;
        state_ = State::under_way;
        return endpoint.flush();
    }

    /// Whether the completion is this READ's.
    bool take(const fabric::Completion& done) noexcept {
        if (done.operation != fabric::Operation::read || done.ticket != ticket_) return false;
        state_ = State::arrived;
        return true;
    }

    [[nodiscard]] bool under_way() const noexcept { return state_ == State::under_way; }
    /// True once for each READ that has arrived.
    [[nodiscard]] bool arrived() noexcept {
        if (state_ != State::arrived) return false;
        state_ = State::idle;
        return true;
    }

  private:
    enum class State : std::uint8_t { idle, under_way, arrived };
    std::uint64_t ticket_;
    State state_ = State::idle;
};

}  // namespace rb2::channel
