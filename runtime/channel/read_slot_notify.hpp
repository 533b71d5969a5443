#pragma once
// Read slot, Notify receiver: the sender tells the receiver where the message lies, and the receiver READs
// it. "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler), section 4.5.
//
// Cost: a request of the sender and one of the receiver, three half round trips. Notice (notice.hpp) is the
// second channel.
// Differs from the paper in: the notice carries the place, 16 bytes, where the paper thinks of a bufferless
// send and a place known before.

#include "runtime/channel/notice.hpp"
#include "runtime/channel/pull_receiver.hpp"
#include "runtime/channel/read_slot.hpp"

namespace rb2::channel {

template <class Notice>
struct ReadSlotNotify {
    static constexpr Traits kTraits{.family = "Read slot",
                                    .type = "Notify receiver",
                                    .half_round_trips = {3},
                                    .send_requests = {1},
                                    .receive_requests = {1},
                                    .blocking_receive = Notice::kBlocks,
                                    .zero_copy_send = Support::yes,
                                    .zero_copy_receive = Support::yes,
                                    .variable_size = true,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::constant,
                                    .requests = Notice::kRequests,
                                    .in_order = {}};

    /// A line that nobody reads, whose place at the peer tells every other's.
    [[nodiscard]] static constexpr Needs sender_needs(const Parameters&) noexcept {
        return {.data = kMemoryAlignment, .credit = CreditWord::kBytes};
    }
    [[nodiscard]] static constexpr Needs receiver_needs(const Parameters& parameters) noexcept {
        return {.data = Notice::receiver_bytes(offers(parameters))};
    }
    [[nodiscard]] static constexpr std::uint32_t offers(const Parameters& parameters) noexcept {
        return parameters.slots;
    }
    [[nodiscard]] static constexpr CreditPace credit_pace(const Parameters&) noexcept { return {}; }

    template <fabric::Endpoint E>
    struct Outbound : Notice::template Outbound<E> {
        Outbound(const Registered<E>&, const Side<E>& side) noexcept
            : Notice::template Outbound<E>(*side.data, offers(side.parameters)) {}
    };

    template <fabric::Endpoint E>
    using Sender = OfferingSender<ReadSlotNotify, Outbound<E>, E>;
    template <fabric::Endpoint E>
    using Receiver = PullReceiver<ReadSlotNotify, NoticeBell<ReadSlotNotify, Notice, E>, E>;
};

}  // namespace rb2::channel
