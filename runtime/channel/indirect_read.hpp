#pragma once
// Read slot, Indirect read: the receiver tells the sender where it wants the next message, and the sender
// WRITEs it there. "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler), section 4.5.
//
// Cost: a request of the receiver and one of the sender (two with DetachedAnswer), two half round trips. No
// memory for messages on either side but the caller's, and no credits: a sink is asked for when it is free.
// Answer is the second channel, a write into the sink:
//
//   ImmediateAnswer   with an immediate: a completion at the receiver, no order needed
//   DetachedAnswer    and a bell behind it: the receiver polls a word, and the two must stay in order

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "runtime/channel/channel.hpp"
#include "runtime/channel/offer.hpp"
#include "runtime/channel/registered.hpp"
#include "runtime/channel/supported.hpp"
#include "runtime/channel/tickets.hpp"

namespace rb2::channel {

/// What the sender writes into the sink of message `number`, and how the receiver notices.
struct ImmediateAnswer {
    static constexpr bool kBlocks = true;
    static constexpr std::uint32_t kRequests = 1;
    static constexpr InOrder kInOrder{};

    /// Writes `region` to `sink`; the message is `bytes` long, of which the region may be the front.
    template <fabric::Endpoint E>
    static Status write(E& endpoint, fabric::Source region, fabric::Remote sink, std::uint32_t bytes,
                        std::uint64_t, fabric::Remote, fabric::Signal signal) noexcept {
        return endpoint.write_with_imm(region, sink, bytes, signal);
    }
    /// Whether the completion says that the message is there; if so, its length.
    static bool take(const fabric::Completion& done, std::uint32_t& bytes) noexcept {
        if (done.operation != fabric::Operation::imm_arrived) return false;
        bytes = done.imm;
        return true;
    }
    static bool look(std::uint64_t&, std::uint64_t, std::uint32_t&) noexcept { return false; }
};

struct DetachedAnswer {
    static constexpr bool kBlocks = false;
    static constexpr std::uint32_t kRequests = 2;
    static constexpr InOrder kInOrder{.messages = true};

    template <fabric::Endpoint E>
    static Status write(E& endpoint, fabric::Source region, fabric::Remote sink, std::uint32_t bytes,
                        std::uint64_t number, fabric::Remote bell, fabric::Signal signal) noexcept {
        // Once more, if the bell then finds the queue full, does no harm: nobody looks before the bell.
        if (const Status status = endpoint.write(region, sink, fabric::kSilent); status != Status::ok)
            return status;
        const std::uint64_t word = ring(number, bytes);
        return endpoint.write({reinterpret_cast<const std::byte*>(&word), sizeof word}, bell, signal);
    }
    static bool take(const fabric::Completion&, std::uint32_t&) noexcept { return false; }
    static bool look(std::uint64_t& bell, std::uint64_t number, std::uint32_t& bytes) noexcept {
        // Acquire: the message was written before its bell.
        const std::uint64_t word = std::atomic_ref(bell).load(std::memory_order_acquire);
        bytes = static_cast<std::uint32_t>(word >> 32);
        return word == ring(number, bytes);
    }

  private:
    [[nodiscard]] static constexpr std::uint64_t ring(std::uint64_t number, std::uint32_t bytes) noexcept {
        return static_cast<std::uint32_t>(number + 1) | std::uint64_t{bytes} << 32;
    }
};

template <class Answer>
struct IndirectRead {
    static constexpr Traits kTraits{.family = "Read slot",
                                    .type = "Indirect read",
                                    .half_round_trips = {2},
                                    .send_requests = {Answer::kRequests},
                                    .receive_requests = {1},
                                    .blocking_receive = Answer::kBlocks,
                                    .zero_copy_send = Support::yes,
                                    .zero_copy_receive = Support::yes,
                                    .variable_size = false,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::constant,
                                    .requests = {.write = true},
                                    .in_order = Answer::kInOrder};

    /// The receiver's request.
    [[nodiscard]] static constexpr Needs sender_needs(const Parameters&) noexcept {
        return {.data = kMemoryAlignment};
    }
    /// The bell.
    [[nodiscard]] static constexpr Needs receiver_needs(const Parameters&) noexcept {
        return {.data = kMemoryAlignment};
    }

    template <fabric::Endpoint E>
    class Sender;
    template <fabric::Endpoint E>
    class Receiver;
};

/// Messages wait in the order they were sent until the receiver asks for the next, at most kSendWindow.
template <class Answer>
template <fabric::Endpoint E>
class IndirectRead<Answer>::Sender {
    static_assert(require_supported<IndirectRead, E>());
    static_assert(E::kCapabilities.inline_bytes >= kWordBytes, "a bell is gone when write() returns");

