#pragma once
// Read slot, Detached bell: the sender writes into its own memory where the message lies; the receiver READs
// that, and then the message. "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler), section
// 4.5.
//
// Cost: nothing at the sender. Two READs and two round trips at the receiver if the bell is there, and a READ
// for each look at one that is not.
// Differs from the paper in: the bell is a pair of tagged words (offer.hpp), because a READ of more than a
// word may see some of it older than the rest.

#include "runtime/channel/pull_receiver.hpp"
#include "runtime/channel/read_slot.hpp"

namespace rb2::channel {

struct ReadSlotDetachedBell {
    static constexpr Traits kTraits{.family = "Read slot",
                                    .type = "Detached bell",
                                    .half_round_trips = {4, true},
                                    .send_requests = {0},
                                    .receive_requests = {2, true},
                                    .blocking_receive = false,
                                    .zero_copy_send = Support::yes,
                                    .zero_copy_receive = Support::yes,
                                    .variable_size = true,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::constant,
                                    .requests = {.read = true},
                                    .in_order = {}};

    [[nodiscard]] static constexpr Needs sender_needs(const Parameters& parameters) noexcept {
        return {.data = parameters.slots * sizeof(OfferWords), .credit = CreditWord::kBytes};
    }
    [[nodiscard]] static constexpr Needs receiver_needs(const Parameters&) noexcept {
        return {.data = kMemoryAlignment};
    }
    [[nodiscard]] static constexpr CreditPace credit_pace(const Parameters&) noexcept { return {}; }

    template <fabric::Endpoint E>
    class Outbound {
      public:
        Outbound(const Registered<E>& memory, const Side<E>& side) noexcept
            : words_(reinterpret_cast<OfferWords*>(memory.data())), places_(side.parameters.slots) {}
        void connect(fabric::Remote) noexcept {}
        Status publish(std::uint64_t number, const Offer& offer) noexcept {
            store(words_[number % places_], pack(offer, number));
            return Status::ok;
        }

      private:
        OfferWords* words_;
        std::uint64_t places_;
    };

    template <fabric::Endpoint E>
    class Bell {
      public:
        explicit Bell(const Side<E>& side) : fetch_(side), places_(side.parameters.slots) {}
        [[nodiscard]] static constexpr fabric::Remote remote() noexcept { return {}; }
        void connect(const Card& peer) noexcept { words_ = peer.data; }
        bool take(const fabric::Completion& done) noexcept { return fetch_.take(done); }
        Status look(std::uint64_t number, Offer& offer) noexcept {
            if (fetch_.arrived() && unpack(*reinterpret_cast<OfferWords*>(fetch_.words()), number, offer))
                return Status::ok;
            return fetch_.start(words_ + number % places_ * sizeof(OfferWords), sizeof(OfferWords));
        }

      private:
        BellFetch<E> fetch_;
        std::uint64_t places_;
        fabric::Remote words_{};
    };

    template <fabric::Endpoint E>
    using Sender = OfferingSender<ReadSlotDetachedBell, Outbound<E>, E>;
    template <fabric::Endpoint E>
    using Receiver = PullReceiver<ReadSlotDetachedBell, Bell<E>, E>;
};

}  // namespace rb2::channel
