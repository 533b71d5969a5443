#pragma once
// Tail synchronisation by looking at the record itself (rb2 paper, §IV-A "Poll message", and the form of it
// that §V-A measures for FaRM). The receiver zeroes what it has read before it gives the slots back, so
// whatever is not 0 where the next record starts belongs to that record.
//
// Differs from the paper in: the completion word is the last aligned word of the record's last slot, not the
// last byte of the message, so that it lands whole.

#include <atomic>
#include <cstdint>
#include <cstring>

#include "runtime/fabric/fabric.hpp"
#include "runtime/ring/publication.hpp"

namespace rb2::ring::tail {

namespace detail {

/// The receiver's half that both forms share.
template <std::uint32_t TrailerBytes>
class PolledRecord {
  public:
    template <class Layout>
    bool ready(const Slots<Layout>& slots, std::uint64_t head, std::uint64_t& mark) noexcept {
        // Acquire: what was written before the mark (the whole record, if it is written behind) is readable.
        mark = std::atomic_ref(slots.header(head).mark).load(std::memory_order_acquire);
        if (mark == 0) return false;
        if constexpr (TrailerBytes == 0) return true;
        const std::uint64_t count = record_slots(slots, head, Mark::unpack(mark), TrailerBytes);
        // A length that leaves the ring must not lead the look at the trailer: the receiver refuses it.
        if (count > slots.lap_end(head) - head) return true;
        // Acquire: bytes land front to back, so the record before its last word is readable.
        return std::atomic_ref(trailer(slots, head + count)).load(std::memory_order_acquire) != 0;
    }
    [[nodiscard]] std::uint64_t published(std::uint64_t, std::uint64_t slots) const noexcept { return slots; }

    /// All of it, payload and padding too: any slot may be where a later record starts or ends.
    template <class Layout>
    void consumed(const Slots<Layout>& slots, std::uint64_t head, std::uint64_t count) noexcept {
        std::memset(slots.slot(head), 0, count * Layout::kSlotBytes);
    }
    bool take(const fabric::Completion&) noexcept { return false; }
};

}  // namespace detail

/// One write: the mark lands first, the trailer last. Needs a fabric that lands bytes front to back. Costs
/// the receiver a pass of stores over everything it has read.
struct PollMessage {
    static constexpr std::uint32_t kTrailerBytes = sizeof(std::uint64_t);
    static constexpr bool kZeroes = true;
    static constexpr bool kPollsCompletions = false;

    struct Announcement {
        static constexpr std::size_t kHeldBytes = 0;
        static constexpr std::uint32_t kTrailerBytes = PollMessage::kTrailerBytes;

        Announcement(const SenderWiring&, const Parameters&) noexcept {}

        template <fabric::Endpoint Endpoint, class Placement, class View>
        Status announce(Endpoint& endpoint, const Placement& placement, const View& slots, Batch batch,
                        fabric::Signal signal) noexcept {
            return transmit_announcing(endpoint, placement, slots, batch, [&](const auto& last) {
                return endpoint.write(last.source, last.target, signal);
            });
        }
    };

    template <fabric::Endpoint Endpoint, class Placement, class Batching, class Layout>
    using Outbound = Publication<Announcement, Endpoint, Placement, Batching, Layout>;

    template <fabric::Endpoint Endpoint>
    struct Inbound : detail::PolledRecord<kTrailerBytes> {
        Inbound(Endpoint&, const ReceiverWiring&, const Parameters&) noexcept {}
    };
};

/// Two writes: first the record without its mark, then the mark, which holds the length. Works on every
/// fabric. One mark covers a batch: the marks of its other records travel with the slots, and nobody looks at
/// them before the first one is there.
struct PollLength {
    static constexpr std::uint32_t kTrailerBytes = 0;
    static constexpr bool kZeroes = true;
    static constexpr bool kPollsCompletions = false;

    struct Announcement {
        static constexpr std::size_t kHeldBytes = sizeof(RecordHeader::mark);
        static constexpr std::uint32_t kTrailerBytes = 0;

        Announcement(const SenderWiring&, const Parameters&) noexcept {}

        template <fabric::Endpoint Endpoint, class Placement, class View>
        Status announce(Endpoint& endpoint, const Placement& placement, const View& slots, Batch batch,
                        fabric::Signal signal) noexcept {
            const Status status = transmit(endpoint, placement, slots, batch, kHeldBytes);
            if (status != Status::ok) return status;
            const std::uint64_t mark = slots.header(batch.first).mark;
            return endpoint.write({reinterpret_cast<const std::byte*>(&mark), sizeof mark},
                                  placement.mark(slots, batch.first), signal);
        }
    };

    template <fabric::Endpoint Endpoint, class Placement, class Batching, class Layout>
    using Outbound = Publication<Announcement, Endpoint, Placement, Batching, Layout>;

    template <fabric::Endpoint Endpoint>
    struct Inbound : detail::PolledRecord<0> {
        Inbound(Endpoint&, const ReceiverWiring&, const Parameters&) noexcept {}
    };
};

}  // namespace rb2::ring::tail
