#pragma once
// Placement policies: where the sender builds a record, and how its slots get to the receiver.

#include <cstddef>
#include <cstdint>

#include "runtime/fabric/fabric.hpp"
#include "runtime/ring/slots.hpp"
#include "runtime/ring/wiring.hpp"

namespace rb2::ring::placement {

/// The sender fills a copy of the ring; WRITEs carry slots to the same slots at the receiver (rb2 paper, C4).
/// Needed where the peer's memory cannot be stored to; allows batching. Costs one copy by the fabric.
struct Mirrored {
    static constexpr bool kInPlace = false;

    template <fabric::Endpoint Endpoint>
    class Outbound {
      public:
        Outbound(Endpoint& endpoint, const SenderWiring& wiring, std::uint64_t, std::size_t) noexcept
            : endpoint_(&endpoint),
              mirror_(wiring.mirror),
              mirror_key_(wiring.mirror_key),
              remote_(wiring.slots) {}

        [[nodiscard]] std::byte* slots() const noexcept { return mirror_; }

        /// Posts the slots [from, to) and moves `from` past what was posted: one write, two across the lap
        /// end.
        template <class Layout>
        Status transmit(const Slots<Layout>& slots, std::uint64_t& from, std::uint64_t to) noexcept {
            while (from != to) {
                const std::uint64_t end = slots.lap_end(from) - from < to - from ? slots.lap_end(from) : to;
                const fabric::Source source{slots.slot(from), (end - from) * Layout::kSlotBytes, mirror_key_};
                const fabric::Remote target = remote_ + slots.index(from) * Layout::kSlotBytes;
                if (const Status status = endpoint_->write(source, target, fabric::kSilent);
                    status != Status::ok) {
                    return status;
                }
                from = end;
            }
            return Status::ok;
        }

      private:
        Endpoint* endpoint_;
        std::byte* mirror_;
        fabric::Key mirror_key_;
        fabric::Remote remote_;
    };
};

/// The sender fills the receiver's slots directly: no copy, no operation. Mapped endpoints only.
struct InPlace {
    static constexpr bool kInPlace = true;

    template <fabric::MappedEndpoint Endpoint>
    class Outbound {
      public:
        /// Null slots() if the peer's mapping is too small for the ring.
        Outbound(Endpoint& endpoint, const SenderWiring& wiring, std::uint64_t count,
                 std::size_t slot_bytes) noexcept
            : slots_(endpoint.map(wiring.slots, ring_bytes(count, slot_bytes))) {}

        [[nodiscard]] std::byte* slots() const noexcept { return slots_; }

        template <class Layout>
        Status transmit(const Slots<Layout>&, std::uint64_t& from, std::uint64_t to) noexcept {
            from = to;  // already there
            return Status::ok;
        }

      private:
        std::byte* slots_;
    };
};

}  // namespace rb2::ring::placement
