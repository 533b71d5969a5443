#pragma once
// A mix names one policy per axis; Sender and Receiver are built from it. Rivals are further aliases here.
//
//   axis       policies                        price on the message path                     where
//   head       LazyPush                        1/gamma writes per slot received              head_sync.hpp
//   tail       WriteTwice                      a second write per publication                tail_sync.hpp
//              InlinedBell                     none; needs in-place stores
//   batching   None | Fixed | Adaptive         latency against writes                        batching.hpp
//   placement  Mirrored | InPlace              a copy by the fabric | mapped peers only      placement.hpp
//   layout     SlotToSlot<bytes>               memory of half-filled slots                   slots.hpp

#include "runtime/fabric/fabric.hpp"
#include "runtime/ring/batching.hpp"
#include "runtime/ring/head_sync.hpp"
#include "runtime/ring/placement.hpp"
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

/// RB² for mapped peers: the sender fills the receiver's slot, the bell rides in the record's own line, and
/// every commit is published at once. One line transfer per record of up to 48 bytes.
using Rb2InPlace = Mix<head::LazyPush, tail::InlinedBell, batching::None, placement::InPlace>;

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

template <class Endpoint>
inline constexpr bool kWordsInline = Endpoint::kCapabilities.inline_bytes >= sizeof(std::uint64_t);

}  // namespace rules

/// Whether the mix works on the endpoint; LegalMix's static_asserts in require_legal() say why not.
template <class M, class Endpoint>
concept LegalMix = fabric::Endpoint<Endpoint> && rules::kCanPlace<M, Endpoint> && rules::kBellInPlace<M> &&
    rules::kBellUnbatched<M> && rules::kWordsInline<Endpoint>;

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
        rules::kWordsInline<Endpoint>,
        "head and tail words change while an earlier write of them may be in flight: the endpoint must take "
        "8 bytes inline");
    return true;
}

}  // namespace rb2::ring
