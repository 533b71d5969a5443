#pragma once
// The second channel of the "Notify receiver" channels: tells the receiver where a message lies. Protocols
// paper, sections 4.5 and 4.6. Two kinds:
//
//   MessageNotice   a SEND of the offer into a posted receive; its completion can wake a blocked receiver
//   WordNotice      a WRITE of the offer into the receiver's memory, which it polls; no receive is posted
//
// Neither needs any order: an offer says whose it is (offer.hpp). Both keep to `places` offers that have not
// been read, which the channel's credits see to.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/channel/channel.hpp"
#include "runtime/channel/offer.hpp"
#include "runtime/channel/registered.hpp"
#include "runtime/channel/send_recv.hpp"

namespace rb2::channel {

/// Costs a request and half a round trip a message, and a completion at the receiver.
struct MessageNotice {
    static constexpr bool kBlocks = true;  ///< whether the receiver can sleep until one comes
    static constexpr Requests kRequests{.send = true, .read = true};
    [[nodiscard]] static constexpr std::size_t receiver_bytes(std::uint32_t places) noexcept {
        return sizeof(OfferWords) * 2 * places;
    }

    template <fabric::Endpoint E>
    class Outbound {
        static_assert(E::kCapabilities.inline_bytes >= sizeof(OfferWords),
                      "a notice is gone when publish() returns: the endpoint must take 16 bytes inline");

      public:
        Outbound(E& endpoint, std::uint32_t places) noexcept : endpoint_(&endpoint), places_(places) {}
        void connect(fabric::Remote) noexcept {}

        /// ok, would_block or peer_lost.
        Status publish(std::uint64_t number, const Offer& offer) noexcept {
            const OfferWords words = pack(offer, number);
            const auto place = static_cast<std::uint32_t>(number % places_);
            const Status status = endpoint_->send({reinterpret_cast<const std::byte*>(&words), sizeof words},
                                                  place, fabric::kSilent);
            return status == Status::ok ? endpoint_->flush() : status;
        }

      private:
        E* endpoint_;
        std::uint32_t places_;
    };

    /// The receives are as many as the offers; one that arrives is put where its number belongs.
    template <fabric::Endpoint E>
    class Inbound {
      public:
        Inbound(const Side<E>& side, std::uint32_t places)
            : endpoint_(side.data),
              places_(places),
              memory_(*side.data, side.memory.data, receiver_bytes(places)) {
            for (std::uint32_t i = 0; i < places_; ++i) require_posted(post(i));
        }
        [[nodiscard]] static constexpr fabric::Remote remote() noexcept { return {}; }

        bool take(const fabric::Completion& done) noexcept {
            if (done.operation != fabric::Operation::received) return false;
            const std::uint64_t buffer = buffer_of(done);
            broken_ = broken_ || done.status != Status::ok || buffer >= places_ ||
                      done.bytes != sizeof(OfferWords) || done.imm >= places_;
            if (broken_) return true;
            std::memcpy(at(places_ + done.imm), at(buffer), sizeof(OfferWords));
            broken_ = post(buffer) != Status::ok;
            return true;
        }
        Status look(std::uint64_t number, Offer& offer) noexcept {
            if (broken_) return Status::peer_lost;
            return unpack(*at(places_ + number % places_), number, offer) ? Status::ok : Status::would_block;
        }

      private:
        [[nodiscard]] OfferWords* at(std::uint64_t index) const noexcept {
            return reinterpret_cast<OfferWords*>(memory_.data()) + index;
        }
        Status post(std::uint64_t buffer) noexcept {
            return endpoint_->post_receive(
                {reinterpret_cast<std::byte*>(at(buffer)), sizeof(OfferWords), memory_.key()},
                receive_ticket(buffer));
        }

        E* endpoint_;
        std::uint32_t places_;
        Registered<E> memory_;  ///< receives, then offers by number
        bool broken_ = false;
    };
};

/// Costs a request and half a round trip a message; the receiver must poll.
struct WordNotice {
    static constexpr bool kBlocks = false;
    static constexpr Requests kRequests{.write = true, .read = true};
    [[nodiscard]] static constexpr std::size_t receiver_bytes(std::uint32_t places) noexcept {
        return places * sizeof(OfferWords);
    }

    template <fabric::Endpoint E>
    class Outbound {
        static_assert(E::kCapabilities.inline_bytes >= sizeof(OfferWords),
                      "a notice is gone when publish() returns: the endpoint must take 16 bytes inline");

      public:
        Outbound(E& endpoint, std::uint32_t places) noexcept : endpoint_(&endpoint), places_(places) {}
        void connect(fabric::Remote words) noexcept { words_ = words; }

        Status publish(std::uint64_t number, const Offer& offer) noexcept {
            const OfferWords words = pack(offer, number);
            const Status status = endpoint_->write({reinterpret_cast<const std::byte*>(&words), sizeof words},
                                                   words_ + number % places_ * sizeof words, fabric::kSilent);
            return status == Status::ok ? endpoint_->flush() : status;
        }

      private:
        E* endpoint_;
        std::uint32_t places_;
        fabric::Remote words_{};
    };

    template <fabric::Endpoint E>
    class Inbound {
      public:
        Inbound(const Side<E>& side, std::uint32_t places)
            : places_(places), memory_(*side.data, side.memory.data, receiver_bytes(places)) {}
        [[nodiscard]] fabric::Remote remote() const noexcept { return memory_.remote(); }

        static bool take(const fabric::Completion&) noexcept { return false; }
        Status look(std::uint64_t number, Offer& offer) noexcept {
            auto& words = reinterpret_cast<OfferWords*>(memory_.data())[number % places_];
            return unpack(load(words), number, offer) ? Status::ok : Status::would_block;
        }

      private:
        std::uint32_t places_;
        Registered<E> memory_;
    };
};

/// A notice as the bell of a PullReceiver. Places: how many offers C keeps to.
template <class C, class Notice, fabric::Endpoint E>
class NoticeBell {
  public:
    explicit NoticeBell(const Side<E>& side) : inbound_(side, C::offers(side.parameters)) {}
    [[nodiscard]] fabric::Remote remote() const noexcept { return inbound_.remote(); }
    void connect(const Card&) noexcept {}
    bool take(const fabric::Completion& done) noexcept { return inbound_.take(done); }
    Status look(std::uint64_t number, Offer& offer) noexcept { return inbound_.look(number, offer); }

  private:
    typename Notice::template Inbound<E> inbound_;
};

}  // namespace rb2::channel
