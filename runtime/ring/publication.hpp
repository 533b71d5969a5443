#pragma once
// The sender side that all tail synchronisations by WRITE share: what is transmitted, what is announced, and
// when. rb2 paper, Algorithm 1, lines 6-15. How a receiver is told is the `Announcement`'s business.

#include <cstddef>
#include <cstdint>

#include "runtime/fabric/fabric.hpp"
#include "runtime/ring/batching.hpp"
#include "runtime/ring/parameters.hpp"
#include "runtime/ring/slots.hpp"
#include "runtime/ring/wiring.hpp"

namespace rb2::ring::tail {

/// The slots [from, to) leave; the receiver knows of everything before `first`.
struct Batch {
    std::uint64_t first;  ///< position of the first record not announced
    std::uint64_t& from;  ///< first slot not transmitted; moves past what was posted
    std::uint64_t to;
    std::uint32_t unused;  ///< bytes that the last record leaves free in its last slot
    /// Position of a padding record, of which the mark alone leaves. A batch, less than a lap, has one at
    /// most.
    std::uint64_t padding;
};

/// What leaves by the next write of a batch.
template <class Placement, class View>
[[nodiscard]] auto next_part(const Placement& placement, const View& slots, const Batch& batch) noexcept {
    auto part = placement.part(slots, batch.from, batch.to);
    if constexpr (!Placement::kInPlace) {
        const std::uint64_t before = batch.padding - batch.from;  // slots; huge where it is behind
        if (before < part.end - batch.from)
            part.source.bytes = before * View::kSlotBytes + sizeof(RecordHeader::mark);
        else if (part.end == batch.to && batch.from != batch.to)
            part.source.bytes -= batch.unused;
    }
    return part;
}

/// Posts a batch's slots: one write, two across the lap end. The first `held` bytes of the batch's first
/// record stay here.
template <fabric::Endpoint Endpoint, class Placement, class View>
Status transmit(Endpoint& endpoint, const Placement& placement, const View& slots, Batch batch,
                std::size_t held) noexcept {
    while (batch.from != batch.to) {
        auto part = next_part(placement, slots, batch);
        if (held != 0 && batch.from == batch.first) {
            part.source.data += held;
            part.source.bytes -= held;
            part.target = part.target + held;
        }
        if constexpr (!Placement::kInPlace) {
            const Status status = endpoint.write(part.source, part.target, fabric::kSilent);
            if (status != Status::ok) return status;
        }
        batch.from = part.end;
    }
    return Status::ok;
}

/// As transmit(), but the last part, the write that announces the batch, goes by `post(part)`.
template <fabric::Endpoint Endpoint, class Placement, class View, class Post>
Status transmit_announcing(Endpoint& endpoint, const Placement& placement, const View& slots, Batch batch,
                           Post post) noexcept {
    auto last = next_part(placement, slots, batch);
    while (last.end != batch.to) {
        if (const Status status = endpoint.write(last.source, last.target, fabric::kSilent);
            status != Status::ok) {
            return status;
        }
        batch.from = last.end;
        last = next_part(placement, slots, batch);
    }
    const Status status = post(last);
    if (status == Status::ok) batch.from = batch.to;
    return status;
}

/// tail >= esc_tail >= advanced_tail, tail >= syncd_tail >= advanced_tail.
template <class Announcement, fabric::Endpoint Endpoint, class Placement, class Batching, class Layout>
class Publication {
    using View = typename Placement::template View<Layout>;
    /// Whether publications are signalled.
    static constexpr bool kTracks = Batching::kElastic || Batching::kMostInFlight != 0 || Placement::kStaged;
    /// Whether bytes that nobody reads may stay here. Not where a trailer or a held mark tells that a record
    /// has landed.
    static constexpr bool kTrims = Announcement::kTrailerBytes == 0 && Announcement::kHeldBytes == 0;

  public:
    Publication(Endpoint& endpoint, const SenderWiring& wiring, const Parameters& parameters) noexcept
        : batching_(parameters),
          esc_tail_(parameters.start),
          syncd_tail_(parameters.start),
          advanced_tail_(parameters.start),
          padding_(parameters.start - 1),
          placement_(endpoint, wiring, mapped_bytes<Layout>(parameters.slots)),
          endpoint_(&endpoint),
          announcement_(wiring, parameters),
          other_completions_(wiring.other_completions) {}

