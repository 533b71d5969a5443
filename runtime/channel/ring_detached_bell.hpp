#pragma once
// Ring buffer, Detached bell: a WRITE puts a message and its length into the ring, and a second one behind it
// the ring's new head into a word that the receiver polls. "Efficient RDMA Communication Protocols" (Taranov,
// Fischer, Hoefler), section 4.3.
//
// Cost: two requests and half a round trip a message; messages must stay in order, their bytes need not.
//
//   record: length (8 bytes), message, padding to a word

#include <cstring>

#include "runtime/channel/gather.hpp"
#include "runtime/channel/ring_buffer.hpp"
#include "runtime/channel/second.hpp"

namespace rb2::channel {

namespace framing {

struct DetachedBell {
    static constexpr bool kNotifies = false;
    static constexpr std::size_t kOverhang = 0;
    static constexpr std::size_t kFrontBytes = kMemoryAlignment;  ///< the bell, on a line of its own
    static constexpr std::size_t kSenderBytes = kBellWordBytes;

    [[nodiscard]] static constexpr std::uint64_t record_bytes(std::uint64_t length) noexcept {
        return kWordBytes + word_aligned(length);
    }
    [[nodiscard]] static std::uint64_t message(const RingLayout& layout,
                                               const RingArrival& arrival) noexcept {
        return layout.offset(arrival.position) + kWordBytes;
    }

    template <fabric::Endpoint E>
    class Outbound {
      public:
        explicit Outbound(const Side<E>& side) : lengths_(side) {}

        Status deliver(E& endpoint, fabric::Remote memory, const RingPlace& place,
                       const RingParcel& parcel) noexcept {
            Gather gather;
            gather.add(lengths_.set(parcel.ticket, parcel.region.bytes));
            gather.add(parcel.region);
            const Status status = endpoint.write_gather(
                gather.sources(), memory + kFrontBytes + place.layout.offset(parcel.position));
            if (status != Status::ok) return status;
            ringer_.ring(endpoint, {.place = memory, .word = parcel.next, .ticket = parcel.ticket});
            return Status::ok;
        }
        Status finish(E& endpoint) noexcept { return ringer_.finish(endpoint); }

      private:
        BellWords<E> lengths_;
        Ringer<second::Polled> ringer_;
    };

    class Inbound {
      public:
        [[nodiscard]] bool find(std::byte* memory, const RingPlace& place, std::uint64_t position,
                                RingArrival& arrival) noexcept {
            if (head_ == position) head_ = Bell::look(memory);
            if (head_ == position) return false;
            arrival = {.position = position, .length = 0};
            std::memcpy(&arrival.length, memory + kFrontBytes + place.layout.offset(position), kWordBytes);
            return true;
        }

      private:
        std::uint64_t head_ = 0;  ///< the bell as last seen
    };

    static void free(std::byte*, const RingPlace&, std::uint64_t, std::uint64_t) noexcept {}
};

}  // namespace framing

struct RingDetachedBell : RingBuffer<RingDetachedBell, framing::DetachedBell> {
    static constexpr Traits kTraits{.family = "Ring buffer",
                                    .type = "Detached bell",
                                    .half_round_trips = {1},
                                    .send_requests = {2},
                                    .receive_requests = {0},
                                    .blocking_receive = false,
                                    .zero_copy_send = Support::yes,
                                    .zero_copy_receive = Support::no,
                                    .appends_data = true,
                                    .variable_size = true,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::linear,
                                    .requests = {.write = true},
                                    .in_order = {.messages = true, .bytes = false}};
};

}  // namespace rb2::channel
