#pragma once
// Read ring buffer, Notify receiver: the sender tells each receiver of a new message, and the receiver READs
// it. "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler), section 4.6.
//
// Cost: a copy and a request for each receiver at the sender, a READ at the receiver; three half round trips.
// Notice (notice.hpp) is the second channel.
// Differs from the paper in: the notice carries place and length, 16 bytes, not the head of the ring, so that
// notices may come in any order.

#include "runtime/channel/notice.hpp"
#include "runtime/channel/read_ring.hpp"

namespace rb2::channel {

template <class Notice>
struct ReadRingNotify : ReadRingChannel {
    static constexpr Traits kTraits{.family = "Read ring buffer",
                                    .type = "Notify receiver",
                                    .half_round_trips = {3},
                                    .send_requests = {1},
                                    .receive_requests = {1},
                                    .blocking_receive = Notice::kBlocks,
                                    .zero_copy_send = Support::no,
                                    .zero_copy_receive = Support::yes,
                                    .variable_size = true,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::constant,
                                    .requests = Notice::kRequests,
                                    .in_order = {}};

    [[nodiscard]] static constexpr Needs receiver_needs(const Parameters& parameters) noexcept {
        return {.data = Notice::receiver_bytes(offers(parameters))};
    }
    [[nodiscard]] static constexpr std::uint32_t offers(const Parameters&) noexcept {
        return static_cast<std::uint32_t>(kSendWindow);
    }

    template <fabric::Endpoint E>
    using Sender = ReadRingSender<ReadRingNotify, typename Notice::template Outbound<E>, E>;
    template <fabric::Endpoint E>
    using Receiver = PullReceiver<ReadRingNotify, NoticeBell<ReadRingNotify, Notice, E>, E>;
};

}  // namespace rb2::channel
