#pragma once
// A mix names one policy per axis; Sender and Receiver are built from it. The rivals are those of Table I of
// the rb2 paper.
//
//   axis       policies               price on the message path                              where
//   head       LazyPush               1/gamma writes per slot received                       head_sync.hpp
//              ActivePush             a write per record received
//              LazyPull               1/gamma reads per slot sent, and their completions
//   tail       WriteTwice             a second write per publication                         tail_sync.hpp
//              ImmediateOrTwice       a completion instead of it, if a batch is alone immediate_or_twice.hpp
//              PollCq                 a completion at the receiver per publication
//              PollMessage            the receiver zeroes all; needs ordered bytes           poll_message.hpp
//              PollLength             zeroing, and a second write per publication
//              InlinedBell            none; needs in-place stores                            inlined_bell.hpp
//   batching   None | Fixed           latency against writes                                 batching.hpp
//              SyncAhead, Adaptive    1/beta + 1/alpha writes per slot
//              InFlight<n>            a signalled write per publication
//   placement  Mirrored               a copy by the fabric                                   placement.hpp
//              ReceiverOnly           no claim while a record is in flight
//              InPlace                mapped peers only
//   layout     SlotToSlot<bytes>      memory of half-filled slots                            slots.hpp
//              SlotList<bytes>        the same, and no record above one slot
//              BackToBack             lines shared by neighbouring records
//              Circular<layout>       addresses: the ring is mapped twice; no padding, no split writes

#include <cstddef>
#include <type_traits>

#include "runtime/fabric/fabric.hpp"
#include "runtime/ring/batching.hpp"
#include "runtime/ring/head_sync.hpp"
#include "runtime/ring/immediate_or_twice.hpp"
#include "runtime/ring/placement.hpp"
#include "runtime/ring/poll_message.hpp"
#include "runtime/ring/slots.hpp"
#include "runtime/ring/tail_sync.hpp"

