#pragma once
// Ring buffer, Inlined bell with zeroing: one WRITE puts the length, the message and a completion into the
// ring; the receiver polls the length, then the completion, and clears the record when it is done with it.
// "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler), section 4.3 and Fig. 1.
//
// Cost: one request and half a round trip a message, and a pass of stores by the receiver over all that it
// has read. The bytes of a write must land front to back; messages may overtake each other.
//
//   record: bell with the length (8 bytes), message, padding to a word, completion (8 bytes, 1)

#include <cstring>

#include "runtime/channel/gather.hpp"
#include "runtime/channel/ring_buffer.hpp"

namespace rb2::channel {

namespace framing {

struct Zeroing {
    static constexpr bool kNotifies = false;
    static constexpr std::size_t kOverhang = 0;
    static constexpr std::size_t kFrontBytes = 0;
    static constexpr std::size_t kSenderBytes = kBellWordBytes;

    [[nodiscard]] static constexpr std::uint64_t record_bytes(std::uint64_t length) noexcept {
        return kWordBytes + word_aligned(length) + kWordBytes;
    }
    [[nodiscard]] static std::uint64_t message(const RingLayout& layout,
                                               const RingArrival& arrival) noexcept {
        return layout.offset(arrival.position) + kWordBytes;
    }

    template <fabric::Endpoint E>
    class Outbound {
      public:
        explicit Outbound(const Side<E>& side) : words_(side, kCompletion) {}

        Status deliver(E& endpoint, fabric::Remote memory, const RingPlace& place,
                       const RingParcel& parcel) noexcept {
            Gather gather;
            gather.add(words_.set(parcel.ticket, Bell::pack(0, parcel.region.bytes)));
            gather.add(parcel.region);
            gather.add(words_.constants(parcel.bytes - kWordBytes - parcel.region.bytes));
            return endpoint.write_gather(gather.sources(), memory + place.layout.offset(parcel.position),
                                         fabric::Signal{parcel.ticket});
        }
        static Status finish(E&) noexcept { return Status::ok; }

      private:
        static constexpr std::uint64_t kCompletion = 1;
        BellWords<E> words_;
    };

    struct Inbound {
        [[nodiscard]] static bool find(std::byte* memory, const RingPlace& place, std::uint64_t position,
                                       RingArrival& arrival) noexcept {
            std::byte* const record = memory + place.layout.offset(position);
            const std::uint64_t bell = Bell::look(record);
            if (bell == 0) return false;
            arrival = {.position = position, .length = Bell::unpack(bell).length};
            const std::uint64_t bytes = record_bytes(arrival.length);
            // One that cannot be a record is refused by the caller.
            return !place.layout.plausible(position, bytes) || Bell::look(record + bytes - kWordBytes) != 0;
        }
    };

    static void free(std::byte* memory, const RingPlace& place, std::uint64_t position,
                     std::uint64_t bytes) noexcept {
        std::memset(memory + place.layout.offset(position), 0, bytes);
    }
};

}  // namespace framing

struct RingZeroing : RingBuffer<RingZeroing, framing::Zeroing> {
    static constexpr Traits kTraits{.family = "Ring buffer",
                                    .type = "Inlined bell w/ zeroing",
                                    .half_round_trips = {1},
                                    .send_requests = {1},
                                    .receive_requests = {0},
                                    .blocking_receive = false,
                                    .zero_copy_send = Support::yes,
                                    .zero_copy_receive = Support::no,
                                    .appends_data = true,
                                    .variable_size = true,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::linear,
                                    .requests = {.write = true},
                                    .in_order = {.messages = false, .bytes = true}};
};

}  // namespace rb2::channel
