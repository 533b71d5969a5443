#pragma once
// Read ring buffer, Detached bell: the receiver READs how far the ring is filled, and then what is new.
// "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler), section 4.6.
//
// Cost: a copy at the sender, no request. Two READs and two round trips at the receiver for one new message;
// of several, each but the newest costs a READ more for its length, but not one for the bell. A READ for each
// look that finds nothing new.
// Differs from the paper in: the bell also tells the length of the newest message, so that a receiver who
// keeps up need not fetch its record's header; no fetching of several messages at once, which would need
// copies.

#include "runtime/channel/read_ring.hpp"

namespace rb2::channel {

struct ReadRingDetachedBell : PolledReadRing {
    static constexpr Traits kTraits{.family = "Read ring buffer",
                                    .type = "Detached bell",
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
            if (fetch_.arrived()) {
                const std::uint64_t word = *fetch_.words();
                if (reading_header_) return found_before_end(word - 1, offer);
                if (!learn(word)) return Status::peer_lost;
            }
            if (fetch_.under_way()) return Status::would_block;
            if (position_ == end_) return fetch_.start(memory_, kWordBytes);
            if (position_ + ReadRingShape::extent(newest_) == end_) return found_before_end(newest_, offer);
            const Status status = fetch_.start(memory_ + shape_.offset(position_), kWordBytes);
            reading_header_ = fetch_.under_way();
            return status;
        }

      private:
        /// The peer wrote it: the record must end where the ring is filled.
        Status found_before_end(std::uint64_t bytes, Offer& offer) noexcept {
            reading_header_ = false;
            if (bytes > kMaxMessageBytes || ReadRingShape::extent(bytes) > end_ - position_)
                return Status::peer_lost;
            return Base::found(bytes, offer);
        }

        /// Takes over what the bell says. False when no sound sender can say it.
        bool learn(std::uint64_t word) noexcept {
            const std::uint64_t words = (word - end_ / kWordBytes) % ReadRing::kBellWords;
            if (words * kWordBytes > shape_.ring_bytes()) return false;
            end_ += words * kWordBytes;
            newest_ = word >> 40;
            return true;
        }

        std::uint64_t end_ = 0;     ///< of the newest, as the bell last said
        std::uint64_t newest_ = 0;  ///< its length
        bool reading_header_ = false;
    };

    template <fabric::Endpoint E>
    using Sender = ReadRingSender<ReadRingDetachedBell, NoNotice<E>, E>;
    template <fabric::Endpoint E>
    using Receiver = PullReceiver<ReadRingDetachedBell, Bell<E>, E>;
};

}  // namespace rb2::channel
