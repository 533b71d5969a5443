#pragma once
// The sending half of the read slot channels that offer the caller's own region: it stays where it is until
// the receiver has fetched it, so nothing is copied and no memory is needed but for the offers. Protocols
// paper, section 4.5.

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/channel/channel.hpp"
#include "runtime/channel/credit.hpp"
#include "runtime/channel/offer.hpp"
#include "runtime/channel/registered.hpp"
#include "runtime/channel/supported.hpp"
#include "runtime/channel/tickets.hpp"

namespace rb2::channel {

/// How many messages are on offer and how many have been read: the credit word is the second.
class Offered {
  public:
    Offered(std::uint64_t* read, std::uint32_t places) noexcept : word_(read), places_(places) {}

    [[nodiscard]] std::uint64_t next() const noexcept { return sent_; }
    [[nodiscard]] bool full() noexcept { return sent_ - read_ == places_ && sent_ - look() == places_; }
    /// The next message is on offer. Message n has ticket n + 1.
    Ticket issue() noexcept { return ++sent_; }

    /// As SenderChannel::test(): ok once the message has been read.
    [[nodiscard]] Status test(Ticket ticket) noexcept {
        if (ticket == 0 || ticket > sent_) return Status::invalid_argument;
        return ticket <= read_ || ticket <= look() ? Status::ok : Status::would_block;
    }
    /// How many have been read.
    [[nodiscard]] std::uint64_t look() noexcept {
        const std::uint64_t seen = word_.load();
        // More than were offered cannot come from a sound receiver and is ignored.
        if (seen - read_ <= sent_ - read_) read_ = seen;
        return read_;
    }

  private:
    CreditWord word_;
    std::uint64_t places_;
    std::uint64_t sent_ = 0;
    std::uint64_t read_ = 0;  ///< as last seen
};

/// C: the channel; Outbound: how the offer gets to the receiver, as in notice.hpp.
template <class C, class Outbound, fabric::Endpoint E>
class OfferingSender {
    static_assert(require_supported<C, E>());

  public:
    explicit OfferingSender(const Side<E>& side)
        : data_(side.data),
          parameters_(validate(side.parameters)),
          memory_(*side.data, side.memory.data, C::sender_needs(parameters_).data),
          credit_(*side.credit, side.memory.credit, CreditWord::kBytes),
          outbound_(memory_, side),
          offered_(credit_.words(), parameters_.slots) {}

    [[nodiscard]] Card card() const noexcept {
        return {.data = memory_.remote(), .credit = credit_.remote()};
    }
    void connect(const Card& peer) noexcept { outbound_.connect(peer.data); }
    [[nodiscard]] std::size_t max_bytes() const noexcept { return parameters_.message_bytes; }

    Status send(fabric::Source region, Ticket& ticket) noexcept {
        const fabric::Remote place =
            as_seen_by_peer(region.data, region.key, memory_.data(), memory_.remote());
        if (region.bytes > max_bytes() || place.address > kMostAddress) return Status::invalid_argument;
        harvest();
        if (lost_) return Status::peer_lost;
        if (offered_.full()) return Status::would_block;
        const Status status =
            outbound_.publish(offered_.next(), {place, static_cast<std::uint32_t>(region.bytes)});
        if (status == Status::ok) ticket = offered_.issue();
        return status;
    }

    Status test(Ticket ticket) noexcept {
        harvest();
        const Status status = offered_.test(ticket);
        return status == Status::would_block && lost_ ? Status::peer_lost : status;
    }

  private:
    void harvest() noexcept {
        fabric::harvest_completions(*data_, [this](const fabric::Completion& done) {
            if (done.status != Status::ok) lost_ = true;
        });
    }

    E* data_;
    Parameters parameters_;
    Registered<E> memory_;
    Registered<E> credit_;
    Outbound outbound_;
    Offered offered_;
    bool lost_ = false;
};

}  // namespace rb2::channel
