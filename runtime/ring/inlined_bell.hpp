#pragma once
// Tail synchronisation by the mark itself, for mapped peers. "Inlined bell without zeroing" of the protocols
// paper, §4.3, turned for stores: there the order of records is reversed so that one WRITE can silence the
// next bell; here a store does it.

#include <atomic>
#include <cstdint>

#include "runtime/fabric/fabric.hpp"
#include "runtime/ring/parameters.hpp"
#include "runtime/ring/slots.hpp"
#include "runtime/ring/wiring.hpp"

namespace rb2::ring::tail {

/// The bell in the record's own first line, stored last; the line behind it is silenced first, so the
/// receiver need not zero what it has read. One line transfer for a record of up to one line, no operation,
/// no second word. Needs stores with release order into the peer's memory: in-place placement, every commit
/// published at once.
struct InlinedBell {
    static constexpr std::uint32_t kTrailerBytes = 0;
    static constexpr bool kZeroes = false;
    static constexpr bool kPollsCompletions = false;

    /// Whether the slot at `position`, which begins with `header`, has the bell of that position.
    static bool rings(RecordHeader& header, std::uint64_t position, std::uint64_t& mark) noexcept {
        // Acquire: pairs with the release store of the mark; the record is readable now.
        mark = std::atomic_ref(header.mark).load(std::memory_order_acquire);
        return static_cast<std::uint32_t>(mark) == bell_at(position);
    }

    /// Sender side. The slot at the tail never holds the bell of the tail, for the receiver looks at it:
    /// - a slot whose last record began there holds the bell of an earlier lap, which is silent by itself. So
    ///   are all from a lap behind the last record of several slots on (`dirty_until_`);
    /// - before that, any bytes of a payload may lie where the mark belongs, and the slot is silenced: ahead
    ///   of time where the next record ends if it is as long as this one (`ahead_`), else just before the
    ///   bell.
    template <fabric::Endpoint Endpoint, class Placement, class Batching, class Layout>
    class Outbound {
      public:
        Outbound(Endpoint& endpoint, const SenderWiring& wiring, const Parameters& parameters) noexcept
            : dirty_until_(parameters.start + parameters.slots),
              ahead_(parameters.start),
              lap_(parameters.slots),
              placement_(endpoint, wiring, mapped_bytes<Layout>(parameters.slots)) {}

        [[nodiscard]] std::byte* slots() const noexcept { return placement_.slots(); }

        /// The caller may put any bytes into the slots behind the first, also if it aborts or shortens the
        /// record.
        void claimed(std::uint64_t position, std::uint64_t count) noexcept {
            if (count == 1) return;
            dirty_until_ = position + count + lap_;
            if (ahead_ < position + count) ahead_ = position;
        }

        /// The record at `position` is complete but for its mark and ends before `tail`. `room_end` is the
        /// last position whose slot belongs to the sender.
        [[gnu::always_inline]] Status publish(const Slots<Layout>& view, std::uint64_t position,
                                              std::uint64_t mark, std::uint64_t tail,
                                              std::uint64_t room_end) noexcept {
            const Slots<Layout> slots = view;  // a copy: the stores below cannot change it
            const bool dirty = !clean(tail);
            if (dirty && ahead_ != tail) [[unlikely]]
                silence(slots, tail);
            ring(slots, position, mark);
            const std::uint64_t next = tail + (tail - position);
            if (dirty && next <= room_end) silence(slots, ahead_ = next);
            return Status::ok;
        }

        /// Whether the slot at `tail` needs no silencing.
        [[nodiscard, gnu::always_inline]] bool clean(std::uint64_t tail) const noexcept {
            return tail >= dirty_until_;
        }

        /// The last step of publish(), and all of it where the slot behind the record is clean().
        [[gnu::always_inline]] static void ring(const Slots<Layout>& slots, std::uint64_t position,
                                                std::uint64_t mark) noexcept {
            // Release: header, payload and the silent mark behind them are readable once the bell is seen.
            std::atomic_ref(slots.header(position).mark).store(mark, std::memory_order_release);
        }

        /// The record at `position` is padding.
        Status pad(const Slots<Layout>& slots, std::uint64_t position, std::uint64_t mark, std::uint64_t tail,
                   std::uint64_t room_end) noexcept {
            return publish(slots, position, mark, tail, room_end);
        }

        Status flush(const Slots<Layout>&, std::uint64_t) noexcept { return Status::ok; }
        Status poll(const Slots<Layout>&, std::uint64_t) noexcept { return Status::ok; }
        bool take(const fabric::Completion&) noexcept { return false; }
        [[nodiscard]] Status status() const noexcept { return Status::ok; }

      private:
        static void silence(const Slots<Layout>& slots, std::uint64_t position) noexcept {
            // Relaxed: the release store of the next bell orders it.
            std::atomic_ref(slots.header(position).mark)
                .store(silent_mark(position), std::memory_order_relaxed);
        }

        std::uint64_t dirty_until_;
        std::uint64_t ahead_;
        std::uint64_t lap_;
        typename Placement::template Outbound<Endpoint> placement_;
    };

    /// Receiver side.
    template <fabric::Endpoint Endpoint>
    class Inbound {
      public:
        Inbound(Endpoint&, const ReceiverWiring&, const Parameters&) noexcept {}

        template <class Layout>
        bool ready(const Slots<Layout>& slots, std::uint64_t head, std::uint64_t& mark) noexcept {
            return rings(slots.header(head), head, mark);
        }
        [[nodiscard]] std::uint64_t published(std::uint64_t, std::uint64_t slots) const noexcept {
            return slots;
        }
        template <class Layout>
        void consumed(const Slots<Layout>&, std::uint64_t, std::uint64_t) noexcept {}
        bool take(const fabric::Completion&) noexcept { return false; }
    };
};

}  // namespace rb2::ring::tail
