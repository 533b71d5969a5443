#pragma once
// What the loads need of a way to carry messages between two threads. A ring is one (ring_link.hpp); so is
// anything else that has these members.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "osu-style-bench/ring/job.hpp"

namespace rb2::bench::study {

/// One side, used by one thread. Throws std::runtime_error when the other side is lost or sends nonsense.
template <class E>
concept LinkEnd = requires(E end, const E const_end, std::uint32_t bytes,
                           bool (*handler)(std::span<const std::byte>)) {
    // Room for a record of 1 to most_bytes() bytes, empty if there is none now; commit() sends it.
    { end.claim(bytes) } -> std::same_as<std::span<std::byte>>;
    { end.commit(bytes) } -> std::same_as<void>;
    { const_end.most_bytes() } -> std::same_as<std::size_t>;
    // Hands the records that are there to the handler, some of them; returns how many. The handler returns
    // false to stop after the one it got.
    { end.receive(handler) } -> std::same_as<std::uint64_t>;
    // Starts what was held back in order to batch it. False: not all could be started, turn() and try again.
    { end.push() } -> std::same_as<bool>;
    // Makes progress: completions, what waited for them, and landings of a costed fabric. Both sides keep
    // turning until the last message has arrived.
    { end.turn() } -> std::same_as<void>;
};

/// Both sides and the memory between them.
template <class L>
concept Link = std::constructible_from<L, const Job&> && requires(L link) {
    requires LinkEnd<std::remove_reference_t<decltype(link.a())>>;
    requires LinkEnd<std::remove_reference_t<decltype(link.b())>>;
};

}  // namespace rb2::bench::study
