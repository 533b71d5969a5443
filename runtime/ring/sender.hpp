#pragma once
// The sending side of a ring: claim, fill in place, commit. rb2 paper, §III-B and Algorithm 1 (WRITEMSG).
//
// Differs from the paper in:
// - positions are 64-bit and only grow; they are masked when a slot is addressed;
// - the caller writes into the claimed slots (the paper's zero-copy callback, turned inside out);
// - a record may span slots and is contiguous: a padding record fills the end of a lap that it would cross,
//   unless the ring is mapped twice in a row (layout::Circular);
// - line 2 compares with the head, which is what the text says, not with local_tail;
// - the transmission threshold is Algorithm 1's tail - esc_tail >= beta, not the text's tail - esc_tail + 1;
// - flush() and poll() exist, and a sender that finds the ring full flushes: batching must not hold back
//   slots whose consumption it waits for.
//
// A claimant that dies before commit leaves nothing behind: the receiver sees only committed records, in
// order, so the ring looks as it did before the claim. That the peer is gone is not for the ring to find out.

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "runtime/ring/layout.hpp"
#include "runtime/ring/mix.hpp"

namespace rb2::ring {

/// Room for one record, between try_claim() and commit() or abort(). False when nothing was claimed.
struct [[nodiscard]] Claim {
    std::byte* payload = nullptr;  ///< `length` writable contiguous bytes, 16-byte aligned; the ring's
    std::uint32_t length = 0;

    explicit operator bool() const noexcept { return payload != nullptr; }
};

/// One thread at a time, one claim at a time. The memory of the wiring and the endpoint outlive the sender.
template <class M, fabric::Endpoint Endpoint>
class alignas(kLineBytes) Sender {
    static_assert(require_legal<M, Endpoint>());
    using Layout = typename M::Layout;
    using View = typename M::Placement::template View<Layout>;

  public:
    /// Throws StartupError if the parameters are out of range or the peer's memory does not hold the ring.
    Sender(Endpoint& endpoint, const SenderWiring& wiring, const Parameters& parameters);
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    /// Claims room for `length` <= max_length() payload bytes. An empty claim means: no room, try again once
    /// the receiver has moved on (or status() is peer_lost); with a
    /// staging placement also: the last record is still in flight.
    [[gnu::always_inline]] Claim try_claim(std::uint32_t length) noexcept {
        if constexpr (M::Placement::kStaged) {
            if (!tail_sync_.settled(slots_, tail_)) return {};
        }
        const std::uint64_t count = Layout::slots_for(length + M::Tail::kTrailerBytes);
        if (tail_ + count > limit_ || count > max_slots_) [[unlikely]] {
            if (!make_room(count)) return {};
        }
        if constexpr (M::Placement::kStaged) {
            if (!tail_sync_.settled(slots_, tail_)) return {};  // padding may be on its way
            slots_.stage(tail_);
        }
        tail_sync_.claimed(tail_, count);
        return {slots_.payload(tail_), length};
    }

    /// Commits the claim with `length` <= claim.length bytes of it; `kind` is not kPadding. The claim becomes
    /// empty. ok: the record will reach the receiver, for batching mixes once flush() or the thresholds say
    /// so. peer_lost: it will not.
    [[gnu::always_inline]] Status commit(Claim& claim, std::uint8_t kind, std::uint64_t word,
                                         std::uint32_t length) noexcept {
        const std::uint64_t end = record_end(length);
        const std::uint64_t mark = complete(claim, kind, word, length);
        const Status status = tail_sync_.publish(slots_, tail_, mark, end, room_end());
        // Not before: with a store to another line between payload and bell the processor writes the record
        // in two goes, and a receiver that looks at the slot makes the line cross twice.
        const std::uint64_t position = std::exchange(tail_, end);
        fetch_ahead(position, end - position);
        return status;
    }

    /// commit() and flush() with one doorbell, whatever the thresholds say: for a caller that will not hold
    /// records back. ok also while the fabric's queue is full: poll() goes on with it.
    Status commit_and_flush(Claim& claim, std::uint8_t kind, std::uint64_t word,
                            std::uint32_t length) noexcept {
        if constexpr (M::Placement::kInPlace) {
            return commit(claim, kind, word, length);  // holds nothing back
        } else {
            const std::uint64_t end = record_end(length);
            const std::uint64_t mark = complete(claim, kind, word, length);
            const Status status = tail_sync_.publish_now(slots_, tail_, mark, end);
            tail_ = end;
            return status;
        }
    }