    [[nodiscard]] std::byte* slots() const noexcept { return placement_.slots(); }
    void claimed(std::uint64_t, std::uint64_t) noexcept {}

    /// The record at `position`, complete but for its mark, ends before `tail`. Lines 6-15.
    Status publish(const View& slots, std::uint64_t position, std::uint64_t mark, std::uint64_t tail,
                   std::uint64_t) noexcept {
        complete(slots, position, mark, tail);
        switch (batching_.due(tail, esc_tail_, syncd_tail_)) {
            case batching::Due::nothing:
                return status_;
            case batching::Due::transmit:
                return accepted(ring_doorbell(post(slots, tail)));
            case batching::Due::advance:
                return accepted(advance_or_defer(slots, tail));
        }
        return Status::fatal;
    }

    /// The record at `position` is padding. Where commits may wait it leaves with the record behind it,
    /// whatever its length.
    Status pad(const View& slots, std::uint64_t position, std::uint64_t mark, std::uint64_t tail,
               std::uint64_t room_end) noexcept {
        if constexpr (kTrims) padding_ = position;
        if constexpr (!Batching::kHoldsBack || Batching::kAlwaysDue)
            return publish(slots, position, mark, tail, room_end);
        complete(slots, position, mark, tail);
        return status_;
    }

    /// publish() and flush() in one: what is due by a threshold would be announced a moment later, by a
    /// second doorbell.
    Status publish_now(const View& slots, std::uint64_t position, std::uint64_t mark,
                       std::uint64_t tail) noexcept {
        complete(slots, position, mark, tail);
        return accepted(flush(slots, tail));
    }

    /// Everything before `tail` reaches the receiver without a further call. Does not wait for the previous
    /// publication but where kMostInFlight binds: writes are ordered, so the elastic threshold is thrift, not
    /// safety.
    Status flush(const View& slots, std::uint64_t tail) noexcept {
        if (in_flight_ != 0) harvest();
        if (tail == advanced_tail_) return doorbell_due_ ? failed(ring_doorbell(status_)) : status_;
        const Status status = may_publish() ? advance(slots, tail) : Status::would_block;
        blocked_ = status == Status::would_block && tail != advanced_tail_;
        return failed(status);
    }

    /// Takes completions; a tail that was held back by the elastic threshold goes out once nothing is in
    /// flight, and what met a full queue is tried again.
    Status poll(const View& slots, std::uint64_t tail) noexcept {
        harvest();
        if (blocked_) return accepted(flush(slots, tail));
        if (in_flight_ == 0 && syncd_tail_ != advanced_tail_) return accepted(advance(slots, esc_tail_));
        return status_;
    }

    /// Whether nothing before `tail` needs the sender's memory any more.
    bool settled(const View& slots, std::uint64_t tail) noexcept {
        const auto done = [&] { return in_flight_ == 0 && advanced_tail_ == tail; };
        return done() || (poll(slots, tail) == Status::ok && done());
    }

    /// Whether the completion is one of this policy's own. Every failure means that the peer is lost.
    bool take(const fabric::Completion& done) noexcept {
        if (done.status != Status::ok) status_ = Status::peer_lost;
        if (done.ticket != kTailTicket) return false;
        --in_flight_;
        return true;
    }

    [[nodiscard]] Status status() const noexcept { return status_; }

  private:
    static constexpr std::uint64_t kTrailerBit = std::uint64_t{1} << 63;  ///< never 0, whatever the bell

    /// The record at `position` is as the receiver will see it.
    void complete(const View& slots, std::uint64_t position, std::uint64_t mark,
                  std::uint64_t tail) noexcept {
        slots.header(position).mark = mark;
        if constexpr (kTrims)
            unused_ = static_cast<std::uint32_t>((tail - position) * View::kSlotBytes - sizeof(RecordHeader) -
                                                 Mark::unpack(mark).length);
        if constexpr (Announcement::kTrailerBytes != 0)
            trailer(slots, tail) = bell_at(position) | kTrailerBit;
    }

