#pragma once
// Tail synchronisation: how the receiver learns that a record is complete. rb2 paper, §IV-A and Algorithm 1.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "runtime/fabric/fabric.hpp"
#include "runtime/ring/batching.hpp"
#include "runtime/ring/parameters.hpp"
#include "runtime/ring/slots.hpp"
#include "runtime/ring/wiring.hpp"

namespace rb2::ring::tail {

/// First the slots, then the tail, as two ordered writes. Works on every fabric, whatever the byte order
/// inside a write, and lets one tail cover a batch. The receiver polls one word, then reads the record: two
/// line transfers.
struct WriteTwice {
    /// Ticket of the tail writes; the endpoint's other users keep to other values.
    static constexpr std::uint64_t kTicket = ~std::uint64_t{0};

    /// Sender side. tail >= esc_tail >= advanced_tail, tail >= syncd_tail >= advanced_tail.
    template <fabric::Endpoint Endpoint, class Placement, class Batching, class Layout>
    class Outbound {
      public:
        Outbound(Endpoint& endpoint, const SenderWiring& wiring, const Parameters& parameters) noexcept
            : batching_(parameters),
              esc_tail_(parameters.start),
              syncd_tail_(parameters.start),
              advanced_tail_(parameters.start),
              placement_(endpoint, wiring, parameters.slots, Layout::kSlotBytes),
              endpoint_(&endpoint),
              local_tail_(wiring.local_tail),
              other_completions_(wiring.other_completions) {}

        [[nodiscard]] std::byte* slots() const noexcept { return placement_.slots(); }
        void claimed(std::uint64_t, std::uint64_t) noexcept {}

        /// The record at `position`, complete but for its mark, ends before `tail`. Lines 6-15.
        Status publish(const Slots<Layout>& slots, std::uint64_t position, std::uint64_t mark,
                       std::uint64_t tail, std::uint64_t) noexcept {
            slots.header(position).mark = mark;
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

        /// Everything before `tail` reaches the receiver without a further call. Does not wait for the
        /// previous tail: writes are ordered, so the elastic threshold is thrift, not safety.
        Status flush(const Slots<Layout>& slots, std::uint64_t tail) noexcept {
            if (in_flight_ != 0) harvest();
            if (tail == advanced_tail_) return status_;
            Status status = post(slots, tail);
            status = status == Status::ok ? advance(tail) : ring_doorbell(status);
            flush_blocked_ = status == Status::would_block;
            return failed(status);
        }

        /// Takes completions; a tail that was held back by the elastic threshold goes out once nothing is in
        /// flight, and a flush that met a full queue is tried again.
        Status poll(const Slots<Layout>& slots, std::uint64_t tail) noexcept {
            harvest();
            if (flush_blocked_) return accepted(flush(slots, tail));
            if (in_flight_ == 0 && syncd_tail_ != advanced_tail_) return accepted(advance(esc_tail_));
            return status_;
        }

        [[nodiscard]] Status status() const noexcept { return status_; }

      private:
        /// Posts the slots up to `tail`; the doorbell is left to the caller.
        Status post(const Slots<Layout>& slots, std::uint64_t tail) noexcept {
            return placement_.transmit(slots, esc_tail_, tail);
        }

        /// One doorbell for what is posted, also if `posted` says that the queue took only part of it: it
        /// would never empty otherwise. Returns the first of both results that is not ok.
        Status ring_doorbell(Status posted) noexcept {
            const Status rung = endpoint_->flush();
            return posted == Status::ok ? rung : posted;
        }

        Status advance_or_defer(const Slots<Layout>& slots, std::uint64_t tail) noexcept {
            const Status status = post(slots, tail);  // lines 7, 8
            if (status != Status::ok) return ring_doorbell(status);
            if constexpr (Batching::kElastic) {
                harvest();  // line 10
                if (in_flight_ != 0) {
                    syncd_tail_ =
                        tail;  // line 9: the threshold counts anew; poll() or flush() makes up for it
                    return ring_doorbell(Status::ok);
                }
            }
            return advance(tail);  // line 12
        }

        /// Writes `tail`, all of whose slots are posted, behind them; then one doorbell for all.
        Status advance(std::uint64_t tail) noexcept {
            const fabric::Source source{reinterpret_cast<const std::byte*>(&tail), sizeof tail};
            const fabric::Signal signal = Batching::kElastic ? fabric::Signal{kTicket} : fabric::kSilent;
            const Status status = endpoint_->write(source, local_tail_, signal);
            if (status == Status::ok) {
                in_flight_ += Batching::kElastic ? 1 : 0;
                syncd_tail_ = tail;
                advanced_tail_ = tail;
            }
            return ring_doorbell(status);
        }

        void harvest() noexcept {
            std::array<fabric::Completion, 8> completions;
            std::size_t count = 0;
            do {
                count = endpoint_->poll(completions);
                for (const fabric::Completion& done : std::span(completions).first(count)) take(done);
            } while (count == completions.size());
        }

        void take(const fabric::Completion& done) noexcept {
            if (done.status != Status::ok) status_ = Status::peer_lost;
            if (done.ticket == kTicket) {
                --in_flight_;
            } else {
                other_completions_(done);
            }
        }

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
        std::uint64_t advanced_tail_;  ///< last value written to the peer's local_tail
        std::uint64_t in_flight_ = 0;  ///< tail writes whose completion has not been polled
        typename Placement::template Outbound<Endpoint> placement_;
        Endpoint* endpoint_;
        fabric::Remote local_tail_;
        CompletionSink other_completions_;
        Status status_ = Status::ok;
        bool flush_blocked_ = false;
    };

