#pragma once
// Write slot channels with slots of their own for every sender: both sides, for any way to deliver a message
// (write_slot_inlined_bell.hpp and its neighbours).

#include "runtime/channel/registered.hpp"
#include "runtime/channel/slots.hpp"
#include "runtime/channel/supported.hpp"
#include "runtime/channel/tickets.hpp"

namespace rb2::channel {

/// C: the channel, with its Delivery:
///   kNotifies                       the receiver learns of a message by a completion
///   layout(parameters)              SlotLayout
///   kSenderBytes                    data memory it needs at the sender
///   Outbound<E>(side)
///     deliver(E&, remote, layout, parcel)   ok: the parcel will arrive, and completes its ticket
///     finish(E&)                            goes on with a delivery that the endpoint took in part
template <class C, fabric::Endpoint E>
class SlotSender {
    static_assert(require_supported<C, E>());
    using Delivery = typename C::Delivery;

  public:
    explicit SlotSender(const Side<E>& side)
        : data_(side.data),
          layout_(Delivery::layout(validate(side.parameters))),
          outbound_(side),
          credit_(*side.credit, side.memory.credit, CreditWord::kBytes),
          credits_(credit_.words(), side.parameters.slots) {}

    [[nodiscard]] Card card() const noexcept { return {.data = {}, .credit = credit_.remote()}; }
    void connect(const Card& peer) noexcept { slots_ = peer.data; }
    [[nodiscard]] std::size_t max_bytes() const noexcept { return layout_.message_bytes; }

    Status send(fabric::Source region, Ticket& ticket) noexcept {
        return post(credits_.pick(), region, ticket);
    }

    Status send_to(std::uint32_t slot, fabric::Source region, Ticket& ticket) noexcept {
        if (slot >= layout_.slots) return Status::invalid_argument;
        return post(credits_.free(slot) ? slot : SlotCredits::kNone, region, ticket);
    }

    Status test(Ticket ticket) noexcept {
        harvest(*data_, tickets_);
        static_cast<void>(outbound_.finish(*data_));  // what is wrong with the endpoint, the tickets tell
        return tickets_.test(ticket);
    }

  private:
    Status post(std::uint64_t slot, fabric::Source region, Ticket& ticket) noexcept {
        if (region.bytes > max_bytes()) return Status::invalid_argument;
        harvest(*data_, tickets_);
        if (tickets_.lost()) return Status::peer_lost;
        if (slot == SlotCredits::kNone || tickets_.full()) return Status::would_block;
        if (const Status status = outbound_.finish(*data_); status != Status::ok) return status;
        const Status status =
            outbound_.deliver(*data_, slots_, layout_, {slot, sequence_, region, tickets_.next()});
        if (status != Status::ok) return status;
        credits_.use(slot);
        ++sequence_;
        ticket = tickets_.issue();
        return data_->flush();
    }

    E* data_;
    SlotLayout layout_;
    typename Delivery::template Outbound<E> outbound_;
    Registered<E> credit_;
    SlotCredits credits_;
    fabric::Remote slots_{};
    Tickets tickets_;
    std::uint64_t sequence_ = 0;
};

template <class C, fabric::Endpoint E>
class SlotReceiver {
    static_assert(require_supported<C, E>());
    using Delivery = typename C::Delivery;

  public:
    explicit SlotReceiver(const Side<E>& side)
        : data_(side.data),
          layout_(Delivery::layout(validate(side.parameters))),
          memory_(*side.data, side.memory.data, layout_.bytes()),
          buffers_(memory_.data(), layout_.slots, layout_.stride()),
          credit_(*side.credit, credit_share(layout_.slots, side.parameters)) {}

    [[nodiscard]] Card card() const noexcept { return {.data = memory_.remote(), .credit = {}}; }
    void connect(const Card& peer) noexcept { credit_.connect(peer.credit); }

    Status receive(Message& message) noexcept {
        credit_.progress();
        if (lost_ || credit_.lost()) return Status::peer_lost;
        Arrival arrival{};
        if (!next(arrival)) return Status::would_block;
        lost_ = lost_ || arrival.length > layout_.message_bytes || !buffers_.hold(arrival.slot);
        if (lost_) return Status::peer_lost;
        message = {.bytes = {memory_.data() + layout_.message(arrival.slot, arrival.length), arrival.length},
                   .place = arrival.slot};
        return Status::ok;
    }

    Status free(const Message& message) noexcept {
        if (!buffers_.release(message.place)) return Status::invalid_argument;
        if constexpr (!Delivery::kNotifies) Bell::clear(memory_.data() + layout_.bell(message.place));
        freed_ ^= std::uint64_t{1} << message.place;
        credit_.freed(1, freed_);
        return Status::ok;
    }

  private:
    /// Anything else than a notice at this endpoint means that something is wrong with it.
    [[nodiscard]] bool next(Arrival& arrival) noexcept {
        if constexpr (Delivery::kNotifies) {
            fabric::Completion done;
            if (!fabric::poll_one(*data_, done)) return false;
            lost_ = done.operation != fabric::Operation::imm_arrived || done.status != Status::ok;
            arrival = Notice::unpack(done.imm);
            return true;
        } else {
            return bells_.find(memory_.data(), layout_, all_slots(layout_.slots) & ~buffers_.held(), arrival);
        }
    }

    E* data_;
    SlotLayout layout_;
    Registered<E> memory_;
    Buffers buffers_;
    CreditReturn<E> credit_;
    BellPoller bells_;
    std::uint64_t freed_ = 0;  ///< the credit word
    bool lost_ = false;
};

/// What the three channels have in common besides their Traits.
template <class C, class Way>
struct WriteSlot {
    using Delivery = Way;

    [[nodiscard]] static constexpr Needs sender_needs(const Parameters&) noexcept {
        return {.data = Delivery::kSenderBytes, .credit = CreditWord::kBytes};
    }
    [[nodiscard]] static constexpr Needs receiver_needs(const Parameters& parameters) noexcept {
        return {.data = Delivery::layout(parameters).bytes(), .credit = 0};
    }
    template <fabric::Endpoint E>
    using Sender = SlotSender<C, E>;
    template <fabric::Endpoint E>
    using Receiver = SlotReceiver<C, E>;
};

}  // namespace rb2::channel
