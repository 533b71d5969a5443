#pragma once
// The sends of one sender that are not known complete.

#include <bit>
#include <cstdint>

#include "runtime/channel/channel.hpp"
#include "runtime/fabric/harvest.hpp"

namespace rb2::channel {

/// Most sends in flight. What a send keeps until then (a bell to be gathered, a region to be sent later) lies
/// at its ticket modulo this.
inline constexpr std::uint64_t kSendWindow = 64;

/// Gives tickets in order and takes their completions in any.
class Tickets {
  public:
    /// Of the next send.
    [[nodiscard]] Ticket next() const noexcept { return next_; }
    [[nodiscard]] bool full() const noexcept { return next_ - oldest_ == kSendWindow; }
    /// The next send has been accepted.
    Ticket issue() noexcept { return next_++; }

    /// A completion at the sender's data endpoint. One that failed, of whatever operation, means that the
    /// peer is lost.
    void take(const fabric::Completion& done) noexcept {
        if (done.status != Status::ok) lost_ = true;
        if (done.status != Status::ok || done.ticket - oldest_ >= next_ - oldest_) return;
        done_ |= std::uint64_t{1} << (done.ticket - oldest_);
        const int finished = std::countr_one(done_);
        done_ = finished == static_cast<int>(kSendWindow) ? 0 : done_ >> finished;
        oldest_ += static_cast<std::uint64_t>(finished);
    }

    /// As SenderChannel::test(). A ticket that was never given is invalid_argument.
    [[nodiscard]] Status test(Ticket ticket) const noexcept {
        if (ticket == 0 || ticket >= next_) return Status::invalid_argument;
        if (ticket < oldest_ || (done_ >> (ticket - oldest_) & 1) != 0) return Status::ok;
        return lost_ ? Status::peer_lost : Status::would_block;
    }
    [[nodiscard]] bool lost() const noexcept { return lost_; }
    /// What the peer sent cannot be right.
    void lose() noexcept { lost_ = true; }

  private:
    Ticket oldest_ = 1;  ///< not complete, as far as known
    Ticket next_ = 1;
    std::uint64_t done_ = 0;  ///< bit i: oldest_ + i is complete
    bool lost_ = false;
};

/// Hands the completions at a sender's data endpoint to its tickets.
template <fabric::Endpoint E>
void harvest(E& endpoint, Tickets& tickets) noexcept {
    fabric::harvest_completions(endpoint, [&](const fabric::Completion& done) { tickets.take(done); });
}

}  // namespace rb2::channel
