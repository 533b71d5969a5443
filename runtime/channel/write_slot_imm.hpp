#pragma once
// Write slot, IMM: one WRITE_WITH_IMM fills a mailbox and names it in a completion at the receiver.
// "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler), section 4.2.
//
// Cost: one request and half a round trip a message; no order is needed of the transport, and where it keeps
// none messages are received in the order in which they arrive.

#include "runtime/channel/write_slot.hpp"

namespace rb2::channel {

namespace delivery {

struct Imm {
    static constexpr bool kNotifies = true;
    static constexpr std::uint32_t kRequests = 1;
    static constexpr bool kAppendsData = false;
    static constexpr InOrder kInOrder{};
    static constexpr std::size_t kSenderBytes = 0;

    [[nodiscard]] static constexpr SlotLayout layout(const Parameters& parameters) noexcept {
        return {parameters.slots, parameters.message_bytes, 0, 0};
    }

    template <fabric::Endpoint E>
    class Outbound {
      public:
        explicit Outbound(const Side<E>&) noexcept {}

        static Status deliver(E& endpoint, fabric::Remote memory, const SlotLayout& layout,
                              const Parcel& parcel) noexcept {
            return endpoint.write_with_imm(parcel.region, memory + layout.slot(parcel.slot),
                                           Notice::pack(parcel), fabric::Signal{parcel.ticket});
        }
        static Status finish(E&) noexcept { return Status::ok; }
    };
};

}  // namespace delivery

struct WriteSlotImm : WriteSlot<WriteSlotImm, delivery::Imm> {
    static constexpr Traits kTraits{.family = "Write slot",
                                    .type = "IMM capabilities",
                                    .half_round_trips = {1},
                                    .send_requests = {1},
                                    .receive_requests = {0},
                                    .blocking_receive = true,
                                    .zero_copy_send = Support::yes,
                                    .zero_copy_receive = Support::yes,
                                    .variable_size = false,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::linear,
                                    .requests = {.write = true},
                                    .in_order = {}};
};

}  // namespace rb2::channel
