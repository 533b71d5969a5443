#pragma once
// The last step of a small send: everything has been looked up, the record goes into the ring.
//
// What limits a stream of small messages is how many of their cache lines are on the way at once. Stores
// reach the cache in their order, out of a queue of 64 or so; each store to the sender's own memory takes a
// place there that a store to the ring could have, and so does each register that a function saves
// (docs/experiments.md, "Fewer stores"). So these functions call nothing and are called last: they save no
// register, nor does their caller.

#include <cstddef>
#include <cstdint>

#include "datatype/copy.hpp"
#include "pt2pt/peer.hpp"
#include "pt2pt/protocol/wire.hpp"
#include "runtime/wait/doorbell.hpp"

namespace rb2::pt2pt {

/// The peer sleeps: a call of its own, so that the others make none. Returns 0, as they all do.
[[gnu::cold, gnu::noinline]] inline int put_and_wake(wait::Doorbell* bell) noexcept {
    wait::wake(*bell);
    return 0;
}

/// A message of any length into the ring of a peer that Engine::open_ring() found open for it.
[[gnu::noinline]] inline int put_long(const void* data, std::size_t bytes, Peer* peer,
                                      std::uint64_t word) noexcept {
    const auto length = static_cast<std::uint32_t>(bytes);
    ring::ShmSender& sender = peer->lane.local()->sender();
    ring::Claim claim = sender.try_claim(length);
    copy_payload(claim.payload, static_cast<const std::byte*>(data), bytes);
    static_cast<void>(sender.commit(claim, static_cast<std::uint8_t>(wire::Kind::eager), word, length));
    peer->traffic->sent_messages += 1;
    peer->traffic->sent_bytes += bytes;
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
    state::Traffic& traffic = *peer->traffic;
    traffic.sent_messages += 1;
    traffic.sent_bytes += bytes;
    if (peer->bell->asleep.load(std::memory_order_relaxed) != 0) [[unlikely]]
        return put_and_wake(peer->bell);
    return 0;
}

}  // namespace rb2::pt2pt
