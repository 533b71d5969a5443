#pragma once
// Write slot, Inlined bell: one WRITE fills a mailbox and the bell at its end, which the receiver polls and
// clears. "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler), section 4.2.
//
// Cost: one request and half a round trip a message. The bytes of a write must land front to back: the bell
// is its last word. The sender chooses the slot, and with it where the message lies at the receiver.
//
// Differs from the paper in: the bell also holds the length and a sequence number, so that slots can be used
// in any order while messages are received in theirs; a message shorter than its slot lies at the slot's end.

#include "runtime/channel/gather.hpp"
#include "runtime/channel/write_slot.hpp"

namespace rb2::channel {

namespace delivery {

struct InlinedBell {
    static constexpr bool kNotifies = false;
    static constexpr std::uint32_t kRequests = 1;
    static constexpr bool kAppendsData = true;
    static constexpr InOrder kInOrder{.messages = false, .bytes = true};
    static constexpr std::size_t kSenderBytes = kBellWordBytes;

    [[nodiscard]] static constexpr SlotLayout layout(const Parameters& parameters) noexcept {
        return {parameters.slots, parameters.message_bytes, kWordBytes, 0};
    }

    template <fabric::Endpoint E>
    class Outbound {
      public:
        explicit Outbound(const Side<E>& side) : bells_(side) {}

        Status deliver(E& endpoint, fabric::Remote memory, const SlotLayout& layout,
                       const Parcel& parcel) noexcept {
            Gather gather;
            gather.add(parcel.region);
            gather.add(bells_.set(parcel.ticket, Bell::pack(parcel.sequence, parcel.region.bytes)));
            return endpoint.write_gather(gather.sources(),
                                         memory + layout.message(parcel.slot, parcel.region.bytes),
                                         fabric::Signal{parcel.ticket});
        }
        static Status finish(E&) noexcept { return Status::ok; }

      private:
        BellWords<E> bells_;
    };
};

}  // namespace delivery

struct WriteSlotInlinedBell : WriteSlot<WriteSlotInlinedBell, delivery::InlinedBell> {
    static constexpr Traits kTraits{.family = "Write slot",
                                    .type = "Inlined bell",
                                    .half_round_trips = {1},
                                    .send_requests = {1},
                                    .receive_requests = {0},
                                    .blocking_receive = false,
                                    .zero_copy_send = Support::yes,
                                    .zero_copy_receive = Support::yes,
                                    .appends_data = true,
                                    .variable_size = false,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::linear,
                                    .requests = {.write = true},
                                    .in_order = {.messages = false, .bytes = true}};
};

}  // namespace rb2::channel