    /// Whether a record of `length` payload bytes has room without a look at the receiver's head.
    [[nodiscard, gnu::always_inline]] bool has_room_for(std::uint64_t length) const noexcept
        requires(M::Placement::kInPlace) {
        return tail_ + Layout::slots_for(static_cast<std::uint32_t>(length)) <= limit_;
    }

    /// Whether the slot behind a record of one slot is silent by itself; a mirror's never is.
    [[nodiscard, gnu::always_inline]] bool clean() const noexcept {
        if constexpr (M::Placement::kInPlace)
            return tail_sync_.clean(tail_ + 1);
        else
            return false;
    }

    /// claim, fill and commit() in one, for a record of one slot where has_room_for() and clean(): no more
    /// than the stores of the record and one for the tail.
    template <class Fill>
    [[gnu::always_inline]] void put_line(std::uint8_t kind, std::uint64_t word, std::uint32_t length,
                                         Fill&& fill) noexcept {
        const std::uint64_t position = tail_;
        const View slots = slots_;  // a copy: the stores below cannot change it
        fill(slots.payload(position));
        slots.header(position).word = word;
        tail_sync_.ring(slots, position, Mark::pack(position, length, kind));
        tail_ = position + 1;  // not before, as in commit()
        fetch_ahead(position, 1);
    }

    /// Asks for the line of the next record, which the receiver looks at: for a caller that is about to fill
    /// it.
    [[gnu::always_inline]] void fetch_next() const noexcept requires(M::Placement::kInPlace) {
        slots_.fetch_for_write(tail_, tail_ + 1);
    }

    /// Gives the claim back; whatever was written there is never seen. The claim becomes empty.
    void abort(Claim& claim) noexcept { claim = {}; }

    /// Everything committed reaches the receiver even if this side never calls again.
    /// would_block: the fabric's queue is full; poll() goes on with it.
    Status flush() noexcept { return tail_sync_.flush(slots_, tail_); }

    /// Takes completions and does what waited for them (deferred pointer advancement, blocked flush).
    /// ok or peer_lost.
    Status poll() noexcept { return tail_sync_.poll(slots_, tail_); }

    /// Takes a completion that another user of the endpoint has polled; false if it is none of this ring's.
    bool take(const fabric::Completion& done) noexcept {
        // The tail policy sees every one: a failed operation of any kind means that the peer is lost.
        const bool tails = tail_sync_.take(done);
        if constexpr (M::Head::kPulls) return head_sync_.take(done) || tails;
        return tails;
    }

    /// ok, or peer_lost once an operation has failed: nothing will reach the receiver any more.
    [[nodiscard]] Status status() const noexcept { return tail_sync_.status(); }

