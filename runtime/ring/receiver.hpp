#pragma once
// The receiving side of a ring: records are handed out where they lie. rb2 paper, Algorithm 1 (READMSG) with
// the zero-copy callback of §IV-C.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "runtime/ring/layout.hpp"
#include "runtime/ring/mix.hpp"

namespace rb2::ring {

/// A record in the ring. The payload is valid until the handler returns.
struct Record {
    std::uint8_t kind;
    std::uint64_t word;
    std::span<const std::byte> payload;
};

/// What becomes of a record after its handler.
enum class Verdict : std::uint8_t {
    consumed,  ///< its slots go back to the sender
    last,      ///< the same, and the drain stops
    keep,      ///< it stays first in the ring and the drain stops: back-pressure
};

/// Called once per record; must not throw nor call into the same ring's receiver.
template <class H>
concept RecordHandler = requires(H handler, const Record& record) {
    { handler(record) } -> std::same_as<Verdict>;
};

/// drain(): the next record in the ring cannot be one. Nothing more will be read from the ring.
inline constexpr int kCorrupt = -1;

/// One thread at a time. The memory of the wiring and the endpoint outlive the receiver.
template <class M, fabric::Endpoint Endpoint>
class alignas(kLineBytes) Receiver {
    static_assert(require_legal<M, Endpoint>());
    using Layout = typename M::Layout;

  public:
    /// Throws StartupError if the parameters are out of range.
    Receiver(Endpoint& endpoint, const ReceiverWiring& wiring, const Parameters& parameters)
        : slots_(wiring.slots, validate(parameters, M::Batching::kHoldsBack).slots),
          head_(parameters.start),
          tail_sync_(endpoint, wiring, parameters),
          head_sync_(endpoint, wiring, parameters) {}
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    /// Hands up to `budget` records to `handler`. Returns how many it consumed, or kCorrupt when the very
    /// first is not a record; one behind good ones is reported by the next call.
    /// Inlined with its handler, so that neither a record nor what the handler captures goes through memory.
    template <RecordHandler Handler>
    [[gnu::always_inline]] int drain(int budget, Handler&& handler) {
        // Copies: the handler writes to memory that the compiler cannot tell from this object's.
        const Slots<Layout> ring = slots_;
        std::uint64_t head = head_;
        int count = 0;
        std::uint64_t packed = 0;
        while (count < budget && tail_sync_.ready(ring, head, packed)) {
            const Mark mark = Mark::unpack(packed);
            const std::uint64_t slots = record_slots(ring, head, mark, M::Tail::kTrailerBytes);
            if (!plausible(ring, head, mark, slots)) [[unlikely]]
                return count > 0 ? count : kCorrupt;
            if (mark.kind != kPadding) [[likely]] {
                const Verdict verdict =
                    handler(Record{mark.kind, ring.header(head).word, {ring.payload(head), mark.length}});
                if (verdict == Verdict::keep) break;
                ++count;
                if (verdict == Verdict::last) budget = count;
            }
            tail_sync_.consumed(ring, head, slots);
            head_ = head += slots;
            head_sync_.consumed(head);
            if constexpr (requires { tail_sync_.owes_credit(head); }) {
                if (tail_sync_.owes_credit(head) && head_sync_.release(head) == Status::ok)
                    tail_sync_.credited();
            }
        }
        if (count == 0) head_sync_.retry(head);
        return count;
    }

    /// Whether drain() would find nothing. One load and one compare when it is so.
    [[nodiscard]] bool empty() noexcept { return !glimpse(0); }

    /// Whether a record seems to begin `ahead` slots behind the next one. A hint: at a slot where none
    /// begins, bytes of a payload may look like a bell.
    [[nodiscard]] bool glimpse(std::uint64_t ahead) noexcept {
        std::uint64_t packed = 0;
        return tail_sync_.ready(slots_, head_ + ahead, packed);
    }

