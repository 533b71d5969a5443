#pragma once
// Write slot, Detached bell: a WRITE fills a mailbox, and a second request behind it rings. "Efficient RDMA
// Communication Protocols" (Taranov, Fischer, Hoefler), section 4.2.
//
// Cost: two requests and half a round trip a message; messages must stay in order, their bytes need not. The
// second channel is a parameter (second.hpp): polled memory, or a notification that the receiver can block
// on.
//
// Differs from the paper in: the bell also holds the length and a sequence number
// (write_slot_inlined_bell.hpp).

#include "runtime/channel/second.hpp"
#include "runtime/channel/write_slot.hpp"

namespace rb2::channel {

namespace delivery {

template <class Second>
struct DetachedBell {
    static constexpr bool kNotifies = Second::kNotifies;
    static constexpr std::uint32_t kRequests = 2;
    static constexpr bool kAppendsData = false;
    static constexpr InOrder kInOrder{.messages = true, .bytes = false};
    static constexpr std::size_t kSenderBytes = 0;

    [[nodiscard]] static constexpr SlotLayout layout(const Parameters& parameters) noexcept {
        return {parameters.slots, parameters.message_bytes, 0, kNotifies ? 0 : kWordBytes};
    }

    template <fabric::Endpoint E>
    class Outbound {
      public:
        explicit Outbound(const Side<E>&) noexcept {}

        Status deliver(E& endpoint, fabric::Remote memory, const SlotLayout& layout,
                       const Parcel& parcel) noexcept {
            const Status status = endpoint.write(parcel.region, memory + layout.slot(parcel.slot));
            if (status != Status::ok) return status;
            ringer_.ring(endpoint, {.place = memory + layout.bell(parcel.slot),
                                    .word = Bell::pack(parcel.sequence, parcel.region.bytes),
                                    .notice = Notice::pack(parcel),
                                    .ticket = parcel.ticket});
            return Status::ok;
        }
        Status finish(E& endpoint) noexcept { return ringer_.finish(endpoint); }

      private:
        Ringer<Second> ringer_;
    };
};

}  // namespace delivery

template <class Second>
struct WriteSlotDetachedBell : WriteSlot<WriteSlotDetachedBell<Second>, delivery::DetachedBell<Second>> {
    static constexpr Traits kTraits{.family = "Write slot",
                                    .type = "Detached bell",
                                    .half_round_trips = {1},
                                    .send_requests = {2},
                                    .receive_requests = {0},
                                    .blocking_receive = Second::kNotifies,
                                    .zero_copy_send = Support::yes,
                                    .zero_copy_receive = Support::yes,
                                    .variable_size = false,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::linear,
                                    .requests = {.write = true},
                                    .in_order = {.messages = true, .bytes = false}};
};

}  // namespace rb2::channel