  public:
    explicit Sender(const Side<E>& side)
        : data_(side.data),
          max_bytes_(validate(side.parameters).message_bytes),
          request_(*side.data, side.memory.data, kMemoryAlignment) {}

    [[nodiscard]] Card card() const noexcept { return {.data = request_.remote(), .credit = {}}; }
    void connect(const Card& peer) noexcept { bell_ = peer.data; }
    [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }

    Status send(fabric::Source region, Ticket& ticket) noexcept {
        if (region.bytes > max_bytes_) return Status::invalid_argument;
        const Status status = progress();
        if (status != Status::ok) return status;
        if (tickets_.full()) return Status::would_block;
        waiting_[tickets_.next() % kSendWindow] = region;
        ticket = tickets_.issue();
        return progress();
    }
    Status test(Ticket ticket) noexcept {
        static_cast<void>(progress());
        return tickets_.test(ticket);
    }

  private:
    /// Answers the receiver's request if there is one, and a message for it. ok or peer_lost.
    Status progress() noexcept {
        harvest(*data_, tickets_);
        Offer sink{};
        auto& words = *reinterpret_cast<OfferWords*>(request_.data());
        while (!tickets_.lost() && answered_ + 1 < tickets_.next() && unpack(load(words), answered_, sink)) {
            const Status status = answer(waiting_[(answered_ + 1) % kSendWindow], sink);
            if (status == Status::would_block) break;
            if (status != Status::ok) return Status::peer_lost;
        }
        return tickets_.lost() ? Status::peer_lost : Status::ok;
    }

    Status answer(fabric::Source region, const Offer& sink) noexcept {
        const auto bytes = static_cast<std::uint32_t>(region.bytes);
        region.bytes = std::min<std::size_t>(region.bytes, sink.bytes);
        const Status status =
            Answer::write(*data_, region, sink.place, bytes, answered_, bell_, fabric::Signal{answered_ + 1});
        if (status != Status::ok) return status;
        ++answered_;
        return data_->flush();
    }

    E* data_;
    std::size_t max_bytes_;
    Registered<E> request_;
    fabric::Remote bell_{};
    Tickets tickets_;
    std::uint64_t answered_ = 0;  ///< messages written; message n has ticket n + 1
    std::array<fabric::Source, kSendWindow> waiting_{};
};

template <class Answer>
template <fabric::Endpoint E>
class IndirectRead<Answer>::Receiver {
    static_assert(require_supported<IndirectRead, E>());
    static_assert(E::kCapabilities.inline_bytes >= sizeof(OfferWords),
                  "a request is gone when write() returns: the endpoint must take 16 bytes inline");

  public:
    explicit Receiver(const Side<E>& side)
        : data_(side.data),
          max_bytes_(validate(side.parameters).message_bytes),
          bell_(*side.data, side.memory.data, kMemoryAlignment) {}

    [[nodiscard]] Card card() const noexcept { return {.data = bell_.remote(), .credit = {}}; }
    void connect(const Card& peer) noexcept { request_ = peer.data; }

    Status receive_into(fabric::Sink sink, std::size_t& bytes) noexcept {
        if (!asked_) {
            if (const Status status = ask(sink); status != Status::ok) return status;
        }
        std::uint32_t length = 0;
        harvest(length);
        answered_ = answered_ || Answer::look(*bell_.words(), number_, length);
        lost_ = lost_ || (answered_ && length > max_bytes_);  // the peer wrote the length
        if (lost_) return Status::peer_lost;
        if (!answered_) return Status::would_block;
        asked_ = false;
        answered_ = false;
        ++number_;
        bytes = length;
        return bytes > sink.bytes ? Status::truncated : Status::ok;
    }

  private:
    /// Tells the sender of the sink.
    Status ask(fabric::Sink sink) noexcept {
        const fabric::Remote place = as_seen_by_peer(sink.data, sink.key, bell_.data(), bell_.remote());
        if (place.address > kMostAddress) return Status::invalid_argument;
        const auto room = static_cast<std::uint32_t>(std::min<std::size_t>(sink.bytes, kMaxMessageBytes));
        const OfferWords words = pack({place, room}, number_);
        const Status status = data_->write({reinterpret_cast<const std::byte*>(&words), sizeof words},
                                           request_, fabric::kSilent);
        if (status != Status::ok) return status;
        asked_ = true;
        return data_->flush();
    }

    void harvest(std::uint32_t& length) noexcept {
        fabric::harvest_completions(*data_, [&](const fabric::Completion& done) {
            if (done.status != Status::ok) lost_ = true;
            if (Answer::take(done, length)) answered_ = true;
        });
    }

    E* data_;
    std::size_t max_bytes_;
    Registered<E> bell_;
    fabric::Remote request_{};
    std::uint64_t number_ = 0;  ///< of the next message
    bool asked_ = false;
    bool answered_ = false;
    bool lost_ = false;
};

}  // namespace rb2::channel
