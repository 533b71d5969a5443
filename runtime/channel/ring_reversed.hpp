#pragma once
// Ring buffer, Inlined bell without zeroing: records are placed one before the other in memory, so that one
// WRITE first unsets the bell of the record to come and last sets its own, and the receiver never clears
// anything. "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler), section 4.3 and Fig. 2,
// which is where this channel comes from.
//
// Cost: one request and half a round trip a message. Bytes of a write must land front to back, and writes in
// order: a late one would unset a bell that has rung.
//
//   in memory, upwards: bell of the next record (8 bytes, 0), padding to a word, message, bell with the
//   length
//
// Differs from the paper in: the first bell of a lap is not before the last record of the lap before, so
// nothing unsets it. What lies there is always the first bell of the lap before, and the bell's lap number
// tells them apart.

#include "runtime/channel/gather.hpp"
#include "runtime/channel/ring_buffer.hpp"

namespace rb2::channel {

namespace framing {

struct Reversed {
    static constexpr bool kNotifies = false;
    static constexpr std::size_t kOverhang = kWordBytes;  ///< the bell of the record to come
    static constexpr std::size_t kFrontBytes = 0;
    static constexpr std::size_t kSenderBytes = kBellWordBytes;

    [[nodiscard]] static constexpr std::uint64_t record_bytes(std::uint64_t length) noexcept {
        return kWordBytes + word_aligned(length);
    }
    /// Positions grow downwards in memory.
    [[nodiscard]] static std::uint64_t bell(const RingLayout& layout, std::uint64_t position) noexcept {
        return layout.lap() - layout.offset(position) - kWordBytes;
    }
    [[nodiscard]] static std::uint64_t message(const RingLayout& layout,
                                               const RingArrival& arrival) noexcept {
        return bell(layout, arrival.position) - arrival.length;
    }

    template <fabric::Endpoint E>
    class Outbound {
      public:
        explicit Outbound(const Side<E>& side) : words_(side) {}

        Status deliver(E& endpoint, fabric::Remote memory, const RingPlace& place,
                       const RingParcel& parcel) noexcept {
            const RingLayout& layout = place.layout;
            const std::uint64_t mark = Bell::pack(layout.lap_number(parcel.position), parcel.region.bytes);
            Gather gather;
            gather.add(words_.constants(parcel.bytes - parcel.region.bytes));  // zeros: next bell and padding
            gather.add(parcel.region);
            gather.add(words_.set(parcel.ticket, mark));
            return endpoint.write_gather(gather.sources(),
                                         memory + (bell(layout, parcel.position) - parcel.bytes),
                                         fabric::Signal{parcel.ticket});
        }
        static Status finish(E&) noexcept { return Status::ok; }

      private:
        BellWords<E> words_;
    };

    struct Inbound {
        [[nodiscard]] static bool find(std::byte* memory, const RingPlace& place, std::uint64_t position,
                                       RingArrival& arrival) noexcept {
            const std::uint64_t word = Bell::look(memory + bell(place.layout, position));
            const Bell mark = Bell::unpack(word);
            if (word == 0 || mark.tag != (place.layout.lap_number(position) & Bell::kTagMask)) return false;
            arrival = {.position = position, .length = mark.length};
            return true;
        }
    };

    static void free(std::byte*, const RingPlace&, std::uint64_t, std::uint64_t) noexcept {}
};

}  // namespace framing

struct RingReversed : RingBuffer<RingReversed, framing::Reversed> {
    static constexpr Traits kTraits{.family = "Ring buffer",
                                    .type = "Inlined bell w/o zeroing",
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
                                    .in_order = {.messages = true, .bytes = true}};
};

}  // namespace rb2::channel
