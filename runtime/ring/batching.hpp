#pragma once
// Batching policies: when a sender transmits committed slots, and when it tells the peer about them.
// rb2 paper, §III-B "Basic batching" and §IV-B "Adaptive Batching", Algorithm 1.
//
//   kHoldsBack     a commit may wait for flush() or poll()
//   kAlwaysDue     every commit is due at once; one that the fabric refused goes out in poll()
//   kElastic       an advancement waits while the one before it is in flight; slots fly on
//   kMostInFlight  publications in flight beyond which nothing more is posted; 0: no such limit

#include <cstdint>

#include "runtime/ring/parameters.hpp"

namespace rb2::ring::batching {

/// What a commit makes due. Advancing the peer's tail includes transmitting what is left.
enum class Due : std::uint8_t { nothing, transmit, advance };

/// Every commit is transmitted and published at once. Lowest latency; two writes per record with write twice.
struct None {
    static constexpr bool kHoldsBack = false;
    static constexpr bool kAlwaysDue = true;
    static constexpr bool kElastic = false;
    static constexpr std::uint64_t kMostInFlight = 0;

    explicit None(const Parameters&) noexcept {}
    [[nodiscard]] Due due(std::uint64_t, std::uint64_t, std::uint64_t) const noexcept { return Due::advance; }
};

/// Every alpha slots everything is transmitted and published. The wire idles while a batch fills.
struct Fixed {
    static constexpr bool kHoldsBack = true;
    static constexpr bool kAlwaysDue = false;
    static constexpr bool kElastic = false;
    static constexpr std::uint64_t kMostInFlight = 0;

    explicit Fixed(const Parameters& parameters) noexcept : alpha(parameters.alpha) {}
    [[nodiscard]] Due due(std::uint64_t tail, std::uint64_t, std::uint64_t syncd_tail) const noexcept {
        return tail - syncd_tail >= alpha ? Due::advance : Due::nothing;
    }

    std::uint64_t alpha;
};

/// Slots fly every beta (synchronisation-ahead transmission), the tail follows every alpha: half of Adaptive,
/// to measure what the other half brings. 1/beta + 1/alpha writes per slot, none of them signalled.
struct SyncAhead {
    static constexpr bool kHoldsBack = true;
    static constexpr bool kAlwaysDue = false;
    static constexpr bool kElastic = false;
    static constexpr std::uint64_t kMostInFlight = 0;

    explicit SyncAhead(const Parameters& parameters) noexcept
        : alpha(parameters.alpha), beta(parameters.beta) {}
    [[nodiscard]] Due due(std::uint64_t tail, std::uint64_t esc_tail,
                          std::uint64_t syncd_tail) const noexcept {
        if (tail - syncd_tail >= alpha) return Due::advance;            // line 6
        return tail - esc_tail >= beta ? Due::transmit : Due::nothing;  // line 13
    }

    std::uint64_t alpha;
    std::uint64_t beta;
};

/// SyncAhead, but the tail follows later than every alpha while the previous tail is still in flight (elastic
/// threshold): 1/beta + 1/alpha writes per slot, and fewer when the wire is busy.
struct Adaptive : SyncAhead {
    static constexpr bool kElastic = true;
    using SyncAhead::SyncAhead;
};

/// SocksDirect's batching as §IV-B of the rb2 paper tells it: a commit goes out at once while fewer than
/// `Most` publications are in flight, else it waits and leaves with its successors in one. Every publication
/// is signalled: a completion each, where Adaptive has one per alpha slots.
template <std::uint64_t Most>
struct InFlight {
    static constexpr bool kHoldsBack = true;
    static constexpr bool kAlwaysDue = true;
    static constexpr bool kElastic = false;
    static constexpr std::uint64_t kMostInFlight = Most;

    explicit InFlight(const Parameters&) noexcept {}
    [[nodiscard]] Due due(std::uint64_t, std::uint64_t, std::uint64_t) const noexcept { return Due::advance; }
};

}  // namespace rb2::ring::batching
