#pragma once
// Ring buffer channels: both sides, for any way to tell the receiver of a record (ring_imm.hpp and its
// neighbours). Protocols paper, section 4.3.

#include "runtime/channel/bell.hpp"
#include "runtime/channel/credit.hpp"
#include "runtime/channel/registered.hpp"
#include "runtime/channel/ring_memory.hpp"
#include "runtime/channel/supported.hpp"
#include "runtime/channel/tickets.hpp"

namespace rb2::channel {

/// A message as a record of the ring.
struct RingParcel {
    std::uint64_t position;
    std::uint64_t bytes;  ///< of the record
    std::uint64_t next;   ///< position of the record behind it
    fabric::Source region;
    Ticket ticket;
};

/// A record that is in the ring.
struct RingArrival {
    std::uint64_t position;
    std::uint64_t length;  ///< of the message, as the peer wrote it
};

/// The receiver's memory: `front_bytes` for the channel, then the ring.
struct RingPlace {
    RingLayout layout;
    std::size_t front_bytes;

    [[nodiscard]] std::size_t bytes() const noexcept { return front_bytes + layout.lap(); }
};

/// C::Framing says how a message becomes a record:
///   kNotifies                    the receiver learns of it by a completion
///   kOverhang, kFrontBytes       RingLayout, RingPlace
///   kSenderBytes                 data memory it needs at the sender
///   record_bytes(length)         a multiple of 8, at least 8
///   message(layout, arrival)     offset of the message in the ring
///   Outbound<E>(side)
///     deliver(E&, memory, place, parcel)  ok: it will arrive, and completes its ticket
///     finish(E&)                          goes on with a delivery that the endpoint took in part
///   Inbound
///     find(memory, place, position, arrival)   whether the record at `position` is complete; polled framings
///     read(completion, freed, arrival)         where the record is; notifying framings
///   free(memory, place, position, bytes)       leaves the record's memory as the framing needs it
template <class C>
[[nodiscard]] RingPlace ring_place(const Parameters& parameters) noexcept {
    using Framing = typename C::Framing;
    return {RingLayout(parameters, Framing::record_bytes(parameters.message_bytes), Framing::kOverhang),
            Framing::kFrontBytes};
}

template <class C, fabric::Endpoint E>
class RingSender {
    static_assert(require_supported<C, E>());
    using Framing = typename C::Framing;

  public:
    explicit RingSender(const Side<E>& side)
        : data_(side.data),
          place_(ring_place<C>(validate(side.parameters))),
          max_bytes_(side.parameters.message_bytes),
          outbound_(side),
          credit_(*side.credit, side.memory.credit, CreditWord::kBytes),
          word_(credit_.words()) {}

    [[nodiscard]] Card card() const noexcept { return {.data = {}, .credit = credit_.remote()}; }
    void connect(const Card& peer) noexcept { memory_ = peer.data; }
    [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }

    Status send(fabric::Source region, Ticket& ticket) noexcept {
        if (region.bytes > max_bytes_) return Status::invalid_argument;
        harvest(*data_, tickets_);
        if (tickets_.lost()) return Status::peer_lost;
        const std::uint64_t bytes = Framing::record_bytes(region.bytes);
        if (tickets_.full() || !has_room(bytes)) return Status::would_block;
        if (const Status status = outbound_.finish(*data_); status != Status::ok) return status;
        const std::uint64_t next = place_.layout.next(tail_ + bytes);
        const Status status =
            outbound_.deliver(*data_, memory_, place_, {tail_, bytes, next, region, tickets_.next()});
        if (status != Status::ok) return status;
        tail_ = next;
        ticket = tickets_.issue();
        return data_->flush();
    }

    Status test(Ticket ticket) noexcept {
        harvest(*data_, tickets_);
        static_cast<void>(outbound_.finish(*data_));  // what is wrong with the endpoint, the tickets tell
        return tickets_.test(ticket);
    }