    /// Payload bytes of the largest record.
    [[nodiscard]] std::uint32_t max_length() const noexcept {
        const std::uint64_t bytes =
            max_slots_ * Layout::kSlotBytes - sizeof(RecordHeader) - M::Tail::kTrailerBytes;
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, kLengthLimit));
    }

    /// Free slots, after a look at what the receiver gave back.
    [[nodiscard]] std::uint64_t room() noexcept {
        return free_slots(tail_, head_sync_.refresh(tail_), slots_.count());
    }

    /// Position of the next record.
    [[nodiscard]] std::uint64_t tail() const noexcept { return tail_; }

  private:
    /// Completes the record at the tail but for its mark, which is returned and still to be published.
    [[gnu::always_inline]] std::uint64_t complete(Claim& claim, std::uint8_t kind, std::uint64_t word,
                                                  std::uint32_t length) noexcept {
        assert(claim.payload == slots_.payload(tail_) && length <= claim.length && kind != kPadding);
        claim = {};
        slots_.header(tail_).word = word;
        return Mark::pack(tail_, length, kind);
    }

    /// Asks for the lines that the next records will fill if they are as long as this one of `count` slots.
    /// Stores reach the cache in their order, out of a queue of 64 or so: without this few lines are on the
    /// way at once (docs/experiments.md, "Lines fetched ahead"). Leaves out the slot behind this record,
    /// which the receiver looks at.
    [[gnu::always_inline]] void fetch_ahead(std::uint64_t position, std::uint64_t count) const noexcept {
        if constexpr (M::Placement::kInPlace) {
            constexpr std::uint64_t lead = 8;      // slots, of shorter records
            constexpr std::uint64_t longest = 33;  // the copy of longer ones fetches none (datatype/copy.hpp)
            if (count > longest) return;
            slots_.fetch_for_write(position + (count < lead ? lead : count + 1),
                                   position + count + std::max(lead, count));
        }
    }

    /// Position behind a record of `length` bytes at the tail.
    [[nodiscard]] std::uint64_t record_end(std::uint32_t length) const noexcept {
        return tail_ + Layout::slots_for(length + M::Tail::kTrailerBytes);
    }

    Status publish_padding(std::uint64_t count, std::uint32_t length) noexcept {
        const std::uint64_t position = tail_;
        tail_ += count;
        return tail_sync_.pad(slots_, position, Mark::pack(position, length, kPadding), tail_, room_end());
    }

    /// Last position whose slot is the sender's, and first that may not be filled: the slot kept free.
    [[nodiscard]] std::uint64_t room_end() const noexcept { return head_sync_.cached() + slots_.count() - 1; }

    [[nodiscard]] bool make_room(std::uint64_t count) noexcept;
    [[nodiscard]] bool has_room(std::uint64_t end) noexcept;

    /// Pulling policies poll the same queue as the tail policy: what one finds of the other's comes back
    /// here.
    [[nodiscard]] SenderWiring rerouted(const SenderWiring& wiring) noexcept {
        SenderWiring result = wiring;
        if constexpr (M::Head::kPulls) {
            result.other_completions = {.take =
                                            [](void* owner, const fabric::Completion& done) {
                                                auto& self = *static_cast<Sender*>(owner);
                                                if (!self.take(done)) self.router_.others(done);
                                            },
                                        .owner = this};
        }
        return result;
    }

    struct NoRouter {
        explicit NoRouter(const CompletionSink&) noexcept {}
    };
    struct Router {
        explicit Router(const CompletionSink& sink) noexcept : others(sink) {}
        CompletionSink others;
    };

    View slots_{nullptr, 1};
    std::uint64_t tail_;
    std::uint64_t limit_;  ///< claims that end here or before need no further look: lap end or room end
    std::uint64_t max_slots_;
    typename M::Head::template Outbound<Endpoint> head_sync_;
    typename M::Tail::template Outbound<Endpoint, typename M::Placement, typename M::Batching, Layout>
        tail_sync_;
    [[no_unique_address]] std::conditional_t<M::Head::kPulls, Router, NoRouter> router_;
};

template <class M, fabric::Endpoint Endpoint>
Sender<M, Endpoint>::Sender(Endpoint& endpoint, const SenderWiring& wiring, const Parameters& parameters)
    : tail_(validate(parameters, M::Batching::kHoldsBack).start),
      limit_(parameters.start),
      max_slots_(Layout::max_slots(parameters)),
      head_sync_(endpoint, rerouted(wiring), parameters),
      tail_sync_(endpoint, rerouted(wiring), parameters),
      router_(wiring.other_completions) {
    if (tail_sync_.slots() == nullptr) throw_unmapped(mapped_bytes<Layout>(parameters.slots));
    slots_ = {tail_sync_.slots(), parameters.slots};
}

/// Whether the positions before `end` are the sender's to fill; looks at the peer's head only if need be.
template <class M, fabric::Endpoint Endpoint>
bool Sender<M, Endpoint>::has_room(std::uint64_t end) noexcept {
    const std::uint64_t wanted = end - tail_;
    const std::uint64_t count = slots_.count();
    return wanted <= free_slots(tail_, head_sync_.cached(), count) ||
           wanted <= free_slots(tail_, head_sync_.refresh(tail_), count);
}

/// The slow half of try_claim(): a new look at the head, a new lap, padding. False when there is no room.
template <class M, fabric::Endpoint Endpoint>
[[gnu::noinline]] bool Sender<M, Endpoint>::make_room(std::uint64_t count) noexcept {
    if (count > max_slots_) return false;
    const bool crosses = tail_ + count > slots_.lap_end(tail_);
    const std::uint64_t start = crosses ? slots_.lap_end(tail_) : tail_;
    if constexpr (M::Head::kPulls) head_sync_.pull_if_due(tail_);
    if (!has_room(start + count)) {
        static_cast<void>(flush());
        return false;
    }
    if constexpr (M::Placement::kStaged) slots_.stage(tail_);
    // Where 0 says "nothing here", a mark must not be 0 even if its bell is: padding then has a length.
    constexpr std::uint32_t padding_length = M::Tail::kZeroes ? 1 : 0;
    if (crosses && publish_padding(start - tail_, padding_length) != Status::ok) return false;
    limit_ = std::min(slots_.lap_end(tail_), room_end());
    if constexpr (M::Head::kPulls) limit_ = std::min(limit_, head_sync_.next_pull());
    return true;
}

}  // namespace rb2::ring