    /// A look at the next records one after the other, in place. They stay in the ring until skip().
    class Peek {
      public:
        /// The record at this place, if it is there; kPadding otherwise. What it takes up may be more than
        /// there is to the end of the lap.
        [[nodiscard, gnu::always_inline]] Record operator*() const noexcept {
            auto& header = *reinterpret_cast<RecordHeader*>(slot_);
            std::uint64_t packed = 0;
            if (!tail::InlinedBell::rings(header, position_, packed)) return {kPadding, 0, {}};
            const Mark mark = Mark::unpack(packed);
            return {mark.kind, header.word, {slot_ + sizeof(RecordHeader), mark.length}};
        }
        /// To the place `slots` slots further on, in this lap.
        [[gnu::always_inline]] Peek& operator+=(std::uint64_t slots) noexcept {
            slot_ += slots * Layout::kSlotBytes;
            position_ += slots;
            return *this;
        }

      private:
        friend class Receiver;
        Peek(std::byte* slot, std::uint64_t position) noexcept : slot_(slot), position_(position) {}
        std::byte* slot_;
        std::uint64_t position_;
    };
    [[nodiscard]] Peek peek() const noexcept requires(std::same_as<typename M::Tail, tail::InlinedBell>) {
        return {slots_.slot(head_), head_};
    }
    /// Gives the next `slots` slots back to the sender: those of whole records before the end of the lap.
    void skip(std::uint64_t slots) noexcept requires(std::same_as<typename M::Tail, tail::InlinedBell>) {
        head_ += slots;
        head_sync_.consumed(head_);
    }

    /// Starts to bring the lines of the next `slots` slots here; at most to the end of the lap.
    void prefetch(std::uint64_t slots) const noexcept {
        const std::byte* const first = slots_.slot(head_);
        for (std::uint64_t at = 0; at < slots * Layout::kSlotBytes; at += kLineBytes)
            __builtin_prefetch(first + at);
    }

    /// Slots that the next records can fill one behind the other before any of them is taken: to the end of
    /// the lap, and no more than half of the ring, which its sender has room for whatever it knows of the
    /// head.
    [[nodiscard]] std::uint64_t within_reach() const noexcept {
        return std::min(slots_.lap_end(head_) - head_, slots_.count() / 2);
    }
    /// Slots of a record of `length` bytes.
    [[nodiscard]] static std::uint64_t slots_for(std::uint64_t length) noexcept {
        return Layout::slots_for(static_cast<std::uint32_t>(length) + M::Tail::kTrailerBytes);
    }

    /// Tells the sender of all consumed slots now, not only every gamma. ok, would_block or peer_lost.
    Status release() noexcept { return head_sync_.release(head_); }

    /// The head as the sender was last told: changes whenever credits go back to it.
    [[nodiscard]] std::uint64_t reported() const noexcept { return head_sync_.reported(); }

    /// Takes a completion that another user of the endpoint has polled; false if it is none of this ring's.
    bool take(const fabric::Completion& done) noexcept { return tail_sync_.take(done); }

    /// Position of the next record.
    [[nodiscard]] std::uint64_t head() const noexcept { return head_; }

  private:
    /// The peer wrote these numbers: nothing is used before it is known to stay inside the ring.
    [[nodiscard]] bool plausible(const Slots<Layout>& ring, std::uint64_t head, const Mark& mark,
                                 std::uint64_t slots) const noexcept {
        const std::uint64_t published = tail_sync_.published(head, slots);
        const bool all_published = published == slots || (slots < published && published <= ring.count());
        return mark.bell == bell_at(head) && slots <= ring.lap_end(head) - head && all_published &&
               !(Layout::kCircular && mark.kind == kPadding);
    }

    Slots<Layout> slots_;
    std::uint64_t head_;
    [[no_unique_address]] typename M::Tail::template Inbound<Endpoint> tail_sync_;
    typename M::Head::template Inbound<Endpoint> head_sync_;
};

/// Prepares `slots` for a ring whose first position is `start`. The owner does it before either side is
/// built; zeroed memory is ready for start 0 as it is.
template <class M>
void format(std::byte* slots, std::uint64_t* local_head, std::uint64_t* local_tail,
            const Parameters& parameters) {
    *local_head = parameters.start;
    *local_tail = parameters.start;
    if constexpr (!M::Tail::kZeroes) {
        Slots<typename M::Layout>(slots, parameters.slots).header(parameters.start).mark =
            silent_mark(parameters.start);
    }
}

}  // namespace rb2::ring