  private:
    [[nodiscard]] bool has_room(std::uint64_t bytes) noexcept {
        if (place_.layout.has_room(tail_, bytes, freed_)) return true;
        const std::uint64_t freed = word_.load();
        // A position outside [freed_, tail_] cannot come from a sound receiver and is ignored.
        if (freed - freed_ <= tail_ - freed_) freed_ = freed;
        return place_.layout.has_room(tail_, bytes, freed_);
    }

    E* data_;
    RingPlace place_;
    std::size_t max_bytes_;
    typename Framing::template Outbound<E> outbound_;
    Registered<E> credit_;
    CreditWord word_;
    fabric::Remote memory_{};
    Tickets tickets_;
    std::uint64_t tail_ = 0;   ///< position of the next record
    std::uint64_t freed_ = 0;  ///< as last seen
};

template <class C, fabric::Endpoint E>
class RingReceiver {
    static_assert(require_supported<C, E>());
    using Framing = typename C::Framing;

  public:
    explicit RingReceiver(const Side<E>& side)
        : data_(side.data),
          place_(ring_place<C>(validate(side.parameters))),
          memory_(*side.data, side.memory.data, place_.bytes()),
          records_(place_.layout),
          credit_(*side.credit, place_.layout.credit_share(side.parameters)) {}

    [[nodiscard]] Card card() const noexcept { return {.data = memory_.remote(), .credit = {}}; }
    void connect(const Card& peer) noexcept { credit_.connect(peer.credit); }

    Status receive(Message& message) noexcept {
        credit_.progress();
        if (lost_ || credit_.lost()) return Status::peer_lost;
        RingArrival arrival{};
        if (!find(arrival)) return Status::would_block;
        // The peer wrote the length: nothing is used before it is known to stay inside the ring.
        const std::uint64_t bytes = Framing::record_bytes(arrival.length);
        lost_ = lost_ || arrival.length > place_.layout.lap() ||
                !place_.layout.plausible(arrival.position, bytes) || !records_.hold(arrival.position, bytes);
        if (lost_) return Status::peer_lost;
        next_ = place_.layout.next(arrival.position + bytes);
        message = {.bytes = {memory_.data() + place_.front_bytes + Framing::message(place_.layout, arrival),
                             arrival.length},
                   .place = arrival.position};
        return Status::ok;
    }

    Status free(const Message& message) noexcept {
        const std::uint64_t bytes = records_.held(message.place);
        if (bytes == 0) return Status::invalid_argument;
        Framing::free(memory_.data(), place_, message.place, bytes);
        const std::uint64_t freed = records_.free(message.place);
        if (freed != 0) credit_.freed(freed, records_.freed());
        return Status::ok;
    }

  private:
    [[nodiscard]] bool find(RingArrival& arrival) noexcept {
        if constexpr (Framing::kNotifies) {
            fabric::Completion done;
            if (!fabric::poll_one(*data_, done)) return false;
            lost_ = done.operation != fabric::Operation::imm_arrived || done.status != Status::ok;
            arrival = Framing::read(done, records_.freed());
            return true;
        } else {
            // In a ring full of records that the caller holds, the next place still has the oldest of them.
            return next_ - records_.freed() < place_.layout.lap() &&
                   inbound_.find(memory_.data(), place_, next_, arrival);
        }
    }

    E* data_;
    RingPlace place_;
    Registered<E> memory_;
    RingRecords records_;
    CreditReturn<E> credit_;
    [[no_unique_address]] typename Framing::Inbound inbound_;
    std::uint64_t next_ = 0;  ///< position of the next record
    bool lost_ = false;
};

/// What the four channels have in common besides their Traits.
template <class C, class Way>
struct RingBuffer {
    using Framing = Way;

    [[nodiscard]] static Needs sender_needs(const Parameters&) noexcept {
        return {.data = Framing::kSenderBytes, .credit = CreditWord::kBytes};
    }
    [[nodiscard]] static Needs receiver_needs(const Parameters& parameters) noexcept {
        return {.data = ring_place<C>(parameters).bytes(), .credit = 0};
    }
    template <fabric::Endpoint E>
    using Sender = RingSender<C, E>;
    template <fabric::Endpoint E>
    using Receiver = RingReceiver<C, E>;
};

}  // namespace rb2::channel