    /// Posts the slots up to `tail`; the doorbell is left to the caller.
    Status post(const View& slots, std::uint64_t tail) noexcept {
        return transmit(*endpoint_, placement_, slots, {advanced_tail_, esc_tail_, tail, unused_, padding_},
                        Announcement::kHeldBytes);
    }

    /// One doorbell for what is posted, also if `posted` says that the queue took only part of it: it
    /// would never empty otherwise. Returns the first of both results that is not ok.
    Status ring_doorbell(Status posted) noexcept {
        const Status rung = endpoint_->flush();
        doorbell_due_ = rung == Status::would_block;
        return posted == Status::ok ? rung : posted;
    }

    [[nodiscard]] bool may_publish() const noexcept {
        return Batching::kMostInFlight == 0 || in_flight_ < Batching::kMostInFlight;
    }

    Status advance_or_defer(const View& slots, std::uint64_t tail) noexcept {
        if constexpr (Batching::kElastic) {
            harvest();  // line 10
            if (in_flight_ != 0) return defer(slots, tail);
        }
        if constexpr (Batching::kMostInFlight != 0) {
            if (!may_publish()) harvest();
        }
        const Status status = may_publish() ? advance(slots, tail) : Status::would_block;
        // Nothing but poll() would try again if this is the last commit.
        if constexpr (Batching::kAlwaysDue)
            blocked_ = status == Status::would_block && tail != advanced_tail_;
        return status;
    }

    /// The slots go, the pointer does not. Lines 7-9; the threshold counts anew, and poll() or flush() makes
    /// up for the pointer.
    Status defer(const View& slots, std::uint64_t tail) noexcept {
        const Status status = post(slots, tail);
        if (status == Status::ok) syncd_tail_ = tail;
        return ring_doorbell(status);
    }

    /// Announces everything before `tail`, transmitting what is left of it; then one doorbell for all.
    Status advance(const View& slots, std::uint64_t tail) noexcept {
        const fabric::Signal signal = kTracks ? fabric::Signal{kTailTicket} : fabric::kSilent;
        const Status status = announcement_.announce(*endpoint_, placement_, slots,
                                                     {advanced_tail_, esc_tail_, tail, unused_, padding_},
                                                     signal);  // line 12
        if (status == Status::ok) {
            in_flight_ += kTracks ? 1 : 0;
            syncd_tail_ = tail;
            advanced_tail_ = tail;
        }
        return ring_doorbell(status);
    }

    void harvest() noexcept { harvest_for(*this, *endpoint_, other_completions_); }

    /// Notes a lost peer; every other status is passed through.
    Status failed(Status status) noexcept {
        if (status != Status::ok && status != Status::would_block) status_ = Status::peer_lost;
        return status_ == Status::ok ? status : status_;
    }

    /// A committed record is accepted even while the fabric's queue is full: what could not be posted
    /// stays due.
    Status accepted(Status status) noexcept {
        static_cast<void>(failed(status));
        return status_;
    }

    [[no_unique_address]] Batching batching_;
    std::uint64_t esc_tail_;       ///< first slot not transmitted
    std::uint64_t syncd_tail_;     ///< where the advancement threshold counts from
    std::uint64_t advanced_tail_;  ///< what the receiver has been told
    std::uint64_t padding_;        ///< position of the last padding record, if it may be shortened
    std::uint64_t in_flight_ = 0;  ///< signalled publications whose completion has not been polled
    typename Placement::template Outbound<Endpoint> placement_;
    Endpoint* endpoint_;
    [[no_unique_address]] Announcement announcement_;
    CompletionSink other_completions_;
    Status status_ = Status::ok;
    bool blocked_ = false;  ///< something could not be posted: poll() tries again
    bool doorbell_due_ =
        false;                  ///< all is posted, but the fabric has yet to send it: flush() must not say ok
    std::uint32_t unused_ = 0;  ///< bytes that the last record leaves free, if they may stay here
};

}  // namespace rb2::ring::tail
