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

    /// Sender side. Slots [tail, safe_until) hold silent marks; slot tail always does.
    template <fabric::Endpoint Endpoint, class Placement, class Batching, class Layout>
    class Outbound {
      public:
        Outbound(Endpoint& endpoint, const SenderWiring& wiring, const Parameters& parameters) noexcept
            : safe_until_(parameters.start + 1),
              placement_(endpoint, wiring, mapped_bytes<Layout>(parameters.slots)) {}

        [[nodiscard]] std::byte* slots() const noexcept { return placement_.slots(); }

        /// The caller may put any bytes into the slots behind the first, also if it aborts or shortens the
        /// record.
        void claimed(std::uint64_t position, std::uint64_t count) noexcept {
            if (count > 1) safe_until_ = position + 1;
        }

        /// The record at `position` is complete but for its mark and ends before `tail`. `room_end` is the
        /// last position whose slot belongs to the sender.
        [[gnu::always_inline]] Status publish(const Slots<Layout>& view, std::uint64_t position,
                                              std::uint64_t mark, std::uint64_t tail,
                                              std::uint64_t room_end) noexcept {
            const Slots<Layout> slots = view;  // a copy: the stores below cannot change it
            if (safe_until_ <= tail) [[unlikely]]
                silence(slots, tail);
            // Release: header, payload and the silent mark behind them are readable once the bell is seen.
            std::atomic_ref(slots.header(position).mark).store(mark, std::memory_order_release);
            // Off the critical path: also brings the line after next into this core for writing.
            if (tail + 1 <= room_end) [[likely]]
                silence(slots, tail + 1);
            return Status::ok;
        }

        Status flush(const Slots<Layout>&, std::uint64_t) noexcept { return Status::ok; }
        Status poll(const Slots<Layout>&, std::uint64_t) noexcept { return Status::ok; }
        bool take(const fabric::Completion&) noexcept { return false; }
        [[nodiscard]] Status status() const noexcept { return Status::ok; }

      private:
        void silence(const Slots<Layout>& slots, std::uint64_t position) noexcept {
            // Relaxed: the release store of the next bell orders it.
            std::atomic_ref(slots.header(position).mark)
                .store(silent_mark(position), std::memory_order_relaxed);
            safe_until_ = position + 1;
        }

        std::uint64_t safe_until_;
        typename Placement::template Outbound<Endpoint> placement_;
    };

    /// Receiver side.
    template <fabric::Endpoint Endpoint>
    class Inbound {
      public:
        Inbound(Endpoint&, const ReceiverWiring&, const Parameters&) noexcept {}

        template <class Layout>
        bool ready(const Slots<Layout>& slots, std::uint64_t head, std::uint64_t& mark) noexcept {
            // Acquire: pairs with the release store of the mark; the record is readable now.
            mark = std::atomic_ref(slots.header(head).mark).load(std::memory_order_acquire);
            return static_cast<std::uint32_t>(mark) == bell_at(head);
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
