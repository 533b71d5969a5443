#pragma once
// What the engine needs from below: a lane to each remote rank, a doorbell, and a way to wait.
// FabricTransport is the real one; the tests run engines in one thread over InProcessTransport.

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "pt2pt/lane.hpp"
#include "runtime/wait/doorbell.hpp"
#include "runtime/wait/gate.hpp"

namespace rb2::pt2pt {

template <class T>
concept Transport = requires(T transport, int rank, std::string_view text, std::string owned, bool (*poll)(),
                             std::span<std::byte> memory, std::uint64_t address, wait::NoGate gate,
                             std::chrono::nanoseconds longest, void (*meet)(int)) {
    /// The way to a remote rank; undefined for the own rank.
    { transport.lane(rank) } -> std::same_as<Lane>;
    /// Makes the way to a rank that has none yet (its lane is not connected()).
    transport.connect(rank);
    /// Whether only a way to the rank would show that it has finalized.
    { transport.hidden(rank) } -> std::same_as<bool>;
    /// Whether ranks that this one has no way to may have sent something. Asked once per round.
    { transport.called() } -> std::same_as<bool>;
    /// Makes the ways to those, and hands each rank to the function. May name ranks that have one already.
    transport.take_callers(meet);
    /// Does what fabrics have to do besides their rings (connections, sockets), once per round of progress.
    { transport.poll_fabrics() } -> std::same_as<int>;
    /// The doorbell of a rank that shares memory with this one.
    { transport.doorbell(rank) } -> std::same_as<wait::Doorbell&>;
    /// Wakes the rank if it sleeps. Called after records or credits were published to it.
    transport.notify(rank);
    /// Whether the own memory may be offered to the rank for a single copy.
    { transport.can_offer(rank) } -> std::same_as<bool>;
    /// Reads the rank's memory at an address it offered. False: refused, use the rings.
    { transport.pull(rank, memory, address) } -> std::same_as<bool>;
    /// The same, while the rank itself may write the second half, if it helps just then.
    { transport.pull_in_halves(rank, memory, address) } -> std::same_as<bool>;
    /// Called while the rank is to take an offer and sends nothing: writes the half that it asks for. True if
    /// it asked for one.
    { transport.help(rank) } -> std::same_as<bool>;
    /// Memory of the rank that all ranks of the job share for collectives, zeroed at first; empty: none. The
    /// same size for all ranks.
    { transport.shared_memory(rank) } -> std::same_as<std::span<std::byte>>;
    /// Called when a poll found nothing to do, with a function that polls once more and one to call before
    /// sleeping; both tell whether they found work. The gate, if given, is open while it pauses or sleeps.
    transport.idle(poll, poll);
    transport.idle(poll, poll, gate);
    /// Spins until the function, called often, tells that what a running peer is about to bring is there, or
    /// for so long. False: it is not there, or this rank must not spin.
    { transport.expect(poll, longest) } -> std::same_as<bool>;
    /// Called when a poll found work, to start the next wait from its beginning.
    transport.busy();
    /// Whether all that was sent over networks has left this rank.
    { transport.quiet() } -> std::same_as<bool>;
    /// Whether the rank has finalized. If so, all it ever sent can be polled now, and it takes nothing more.
    { transport.departed(rank) } -> std::same_as<bool>;
    /// The rank has told that it finalizes: departed() holds for it from now on.
    transport.says_bye(rank);
    /// Ends the job, with the text for the user: this rank waits for one that has finalized. Does not return.
    transport.forsaken(owned);
    /// Ends the job: the peer broke the wire format. Does not return.
    transport.protocol_error(rank, text);
    /// Ends the job: the fabric can no longer reach the peer. Does not return.
    transport.peer_lost(rank);
};

}  // namespace rb2::pt2pt
