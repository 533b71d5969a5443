#pragma once
// What an engine is given and gives out: settings, modes, and small records.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/state/page.hpp"

namespace rb2::pt2pt {

enum class SendMode : std::uint8_t {
    standard,     ///< may complete before it is matched
    synchronous,  ///< completes only once a matching receive has started
};

struct EngineConfig {
    int rank = 0;
    int size = 1;
    /// A message longer than this waits for the receiver's CTS after its first `eager_window` bytes.
    std::uint64_t eager_window = 64U << 10;
    /// Payload bytes of one record of a longer message, and the longest message sent as a single record. The
    /// receiver copies one chunk out while the sender copies the next in. Capped by what the ring takes.
    std::uint64_t chunk_bytes = 8U << 10;
    /// The same two for peers that share no memory: there a record costs a trip to the wire, not a cache
    /// line, and a CTS a round trip.
    std::uint64_t far_eager_window = 64U << 10;
    std::uint64_t far_chunk_bytes = 64U << 10;
    /// A message longer than this is offered for a single copy, where the transport has one.
    std::uint64_t single_copy_bytes = 8U << 10;
    /// Unexpected bytes kept per peer before its ring is left full (back-pressure).
    std::uint64_t unexpected_budget = 16U << 20;
    /// Ranks share CPUs: collectives take algorithms in which a rank seldom waits. The same in all ranks.
    bool crowded = false;
};

/// How a queued send goes. docs/architecture.md, "The way of a long message".
struct Way {
    bool far = false;      ///< bytes one behind the other, to a peer that shares no memory
    bool direct = false;   ///< it may be written into the receiver's buffer
    bool follows = false;  ///< it comes behind its first record, outside the ring
    bool offer = false;    ///< the receiver may read it from the sender's memory
    bool whole = false;    ///< in one record
};

/// Collective calls on one communicator, for the hang report.
struct CollectiveCalls {
    std::uint32_t communicator = 0;       ///< its id
    int last = 0;                         ///< number of the last call
    const char* function = "";            ///< the last one's; a literal
    state::Collectives* shown = nullptr;  ///< null: nobody looks, or there are too many communicators

    void count(int calls) noexcept {
        last = calls;
        if (shown != nullptr)
            shown->calls.store(static_cast<std::uint32_t>(calls), std::memory_order_relaxed);
    }
};

/// Space in the ring of one peer, written in place by the caller between reserve() and commit().
struct Reservation {
    std::span<std::byte> payload;  ///< empty when the reservation failed
    int destination = -1;
    std::uint32_t context = 0;
    std::int32_t tag = 0;
};

}  // namespace rb2::pt2pt
