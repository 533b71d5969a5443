#pragma once
// Placement policies: where the sender builds a record, and how its slots get to the receiver.

#include <cstddef>
#include <cstdint>

#include "runtime/fabric/fabric.hpp"
#include "runtime/ring/slots.hpp"
#include "runtime/ring/wiring.hpp"

namespace rb2::ring::placement {

/// Slots that one WRITE can carry: contiguous at both sides.
struct Part {
    fabric::Source source;
    fabric::Remote target;
    std::uint64_t end;  ///< position behind the last of them
};

namespace detail {

/// Records are built in registered memory of the sender, and WRITEs carry them to their slots.
template <fabric::Endpoint Endpoint>
class Copied {
  public:
    static constexpr bool kInPlace = false;

    Copied(Endpoint&, const SenderWiring& wiring, std::size_t) noexcept
        : memory_(wiring.mirror), key_(wiring.mirror_key), remote_(wiring.slots) {}

    [[nodiscard]] std::byte* slots() const noexcept { return memory_; }

    /// The first part of [from, to): all of it, or what lies before the lap end. Empty if from == to.
    template <class View>
    [[nodiscard]] Part part(const View& slots, std::uint64_t from, std::uint64_t to) const noexcept {
        const std::uint64_t end = slots.lap_end(from) - from < to - from ? slots.lap_end(from) : to;
        return {.source = {slots.slot(from), (end - from) * View::kSlotBytes, key_},
                .target = remote_ + slots.index(from) * View::kSlotBytes,
                .end = end};
    }
    /// The peer's mark of the record at `position`.
    template <class View>
    [[nodiscard]] fabric::Remote mark(const View& slots, std::uint64_t position) const noexcept {
        return remote_ + slots.index(position) * View::kSlotBytes;
    }

  private:
    std::byte* memory_;
    fabric::Key key_;
    fabric::Remote remote_;
};

}  // namespace detail

/// The sender fills a copy of the ring; WRITEs carry slots to the same slots at the receiver (rb2 paper, C4
/// "both"). Needed where the peer's memory cannot be stored to; allows batching. Costs one copy by the
/// fabric.
struct Mirrored {
    static constexpr bool kInPlace = false;
    static constexpr bool kStaged = false;

    template <class Layout>
    using View = Slots<Layout>;
    template <fabric::Endpoint Endpoint>
    using Outbound = detail::Copied<Endpoint>;
};

/// Only the receiver has a ring (rb2 paper, C4 "receiver only"): the sender builds one record at a time in a
/// staging buffer of max_slots() slots. Least memory, but no claim while the last record is still in flight,
/// and so no batching; every record is signalled.
struct ReceiverOnly {
    static constexpr bool kInPlace = false;
    static constexpr bool kStaged = true;

    template <class Layout>
    using View = Staged<Layout>;
    template <fabric::Endpoint Endpoint>
    using Outbound = detail::Copied<Endpoint>;
};

/// The sender fills the receiver's slots directly: no copy, no operation. Mapped endpoints only.
struct InPlace {
    static constexpr bool kInPlace = true;
    static constexpr bool kStaged = false;

    template <class Layout>
    using View = Slots<Layout>;

    template <fabric::MappedEndpoint Endpoint>
    class Outbound {
      public:
        static constexpr bool kInPlace = true;

        /// Null slots() if the peer's mapping is too small for the ring.
        Outbound(Endpoint& endpoint, const SenderWiring& wiring, std::size_t bytes) noexcept
            : slots_(endpoint.map(wiring.slots, bytes)), remote_(wiring.slots) {}

        [[nodiscard]] std::byte* slots() const noexcept { return slots_; }

        /// Nothing has to move: a part without bytes.
        template <class View>
        [[nodiscard]] Part part(const View&, std::uint64_t, std::uint64_t to) const noexcept {
            return {.source = {}, .target = remote_, .end = to};
        }

      private:
        std::byte* slots_;
        fabric::Remote remote_;
    };
};

}  // namespace rb2::ring::placement
