#pragma once
// Ring buffer, IMM: one WRITE_WITH_IMM puts a message into the ring; the completion at the receiver tells its
// length, and the immediate where it is. "Efficient RDMA Communication Protocols" (Taranov, Fischer,
// Hoefler), section 4.3.
//
// Cost: one request and half a round trip a message, and nothing beside the message on the wire; no order is
// needed of the transport. A lap may be up to 2^32 words.
//
// Differs from the paper in: the immediate holds the position, as the paper has it for the shared ring, so
// that messages may overtake each other.

#include "runtime/channel/ring_buffer.hpp"

namespace rb2::channel {

namespace framing {

struct Imm {
    static constexpr bool kNotifies = true;
    static constexpr std::size_t kOverhang = 0;
    static constexpr std::size_t kFrontBytes = 0;
    static constexpr std::size_t kSenderBytes = 0;

    [[nodiscard]] static constexpr std::uint64_t record_bytes(std::uint64_t length) noexcept {
        return length == 0 ? kWordBytes : word_aligned(length);  // no two records begin at one place
    }
    [[nodiscard]] static std::uint64_t message(const RingLayout& layout,
                                               const RingArrival& arrival) noexcept {
        return layout.offset(arrival.position);
    }

    template <fabric::Endpoint E>
    class Outbound {
      public:
        explicit Outbound(const Side<E>&) noexcept {}

        static Status deliver(E& endpoint, fabric::Remote memory, const RingPlace& place,
                              const RingParcel& parcel) noexcept {
            const auto imm = static_cast<std::uint32_t>(parcel.position / kWordBytes);
            return endpoint.write_with_imm(parcel.region, memory + place.layout.offset(parcel.position), imm,
                                           fabric::Signal{parcel.ticket});
        }
        static Status finish(E&) noexcept { return Status::ok; }
    };

    struct Inbound {};

    /// The immediate holds the low bits of a position that lies less than a lap behind `freed`.
    [[nodiscard]] static RingArrival read(const fabric::Completion& done, std::uint64_t freed) noexcept {
        const std::uint64_t word = freed / kWordBytes;
        const std::uint32_t ahead = done.imm - static_cast<std::uint32_t>(word);
        return {.position = (word + ahead) * kWordBytes, .length = done.bytes};
    }
    static void free(std::byte*, const RingPlace&, std::uint64_t, std::uint64_t) noexcept {}
};

}  // namespace framing

struct RingImm : RingBuffer<RingImm, framing::Imm> {
    static constexpr Traits kTraits{.family = "Ring buffer",
                                    .type = "IMM capabilities",
                                    .half_round_trips = {1},
                                    .send_requests = {1},
                                    .receive_requests = {0},
                                    .blocking_receive = true,
                                    .zero_copy_send = Support::yes,
                                    .zero_copy_receive = Support::no,
                                    .variable_size = true,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::linear,
                                    .requests = {.write = true},
                                    .in_order = {}};
};

}  // namespace rb2::channel
