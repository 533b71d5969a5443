#pragma once
// The last step of a small send: everything has been looked up, the record goes into the ring.
//
// What limits a stream of small messages is how many of their cache lines are on the way at once. Stores
// reach the cache in their order, out of a queue of 64 or so; each store to the sender's own memory takes a
// place there that a store to the ring could have, and so does each register that a function saves
// (docs/experiments.md, "Fewer stores"). So put() makes no call that a register would have to outlive, and is
// called last itself, which spares its caller's. Both functions return 0, MPI_SUCCESS, for that.

#include <cstddef>
#include <cstdint>

#include "datatype/copy.hpp"
#include "pt2pt/peer.hpp"
#include "pt2pt/protocol/wire.hpp"
#include "runtime/wait/doorbell.hpp"

namespace rb2::pt2pt {

/// A message of any length into the ring of a peer that Engine::open_ring() found open for it.
[[gnu::noinline]] inline int put_long(const void* data, std::size_t bytes, Peer* peer,
                                      std::uint64_t word) noexcept {
    const auto length = static_cast<std::uint32_t>(bytes);
    ring::ShmSender& sender = peer->lane.local()->sender();
    ring::Claim claim = sender.try_claim(length);
    fill_record(*peer, claim.payload, static_cast<const std::byte*>(data), bytes);
    static_cast<void>(sender.commit(claim, static_cast<std::uint8_t>(wire::Kind::eager), word, length));
    count_sent(*peer, bytes);
    wait::ring(*peer->bell);
    return 0;
}

/// The same, in as few stores as can be if it fits a cache line, as it mostly does.
[[gnu::noinline]] inline int put(const void* data, std::size_t bytes, Peer* peer,
                                 std::uint64_t word) noexcept {
    ring::ShmSender& sender = peer->lane.local()->sender();
    if (bytes > ring::kLinePayloadBytes || !sender.clean()) return put_long(data, bytes, peer, word);
    const auto fill = [ data, bytes ](std::byte * to) __attribute__((always_inline)) {
        copy_short(to, static_cast<const std::byte*>(data), bytes);
    };
    sender.put_line(static_cast<std::uint8_t>(wire::Kind::eager), word, static_cast<std::uint32_t>(bytes),
                    fill);
    count_sent(*peer, bytes);
    wait::ring(*peer->bell);
    return 0;
}

}  // namespace rb2::pt2pt