namespace rb2::ring {

template <class HeadPolicy, class TailPolicy, class BatchingPolicy, class PlacementPolicy,
          class LayoutPolicy = layout::SlotToSlot<>>
struct Mix {
    using Head = HeadPolicy;
    using Tail = TailPolicy;
    using Batching = BatchingPolicy;
    using Placement = PlacementPolicy;
    using Layout = LayoutPolicy;
};

namespace mix {

/// The paper's RB²: sender copy and WRITE, write twice, lazy push, adaptive batching. Any endpoint. Needs
/// flush().
using Rb2 = Mix<head::LazyPush, tail::WriteTwice, batching::Adaptive, placement::Mirrored>;

/// RB² where latency counts and a second WRITE costs much of it: RDMA. Needs flush().
using Rb2Immediate = Mix<head::LazyPush, tail::ImmediateOrTwice, batching::Adaptive, placement::Mirrored>;

/// The same for a sender that flushes every commit, so that no advancement ever waits for the one before it:
/// none is signalled.
using Rb2Flushed = Mix<head::LazyPush, tail::ImmediateOrTwice, batching::SyncAhead, placement::Mirrored>;

/// RB² for mapped peers: the sender fills the receiver's slot, the bell rides in the record's own line, and
/// every commit is published at once. One line transfer per record of up to 48 bytes.
using Rb2InPlace = Mix<head::LazyPush, tail::InlinedBell, batching::None, placement::InPlace>;

/// MVAPICH: a list of buffers at both sides, head pushed for every record, poll message. Ordered bytes only.
/// Bytes: of a buffer, which is what every record takes.
template <std::size_t Bytes = 256>
using Mvapich =
    Mix<head::ActivePush, tail::PollMessage, batching::None, placement::Mirrored, layout::SlotList<Bytes>>;

/// FaRM: a ring at the receiver only, so one record in flight; poll message. Ordered bytes only.
using Farm =
    Mix<head::LazyPush, tail::PollMessage, batching::None, placement::ReceiverOnly, layout::BackToBack>;

/// FaRM as §V-A of the paper runs it where bytes are not ordered: the length follows in a second write.
using FarmTwice =
    Mix<head::LazyPush, tail::PollLength, batching::None, placement::ReceiverOnly, layout::BackToBack>;

/// SocksDirect: poll CQ, at most ten publications in flight. Needs flush().
using SocksDirect =
    Mix<head::LazyPush, tail::PollCq, batching::InFlight<10>, placement::Mirrored, layout::BackToBack>;

/// L5: write twice for every record.
using L5 = Mix<head::LazyPush, tail::WriteTwice, batching::None, placement::Mirrored, layout::BackToBack>;

}  // namespace mix

namespace rules {

template <class M, class Endpoint>
inline constexpr bool kCanPlace = !M::Placement::kInPlace || fabric::MappedEndpoint<Endpoint>;

template <class M>
inline constexpr bool kBellInPlace =
    !std::is_same_v<typename M::Tail, tail::InlinedBell> || M::Placement::kInPlace;

template <class M>
inline constexpr bool kBellUnbatched =
    !std::is_same_v<typename M::Tail, tail::InlinedBell> || !M::Batching::kHoldsBack;

template <class M>
inline constexpr bool kPollsMessage =
    std::is_same_v<typename M::Tail, tail::PollMessage> || std::is_same_v<typename M::Tail, tail::PollLength>;

template <class M, class Endpoint>
inline constexpr bool kBytesOrdered =
    !std::is_same_v<typename M::Tail, tail::PollMessage> || Endpoint::kCapabilities.ordered_bytes;

template <class M>
inline constexpr bool kMessageWritten = !kPollsMessage<M> || !M::Placement::kInPlace;

template <class M>
inline constexpr bool kMessageAnnounced =
    !std::is_same_v<typename M::Tail, tail::PollMessage> || !M::Batching::kElastic;

template <class M>
inline constexpr bool kStagedUnbatched = !M::Placement::kStaged || !M::Batching::kHoldsBack;

template <class Endpoint>
inline constexpr bool kMessagesOrdered = Endpoint::kCapabilities.ordered_messages;

template <class Endpoint>
inline constexpr bool kWordsInline = Endpoint::kCapabilities.inline_bytes >= sizeof(std::uint64_t);

}  // namespace rules

/// Whether the mix works on the endpoint; LegalMix's static_asserts in require_legal() say why not.
template <class M, class Endpoint>
concept LegalMix = fabric::Endpoint<Endpoint> && rules::kCanPlace<M, Endpoint> && rules::kBellInPlace<M> &&
    rules::kBellUnbatched<M> && rules::kBytesOrdered<M, Endpoint> && rules::kMessageWritten<M> &&
    rules::kMessageAnnounced<M> && rules::kStagedUnbatched<M> && rules::kMessagesOrdered<Endpoint> &&
    rules::kWordsInline<Endpoint>;

/// Fails to compile, with the reason, where LegalMix does not hold.
template <class M, fabric::Endpoint Endpoint>
consteval bool require_legal() {
    static_assert(
        rules::kCanPlace<M, Endpoint>,
        "in-place placement stores into the peer's memory: it needs a MappedEndpoint; use Mirrored");
    static_assert(
        rules::kBellInPlace<M>,
        "the inlined bell lies in front of the payload and must be stored last: the bytes of one write have "
        "no such order; use InPlace, or WriteTwice");
    static_assert(
        rules::kBellUnbatched<M>,
        "an inlined bell publishes its record when it is stored: there is no pointer advancement to batch; "
        "use batching::None");
    static_assert(
        rules::kBytesOrdered<M, Endpoint>,
        "poll message takes the last word of a write for the sign that all of it is there: it needs a fabric "
        "with ordered bytes; use PollLength, WriteTwice or PollCq");
    static_assert(rules::kMessageWritten<M>,
                  "poll message is about the order in which a WRITE lands: with InPlace use InlinedBell");
    static_assert(rules::kMessageAnnounced<M>,
                  "with poll message a slot is published when it lands: there is no pointer advancement for "
                  "Adaptive to defer; use Fixed or None");
    static_assert(rules::kStagedUnbatched<M>,
                  "a receiver-only ring has no room at the sender for a batch; use batching::None");
    static_assert(
        rules::kMessagesOrdered<Endpoint>,
        "the words of head and tail must not overtake what they tell of: a ring needs a fabric with "
        "ordered messages");
    static_assert(
        rules::kWordsInline<Endpoint>,
        "head and tail words change while an earlier write of them may be in flight: the endpoint must take "
        "8 bytes inline");
    return true;
}

}  // namespace rb2::ring
