#pragma once
// Read ring buffer, Inlined bell, with prefetching: one READ fetches the bell and what lies behind it,
// further messages and their bells too. "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler),
// sections 4.6 and 6.3, Figure 10.
//
// Cost: a copy at the sender, no request. At the receiver a READ and a round trip for all messages that lie
// in the bytes fetched, and a copy of each; a second READ for a message that does not lie there whole. A READ
// of as many bytes for each look that finds nothing.
// Needs READs in the order of addresses (Capabilities::ordered_reads): then what lies behind a bell was read
// after the bell, so that it is the message of which the bell tells, and the next bell is of this lap.
// Differs from the paper in: the order it needs, of which the paper does not speak.

#include <algorithm>

#include "runtime/channel/read_ring.hpp"

namespace rb2::channel {

/// kPrefetchBytes: of a READ, a multiple of a word; no message need fit.
template <std::size_t kPrefetchBytes>
struct ReadRingPrefetch : PolledReadRing {
    static_assert(kPrefetchBytes != 0 && kPrefetchBytes % kWordBytes == 0);

    static constexpr Traits kTraits{.family = "Read ring buffer",
                                    .type = "Inlined bell, prefetching",
                                    .half_round_trips = {2, true},
                                    .send_requests = {0},
                                    .receive_requests = {0, true},
                                    .blocking_receive = false,
                                    .zero_copy_send = Support::no,
                                    .zero_copy_receive = Support::no,
                                    .variable_size = true,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::constant,
                                    .requests = {.read = true},
                                    .in_order = {.reads = true}};

    [[nodiscard]] static constexpr Needs receiver_needs(const Parameters&) noexcept {
        return {.data = kPrefetchBytes};
    }

    template <fabric::Endpoint E>
    class Bell : public PolledReadRing::Bell<E> {
        using Base = PolledReadRing::Bell<E>;
        using Base::fetch_;
        using Base::memory_;
        using Base::position_;
        using Base::shape_;

      public:
        explicit Bell(const Side<E>& side) : Base(side, kPrefetchBytes) {}

        Status look(std::uint64_t, Offer& offer) noexcept {
            if (fetch_.arrived()) fetched_ = asked_;
            const std::byte* const here = fetched(position_, kWordBytes);
            std::uint64_t bell = 0;
            if (here != nullptr) std::memcpy(&bell, here, sizeof bell);
            if (bell != 0) {
                message_ = fetched(position_ + kWordBytes, bell - 1);
                return Base::found(bell - 1, offer);
            }
            fetched_ = {};
            if (fetch_.under_way()) return Status::would_block;
            asked_ = {position_, fetch_bytes()};
            return fetch_.start(memory_ + shape_.offset(position_), asked_.bytes);
        }

        /// The message that the last look() found, if all of it has been fetched; else null. Until the next
        /// look().
        [[nodiscard]] const std::byte* at_hand() const noexcept { return message_; }

      private:
        /// Part of the ring.
        struct Part {
            std::uint64_t position = 0;
            std::size_t bytes = 0;
        };

        /// Where `bytes` bytes from `position` on have been fetched to, or null. A record that ran out of
        /// the ring's end is followed by one in the next lap, which lies elsewhere.
        [[nodiscard]] const std::byte* fetched(std::uint64_t position, std::size_t bytes) const noexcept {
            const std::uint64_t ahead = position - fetched_.position;
            if (ahead > fetched_.bytes || bytes > fetched_.bytes - ahead) return nullptr;
            if (lap_start(position) != lap_start(fetched_.position)) return nullptr;
            return reinterpret_cast<const std::byte*>(fetch_.words()) + ahead;
        }
        [[nodiscard]] std::uint64_t lap_start(std::uint64_t position) const noexcept {
            return position - position % shape_.ring_bytes();
        }

        /// Not beyond the memory, whose end is behind the run-out.
        [[nodiscard]] std::size_t fetch_bytes() const noexcept {
            return std::min(kPrefetchBytes, shape_.memory_bytes() - shape_.offset(position_));
        }

        Part asked_{};    ///< by the READ under way
        Part fetched_{};  ///< by the last one
        const std::byte* message_ = nullptr;
    };

    template <fabric::Endpoint E>
    using Sender = ReadRingSender<ReadRingPrefetch, NoNotice<E>, E>;
    template <fabric::Endpoint E>
    using Receiver = PullReceiver<ReadRingPrefetch, Bell<E>, E>;
};

}  // namespace rb2::channel
