#pragma once
// What the three Send/Recv channels share: the sending half, and receiving through posted buffers. Protocols
// paper, section 4.1.

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "runtime/channel/buffers.hpp"
#include "runtime/channel/channel.hpp"
#include "runtime/channel/credit.hpp"
#include "runtime/channel/registered.hpp"
#include "runtime/channel/supported.hpp"
#include "runtime/channel/tickets.hpp"

namespace rb2::channel {

/// Counts the receives that a sender may still use up: the peer's credit word is how many it has posted anew
/// since the start.
class ReceiveCredits {
  public:
    ReceiveCredits(std::uint64_t* word, std::uint32_t receives) noexcept : word_(word), receives_(receives) {}

    [[nodiscard]] bool available() noexcept {
        if (sent_ - posted_anew_ < receives_) return true;
        const std::uint64_t seen = word_.load();
        // More than were ever used up cannot come from a sound receiver and is ignored.
        if (seen - posted_anew_ <= sent_ - posted_anew_) posted_anew_ = seen;
        return sent_ - posted_anew_ < receives_;
    }
    void use() noexcept { ++sent_; }

  private:
    CreditWord word_;
    std::uint64_t receives_;
    std::uint64_t sent_ = 0;
    std::uint64_t posted_anew_ = 0;  ///< as last seen
};

/// For receives that nobody counts: the fabric holds back a send that finds none.
class UncountedReceives {
  public:
    UncountedReceives(std::uint64_t*, std::uint32_t) noexcept {}
    [[nodiscard]] static constexpr bool available() noexcept { return true; }
    static constexpr void use() noexcept {}
};

/// C: the channel, whose send_message(endpoint, region, signal) makes one message of a region.
template <class C, class Credits, fabric::Endpoint E>
class MessageSender {
    static_assert(require_supported<C, E>());

  public:
    explicit MessageSender(const Side<E>& side)
        : data_(side.data),
          max_bytes_(C::message_bytes(validate(side.parameters))),
          credit_(*side.credit, side.memory.credit, C::sender_needs(side.parameters).credit),
          credits_(credit_.words(), side.parameters.slots) {}

    [[nodiscard]] Card card() const noexcept { return {.data = {}, .credit = credit_.remote()}; }
    void connect(const Card&) noexcept {}
    [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }

    Status send(fabric::Source region, Ticket& ticket) noexcept {
        if (region.bytes > max_bytes_) return Status::invalid_argument;
        harvest(*data_, tickets_);
        if (tickets_.lost()) return Status::peer_lost;
        if (tickets_.full() || !credits_.available()) return Status::would_block;
        const Status status = C::send_message(*data_, region, fabric::Signal{tickets_.next()});
        if (status != Status::ok) return status;
        credits_.use();
        ticket = tickets_.issue();
        return data_->flush();
    }

    Status test(Ticket ticket) noexcept {
        harvest(*data_, tickets_);
        return tickets_.test(ticket);
    }

  private:
    E* data_;
    std::size_t max_bytes_;
    Registered<E> credit_;
    [[no_unique_address]] Credits credits_;
    Tickets tickets_;
};

/// Tickets of posted receives: the buffer's index, and one because 0 is none.
[[nodiscard]] constexpr std::uint64_t receive_ticket(std::uint64_t buffer) noexcept { return buffer + 1; }
[[nodiscard]] constexpr std::uint64_t buffer_of(const fabric::Completion& done) noexcept {
    return done.ticket - 1;
}

/// The next message that filled one of `buffers`, which the caller then holds; as ReceiverChannel::receive().
template <fabric::Endpoint E>
Status receive_into_buffers(E& endpoint, Buffers& buffers, Message& message) noexcept {
    fabric::Completion done;
    if (!fabric::poll_one(endpoint, done)) return Status::would_block;
    const bool sound = done.operation == fabric::Operation::received && done.status == Status::ok &&
                       done.bytes <= buffers.stride() && buffers.hold(buffer_of(done));
    if (!sound) return Status::peer_lost;
    message = {.bytes = {buffers.at(buffer_of(done)), done.bytes}, .place = buffer_of(done)};
    return Status::ok;
}

/// Start-up only: throws StartupError when a receive cannot be posted.
void require_posted(Status status);

}  // namespace rb2::channel
