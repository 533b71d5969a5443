#pragma once
// Whether a fabric can carry a channel: the last two columns of Table 2, checked when the channel is
// compiled.

#include <cstddef>

#include "runtime/channel/traits.hpp"
#include "runtime/fabric/two_sided.hpp"

namespace rb2::channel {

namespace rules {

template <class C, class E>
inline constexpr bool kSends = !C::kTraits.requests.send || fabric::TwoSidedEndpoint<E>;

template <class C, class E>
inline constexpr bool kBytesOrdered = !C::kTraits.in_order.bytes || E::kCapabilities.ordered_bytes;

template <class C, class E>
inline constexpr bool kReadsOrdered = !C::kTraits.in_order.reads || E::kCapabilities.ordered_reads;

template <class C, class E>
inline constexpr bool kMessagesOrdered = !C::kTraits.in_order.messages || E::kCapabilities.ordered_messages;

/// Sources of one write: at most a bell in front of the message, the message, and a bell behind it.
inline constexpr std::size_t kGathered = 3;

template <class C, class E>
inline constexpr bool kGathers = !C::kTraits.appends_data || E::kCapabilities.gather_length >= kGathered;

}  // namespace rules

/// Whether channel C works on the endpoint; require_supported() says why not.
template <class C, class E>
concept Supported = fabric::Endpoint<E> && rules::kSends<C, E> && rules::kBytesOrdered<C, E> &&
    rules::kReadsOrdered<C, E> && rules::kMessagesOrdered<C, E> && rules::kGathers<C, E>;

/// Fails to compile, with the reason, where Supported does not hold.
template <class C, fabric::Endpoint E>
consteval bool require_supported() {
    static_assert(
        rules::kSends<C, E>,
        "this channel sends into posted receives: it needs a TwoSidedEndpoint; use a write channel");
    static_assert(
        rules::kBytesOrdered<C, E>,
        "this channel takes the last word of a write for the sign that all of it is there: it needs "
        "a fabric with ordered bytes; use an immediate or a detached bell");
    static_assert(rules::kReadsOrdered<C, E>,
                  "this channel READs a bell together with what it tells of: it needs a fabric with ordered "
                  "reads; use a read ring without prefetching");
    static_assert(rules::kMessagesOrdered<C, E>,
                  "a later write of this channel tells that an earlier one has landed, or makes room for it: "
                  "it needs a fabric with ordered messages; use an immediate");
    static_assert(rules::kGathers<C, E>,
                  "this channel appends its bell to the message: without a gather list of three it would "
                  "have to copy; use an immediate");
    return true;
}

}  // namespace rb2::channel
