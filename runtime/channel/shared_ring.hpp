#pragma once
// What the shared ring channels share: one ring at the receiver for any number of senders, who get their
// places in it by fetch-and-add. "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler),
// section 4.4.
//
//   memory   head (a line): next place to be given out, the senders add to it
//            tail (a line): how far all is free again, the senders READ it over the credit endpoint
//            ring | run-out
//
// Head and tail count bytes and only grow. A record that starts near the end of the ring runs out of it, into
// memory for one record, and the start of the ring that it would have taken stays unused; so a record is
// always one WRITE.
//
// A place is the sender's from the fetch-and-add on, but the memory only once the receiver is through with
// the lap before. A sender that never writes what it reserved holds everybody up (paper, section 4.4).
//
// Differs from the paper in: the run-out in place of mapping the ring twice, so that it works in any
// registered memory.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/channel/channel.hpp"
#include "runtime/channel/fetch.hpp"
#include "runtime/channel/registered.hpp"
#include "runtime/channel/supported.hpp"
#include "runtime/channel/tickets.hpp"

namespace rb2::channel {

/// Sizes and places in a shared ring. `frame` bytes surround each message.
class SharedRingShape {
  public:
    constexpr SharedRingShape(const Parameters& parameters, std::size_t frame) noexcept
        : frame_(frame), ring_bytes_(parameters.ring_bytes), most_(extent(parameters.message_bytes)) {}

    static constexpr std::size_t kHead = 0;
    static constexpr std::size_t kTail = kMemoryAlignment;
    static constexpr std::size_t kRing = 2 * kMemoryAlignment;

    /// Bytes of ring that a message takes up, never 0: no two messages may have the same place.
    [[nodiscard]] constexpr std::uint64_t extent(std::size_t bytes) const noexcept {
        return frame_ + word_aligned(bytes == 0 ? 1 : bytes);
    }
    [[nodiscard]] constexpr std::uint64_t ring_bytes() const noexcept { return ring_bytes_; }
    [[nodiscard]] constexpr std::size_t memory_bytes() const noexcept { return kRing + ring_bytes_ + most_; }
    /// From the start of the memory.
    [[nodiscard]] constexpr std::uint64_t offset(std::uint64_t position) const noexcept {
        return kRing + position % ring_bytes_;
    }
    /// Whether what is before `end` may be written when all before `tail` is free. One word stays free, so
    /// that the place behind the newest record is never that of the oldest.
    [[nodiscard]] constexpr bool fits(std::uint64_t end, std::uint64_t tail) const noexcept {
        return end + kWordBytes <= tail + ring_bytes_;
    }

  private:
    std::size_t frame_;
    std::uint64_t ring_bytes_;
    std::uint64_t most_;
};

/// The ring at the receiver. Shared by the receivers of all its senders, of one thread; outlives them. Memory
/// zeroed.
class SharedRing {
  public:
    SharedRing(std::span<std::byte> memory, const SharedRingShape& shape);
    SharedRing(const SharedRing&) = delete;
    SharedRing& operator=(const SharedRing&) = delete;

    [[nodiscard]] std::span<std::byte> memory() const noexcept { return memory_; }
    [[nodiscard]] const SharedRingShape& shape() const noexcept { return shape_; }
    [[nodiscard]] std::byte* at(std::uint64_t position) const noexcept {
        return memory_.data() + shape_.offset(position);
    }
    [[nodiscard]] std::uint64_t tail() const noexcept { return tail_; }
    /// Number of the next sender: first 0.
    [[nodiscard]] std::uint32_t attach() noexcept { return senders_++; }
    [[nodiscard]] std::uint32_t attached() const noexcept { return senders_; }

    /// The caller holds the message of `extent` bytes at `position`. False when none can be there.
    [[nodiscard]] bool hold(std::uint64_t position, std::uint64_t extent) noexcept;
    /// Bytes that the held message at `position` takes up; 0 when none is held there.
    [[nodiscard]] std::uint64_t held(std::uint64_t position) const noexcept;
    /// And gives it back; its memory is in the state that the next writer needs. Moves the tail.
    void release(std::uint64_t position) noexcept;

  private:
    struct Place {
        std::uint32_t extent = 0;  ///< 0: no message starts here
        bool freed = false;        ///< but the tail has not come by
    };
    [[nodiscard]] bool inside(std::uint64_t position, std::uint64_t extent) const noexcept;
    [[nodiscard]] Place& place(std::uint64_t position) noexcept {
        return places_[position % shape_.ring_bytes() / kWordBytes];
    }

    SharedRingShape shape_;
    std::span<std::byte> memory_;
    std::vector<Place> places_;  ///< by word of the ring
    std::uint64_t tail_ = 0;
    std::uint32_t senders_ = 0;
};

/// What a record is written from.
struct Reserved {
    fabric::Source region;
    std::uint64_t position;
    Ticket ticket;
};

/// C: the channel, with
///     kFrame                                        bytes around a message
///     Record(own)                                   may use the sender's data memory
///     Record::write(endpoint, peer, shape, Reserved)  one WRITE of the record, signalled
template <class C, fabric::Endpoint E>
class SharedRingSender {
    static_assert(require_supported<C, E>());

  public:
    explicit SharedRingSender(const Side<E>& side)
        : data_(side.data),
          credit_(side.credit),
          max_bytes_(validate(side.parameters).message_bytes),
          shape_(side.parameters, C::kFrame),
          own_(*side.data, side.memory.data, C::sender_needs(side.parameters).data),
          tail_sink_(*side.credit, side.memory.credit, kMemoryAlignment),
          record_(own_) {}
    SharedRingSender(const SharedRingSender&) = delete;
    SharedRingSender& operator=(const SharedRingSender&) = delete;

