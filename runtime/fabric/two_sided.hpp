#pragma once
// Two-sided messages beside the one-sided operations of fabric.hpp: a send fills the oldest receive posted at
// the peer, whose address the sender does not know. What the channels of runtime/channel need beyond WRITE.
//
// Promises, besides those of fabric.hpp
//   order      sends arrive in posting order, and behind earlier writes of the same endpoint, where messages
//              are ordered. There is no order between a `received` and an `imm_arrived` completion.
//   receives   are used in posting order, one by each message whatever its length. Posting one is local: it
//              is no request on the wire. The sink stays the fabric's until its `received` completion.
//   not ready  a send that finds no receive waits for one, and all behind it waits too; the sender sees
//              would_block once its queue is full (receiver-not-ready retries without limit).
//   truncation a message longer than its receive fills it, and that receive completes with
//              Status::truncated and the message's length. The sender is not told. (InfiniBand breaks the
//              connection here.)

#include "runtime/fabric/fabric.hpp"

namespace rb2::fabric {

/// Receives that several endpoints of one thread draw from. The sinks lie in the memory it was made over.
template <class Q>
concept ReceivePool = requires(Q queue, Sink sink, std::uint64_t ticket) {
    // invalid_argument outside the queue's memory, would_block when full.
    { queue.post(sink, ticket) }
    noexcept->std::same_as<Status>;
};

template <class E>
concept TwoSidedEndpoint = Endpoint<E> &&
    requires(E endpoint, Source source, Sink sink, Signal signal, std::uint64_t ticket, std::uint32_t imm,
             typename E::SharedReceives& queue) {
    requires ReceivePool<typename E::SharedReceives>;
    // Longest message; a longer one is Status::invalid_argument.
    { E::kMaxSendBytes } -> std::convertible_to<std::size_t>;

    // `source` may be empty: then only `imm` travels, and the receive may have no buffer.
    { endpoint.send(source, imm, signal) }
    noexcept->std::same_as<Status>;
    // would_block when the queue is full; invalid_argument for memory that is not registered, or when the
    // endpoint draws from a shared queue.
    { endpoint.post_receive(sink, ticket) }
    noexcept->std::same_as<Status>;
    // From now on this endpoint's messages use the receives of `queue`. Before the first message.
    { endpoint.share(queue) }
    noexcept->std::same_as<void>;
};

}  // namespace rb2::fabric
