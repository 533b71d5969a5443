#pragma once
// The seam of the folder: a one-way data channel from a sender to a receiver, behind the interface of
// "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler), section 6: send a region, test it,
// receive a region, free it.
//
// A channel is a type with a row of Table 2 (kTraits) and two class templates over a fabric's endpoint:
//
//     struct WriteSlotImm {
//         static constexpr Traits kTraits{...};
//         static constexpr Needs sender_needs(const Parameters&);    // bytes of memory, see Memory
//         static constexpr Needs receiver_needs(const Parameters&);
//         template <fabric::Endpoint E> class Sender;    // SenderChannel
//         template <fabric::Endpoint E> class Receiver;  // ReceiverChannel
//     };
//
// Start-up: both sides are built, each gives the other its card(), each calls connect() with the peer's.
//
// Both endpoints of a side are the channel's alone. The message travels on `data`. What the receiver gives
// back (freed memory) travels on `credit`, so that it is counted apart: the paper treats it as a second
// channel.
//
// Differs from the paper in: nothing blocks or allocates; a full channel is would_block; a message is a span
// and the place to be given back; zero-copy receive is send_to() where the sender starts the transfer and
// receive_into() where the receiver does.
//
// One thread at a time per side.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/channel/parameters.hpp"
#include "runtime/channel/traits.hpp"
#include "runtime/fabric/fabric.hpp"
#include "runtime/status.hpp"

namespace rb2::channel {

/// Names a send until test() has said ok for it. Never 0.
using Ticket = std::uint64_t;

/// A message where it lies at the receiver: valid until free().
struct Message {
    std::span<const std::byte> bytes;
    std::uint64_t place = 0;  ///< the channel's own
};

/// Bytes of memory that a side needs: registered with `data`, and with `credit`.
struct Needs {
    std::size_t data = 0;
    std::size_t credit = 0;
};

/// Zeroed memory of at least Needs, on a line boundary (kMemoryAlignment); outlives the side.
struct Memory {
    std::span<std::byte> data;
    std::span<std::byte> credit;
};
inline constexpr std::size_t kMemoryAlignment = 64;

/// What one side of a channel stands on. The endpoints outlive the side.
template <fabric::Endpoint E>
struct Side {
    E* data;
    E* credit;
    Memory memory;
    Parameters parameters;
};

/// Where a side's memory lies, for the peer; unused halves are zero.
struct Card {
    fabric::Remote data;
    fabric::Remote credit;
    std::uint32_t number = 0;  ///< that a side which shares memory gives its peer
};

template <class S>
concept SenderChannel = requires(S sender, const S constant, const Card& peer, fabric::Source region,
                                 Ticket& ticket) {
    { constant.card() }
    noexcept->std::same_as<Card>;
    { sender.connect(peer) }
    noexcept->std::same_as<void>;

    // Longest message, bytes.
    { constant.max_bytes() }
    noexcept->std::same_as<std::size_t>;

    // Sends `region`, which is registered with the data endpoint and stays unchanged until test() says ok.
    //   ok                it is on its way; `ticket` names it. Channels with a reply on their path (3 half
    //   round
    //                     trips) go on with it in later calls of test() and send().
    //   would_block       the channel is full: make progress on both sides and call again
    //   invalid_argument  longer than max_bytes() (bufferless: not exactly that), or not registered
    //   peer_lost
    { sender.send(region, ticket) }
    noexcept->std::same_as<Status>;

    // ok: the region may be reused. would_block: not yet. peer_lost.
    { sender.test(ticket) }
    noexcept->std::same_as<Status>;
};

/// A sender that decides where at the receiver its message goes: zero-copy receive for a sender that starts
/// the transfer.
template <class S>
concept PlacingSender = SenderChannel<S> &&
    requires(S sender, std::uint32_t slot, fabric::Source region, Ticket& ticket) {
    // As send(), into slot 0 ... Parameters::slots - 1; would_block while that slot is in use.
    { sender.send_to(slot, region, ticket) }
    noexcept->std::same_as<Status>;
};

/// What every receiver has, however it hands messages out.
template <class R>
concept ConnectedReceiver = requires(R receiver, const R constant, const Card& peer) {
    { constant.card() }
    noexcept->std::same_as<Card>;
    { receiver.connect(peer) }
    noexcept->std::same_as<void>;
};

template <class R>
concept ReceiverChannel = ConnectedReceiver<R> &&
    requires(R receiver, Message& message, const Message& received) {
    // The next message. would_block: none is there. peer_lost: also when what the peer wrote cannot be a
    // message.
    { receiver.receive(message) }
    noexcept->std::same_as<Status>;

    // Gives the message's memory back, in any order. invalid_argument: not a message of this receiver that is
    // still held.
    { receiver.free(received) }
    noexcept->std::same_as<Status>;
};

/// A receiver that starts the transfer and says where the message goes.
template <class R>
concept IntoReceiver = ConnectedReceiver<R> && requires(R receiver, fabric::Sink sink, std::size_t& bytes) {
    // The next message into `sink`, which is registered with the data endpoint and the fabric's until the
    // call that returns something else than would_block; every call until then names the same sink. `bytes`
    // gets the length.
    //   truncated  it was longer than the sink, which holds its first bytes
    { receiver.receive_into(sink, bytes) }
    noexcept->std::same_as<Status>;
};

/// Channels whose receivers draw on memory they share: built with (memory, parameters) before them and given
/// to each as second argument. C::pool_bytes(parameters) is its size.
template <class C, class E>
concept PoolsReceiverMemory = requires {
    typename C::template ReceiverPool<E>;
};

/// The same at the sender: one message for many receivers.
template <class C, class E>
concept PoolsSenderMemory = requires {
    typename C::template SenderPool<E>;
};

template <class C, class E>
concept Channel = fabric::Endpoint<E> && SenderChannel<typename C::template Sender<E>> &&
    (ReceiverChannel<typename C::template Receiver<E>> ||
     IntoReceiver<typename C::template Receiver<E>>)&&requires(const Parameters& parameters) {
    { C::kTraits } -> std::convertible_to<Traits>;
    { C::sender_needs(parameters) } -> std::same_as<Needs>;
    { C::receiver_needs(parameters) } -> std::same_as<Needs>;
};

}  // namespace rb2::channel
