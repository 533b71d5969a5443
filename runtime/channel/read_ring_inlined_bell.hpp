#pragma once
// Read ring buffer, Inlined bell: the receiver READs the word where the next message's length will be, and
// then the message. "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler), section 4.6 and
// Figure 3.
//
// Cost: a copy at the sender, no request. Two READs and two round trips at the receiver if the message is
// there, and a READ for each look at one that is not.
// Differs from the paper in: no optimistic READ of more than the word, which would need a copy.

#include "runtime/channel/read_ring.hpp"

namespace rb2::channel {

struct ReadRingInlinedBell : PolledReadRing {
    static constexpr Traits kTraits{.family = "Read ring buffer",
                                    .type = "Inlined bell",
                                    .half_round_trips = {4, true},
                                    .send_requests = {0},
                                    .receive_requests = {2, true},
                                    .blocking_receive = false,
                                    .zero_copy_send = Support::no,
                                    .zero_copy_receive = Support::yes,
                                    .variable_size = true,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::constant,
                                    .requests = {.read = true},
                                    .in_order = {}};

    template <fabric::Endpoint E>
    class Bell : public PolledReadRing::Bell<E> {
        using Base = PolledReadRing::Bell<E>;
        using Base::fetch_;
        using Base::memory_;
        using Base::position_;
        using Base::shape_;

      public:
        using Base::Base;

        Status look(std::uint64_t, Offer& offer) noexcept {
            if (fetch_.arrived() && *fetch_.words() != 0) return Base::found(*fetch_.words() - 1, offer);
            return fetch_.start(memory_ + shape_.offset(position_), kWordBytes);
        }
    };

    template <fabric::Endpoint E>
    using Sender = ReadRingSender<ReadRingInlinedBell, NoNotice<E>, E>;
    template <fabric::Endpoint E>
    using Receiver = PullReceiver<ReadRingInlinedBell, Bell<E>, E>;
};

}  // namespace rb2::channel