    /// Receiver side.
    class Inbound {
      public:
        Inbound(const ReceiverWiring& wiring, const Parameters& parameters) noexcept
            : cached_(parameters.start), word_(wiring.local_tail) {}

        /// Whether a record starts at `head`; if so, `mark` is its mark.
        bool ready(const RecordHeader& header, std::uint64_t head, std::uint64_t& mark) noexcept {
            if (head == cached_) {
                // Acquire: all slots before this tail were written before it and are readable now.
                cached_ = std::atomic_ref(*word_).load(std::memory_order_acquire);
                if (head == cached_) return false;
            }
            mark = header.mark;
            return true;
        }

        /// Slots a record at `head` may have; more than the ring has means that the tail word is corrupt.
        [[nodiscard]] std::uint64_t published(std::uint64_t head, std::uint64_t) const noexcept {
            return cached_ - head;
        }

      private:
        std::uint64_t cached_;
        std::uint64_t* word_;
    };
};

/// The bell in the record's own first line, stored last; the line behind it is silenced first, so the
/// receiver need not zero what it has read. One line transfer for a record of up to one line, no operation,
/// no second word. Needs stores with release order into the peer's memory: in-place placement, every commit
/// published at once.
struct InlinedBell {
    /// Sender side. Slots [tail, safe_until) hold silent marks; slot tail always does.
    template <fabric::Endpoint Endpoint, class Placement, class Batching, class Layout>
    class Outbound {
      public:
        Outbound(Endpoint& endpoint, const SenderWiring& wiring, const Parameters& parameters) noexcept
            : safe_until_(parameters.start + 1),
              placement_(endpoint, wiring, parameters.slots, Layout::kSlotBytes) {}

        [[nodiscard]] std::byte* slots() const noexcept { return placement_.slots(); }

        /// The caller may put any bytes into the slots behind the first, also if it aborts or shortens the
        /// record.
        void claimed(std::uint64_t position, std::uint64_t count) noexcept {
            if (count > 1) safe_until_ = position + 1;
        }

        /// The record at `position` is complete but for its mark and ends before `tail`. `room_end` is the
        /// last position whose slot belongs to the sender.
        [[gnu::always_inline]] Status publish(const Slots<Layout>& slots, std::uint64_t position,
                                              std::uint64_t mark, std::uint64_t tail,
                                              std::uint64_t room_end) noexcept {
            if (safe_until_ <= tail) silence(slots, tail);
            // Release: header, payload and the silent mark behind them are readable once the bell is seen.
            std::atomic_ref(slots.header(position).mark).store(mark, std::memory_order_release);
            // Off the critical path: also brings the line after next into this core for writing.
            if (tail + 1 <= room_end) [[likely]]
                silence(slots, tail + 1);
            return Status::ok;
        }

        Status flush(const Slots<Layout>&, std::uint64_t) noexcept { return Status::ok; }
        Status poll(const Slots<Layout>&, std::uint64_t) noexcept { return Status::ok; }
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
    class Inbound {
      public:
        Inbound(const ReceiverWiring&, const Parameters&) noexcept {}

        bool ready(RecordHeader& header, std::uint64_t head, std::uint64_t& mark) noexcept {
            // Acquire: pairs with the release store of the mark; the record is readable now.
            mark = std::atomic_ref(header.mark).load(std::memory_order_acquire);
            return static_cast<std::uint32_t>(mark) == bell_at(head);
        }
        [[nodiscard]] std::uint64_t published(std::uint64_t, std::uint64_t slots) const noexcept {
            return slots;
        }
    };
};

}  // namespace rb2::ring::tail