    [[nodiscard]] static constexpr Card card() noexcept { return {}; }
    void connect(const Card& peer) noexcept { peer_ = peer; }
    [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }

    /// Reserves a place; later calls go on with it when the place is known and free.
    Status send(fabric::Source region, Ticket& ticket) noexcept {
        if (region.bytes > max_bytes_) return Status::invalid_argument;
        if (const Status status = progress(); status != Status::ok) return status;
        if (tickets_.full()) return Status::would_block;
        const Ticket next = tickets_.next();
        Pending& pending = pending_[next % kSendWindow];
        const std::uint64_t extent = shape_.extent(region.bytes);
        const Status status = data_->fetch_add(&pending.position, peer_.data + SharedRingShape::kHead, extent,
                                               fabric::Signal{next});
        if (status != Status::ok) return status;
        pending.region = region;
        pending.state = State::asked;
        ticket = tickets_.issue();
        if (const Status rung = data_->flush(); rung != Status::ok) return rung;
        return progress();
    }

    Status test(Ticket ticket) noexcept {
        static_cast<void>(progress());
        return tickets_.test(ticket);
    }

  private:
    enum class State : std::uint8_t { asked, reserved, written };
    struct Pending {
        fabric::Source region{};
        std::uint64_t position = 0;
        State state = State::written;
    };

    /// Writes what has its place. ok or peer_lost.
    Status progress() noexcept {
        harvest_both();
        // In the order of the sends, which is that of the places where messages are ordered. Elsewhere a
        // later send may have got the earlier place: then it must not wait, for the earlier send waits for
        // it.
        for (Ticket ticket = oldest_; ticket < tickets_.next() && !tickets_.lost(); ++ticket) {
            Pending& pending = pending_[ticket % kSendWindow];
            if (pending.state == State::asked && E::kCapabilities.ordered_messages) break;
            if (pending.state != State::reserved || !has_room(pending)) continue;
            const Status status =
                record_.write(*data_, peer_, shape_, {pending.region, pending.position, ticket});
            if (status == Status::would_block) break;
            if (status != Status::ok || data_->flush() != Status::ok) return Status::peer_lost;
            pending.state = State::written;
        }
        while (oldest_ < tickets_.next() && pending_[oldest_ % kSendWindow].state == State::written)
            ++oldest_;
        return tickets_.lost() ? Status::peer_lost : Status::ok;
    }

    /// Whether the receiver is through with the memory. Has another look at its tail in good time, so that a
    /// sender who is not held up never waits for one.
    bool has_room(const Pending& pending) noexcept {
        const std::uint64_t end = pending.position + shape_.extent(pending.region.bytes);
        // A tail behind the last one, or ahead of what is not written yet, cannot come from a sound receiver
        // and is ignored.
        if (seen_tail_ - tail_ <= pending.position - tail_) tail_ = seen_tail_;
        if (!shape_.fits(end + shape_.ring_bytes() / 2, tail_) && !tail_fetch_.under_way()) {
            const fabric::Sink sink{tail_sink_.data(), kWordBytes, tail_sink_.key()};
            static_cast<void>(tail_fetch_.start(*credit_, sink, peer_.credit));  // or with the next call
        }
        return shape_.fits(end, tail_);
    }

    void harvest_both() noexcept {
        fabric::harvest_completions(*data_, [this](const fabric::Completion& done) {
            if (done.operation == fabric::Operation::fetch_add && done.status == Status::ok) {
                pending_[done.ticket % kSendWindow].state = State::reserved;
            } else {
                tickets_.take(done);
            }
        });
        fabric::harvest_completions(*credit_, [this](const fabric::Completion& done) {
            if (done.status != Status::ok) tickets_.take(done);
            static_cast<void>(tail_fetch_.take(done));
        });
        if (tail_fetch_.arrived()) seen_tail_ = *tail_sink_.words();
    }

    E* data_;
    E* credit_;
    std::size_t max_bytes_;
    SharedRingShape shape_;
    Registered<E> own_;
    Registered<E> tail_sink_;
    typename C::template Record<E> record_;
    Card peer_{};
    Tickets tickets_;
    Fetch tail_fetch_{1};
    std::uint64_t tail_ = 0;       ///< as last seen and believed
    std::uint64_t seen_tail_ = 0;  ///< as last seen
    Ticket oldest_ = 1;            ///< whose record has not been written
    std::array<Pending, kSendWindow> pending_{};
};

/// The receiver's memory, reached by one sender: registered with its endpoints.
template <fabric::Endpoint E>
class SharedRingAccess {
  public:
    SharedRingAccess(const Side<E>& side, SharedRing& ring)
        : ring_(*side.data, ring.memory(), ring.memory().size()),
          tail_(*side.credit, ring.memory().subspan(SharedRingShape::kTail), kWordBytes),
          sender_(ring.attach()) {}

    [[nodiscard]] Card card() const noexcept {
        return {.data = ring_.remote(), .credit = tail_.remote(), .number = sender_};
    }
    [[nodiscard]] std::uint32_t sender() const noexcept { return sender_; }

  private:
    Registered<E> ring_;
    Registered<E> tail_;
    std::uint32_t sender_;
};

}  // namespace rb2::channel
