#pragma once
// Send/Recv, Bufferless: SEND of an immediate value without a payload. "Efficient RDMA Communication
// Protocols" (Taranov, Fischer, Hoefler), section 4.1.
//
// Cost: one request and half a round trip a message, and no memory for messages on either side; a message is
// one integer of four bytes, in host byte order. The receives have no buffers but must still be there, so
// they are counted as those of Normal are.

#include <cstring>

#include "runtime/channel/send_recv.hpp"

namespace rb2::channel {

struct SendRecvBufferless {
    static constexpr Traits kTraits{.family = "Send/Recv",
                                    .type = "Bufferless",
                                    .half_round_trips = {1},
                                    .send_requests = {1},
                                    .receive_requests = {0},
                                    .blocking_receive = true,
                                    .zero_copy_send = Support::not_applicable,
                                    .zero_copy_receive = Support::not_applicable,
                                    .variable_size = false,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::constant,
                                    .requests = {.send = true},
                                    .in_order = {}};

    using Integer = std::uint32_t;

    [[nodiscard]] static constexpr std::size_t message_bytes(const Parameters&) noexcept {
        return sizeof(Integer);
    }
    [[nodiscard]] static constexpr Needs sender_needs(const Parameters&) noexcept {
        return {.data = 0, .credit = CreditWord::kBytes};
    }
    [[nodiscard]] static constexpr Needs receiver_needs(const Parameters&) noexcept { return {}; }

    template <fabric::Endpoint E>
    static Status send_message(E& endpoint, fabric::Source region, fabric::Signal signal) noexcept {
        if (region.bytes != sizeof(Integer)) return Status::invalid_argument;
        Integer value = 0;
        std::memcpy(&value, region.data, sizeof value);
        return endpoint.send({}, value, signal);
    }

    template <fabric::Endpoint E>
    using Sender = MessageSender<SendRecvBufferless, ReceiveCredits, E>;

    template <fabric::Endpoint E>
    class Receiver;
};

template <fabric::Endpoint E>
class SendRecvBufferless::Receiver {
    static_assert(require_supported<SendRecvBufferless, E>());

  public:
    explicit Receiver(const Side<E>& side)
        : data_(side.data),
          buffers_(reinterpret_cast<std::byte*>(values_.data()), validate(side.parameters).slots,
                   sizeof(Integer)),
          credit_(*side.credit, credit_share(side.parameters.slots, side.parameters)) {
        for (std::uint64_t index = 0; index < buffers_.count(); ++index) require_posted(post(index));
    }
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    [[nodiscard]] Card card() const noexcept { return {}; }
    void connect(const Card& peer) noexcept { credit_.connect(peer.credit); }

    Status receive(Message& message) noexcept {
        credit_.progress();
        fabric::Completion done;
        if (lost_ || credit_.lost()) return Status::peer_lost;
        if (!fabric::poll_one(*data_, done)) return Status::would_block;
        lost_ = done.operation != fabric::Operation::received || done.status != Status::ok ||
                done.bytes != 0 || !buffers_.hold(buffer_of(done));
        if (lost_) return Status::peer_lost;
        values_[buffer_of(done)] = done.imm;
        message = {.bytes = {buffers_.at(buffer_of(done)), sizeof(Integer)}, .place = buffer_of(done)};
        return Status::ok;
    }

    Status free(const Message& message) noexcept {
        if (!buffers_.release(message.place)) return Status::invalid_argument;
        if (const Status status = post(message.place); status != Status::ok) return status;
        credit_.freed(1, ++posted_anew_);
        return Status::ok;
    }

  private:
    Status post(std::uint64_t index) noexcept { return data_->post_receive({}, receive_ticket(index)); }

    E* data_;
    std::array<Integer, kMaxSlots> values_{};  ///< where the caller finds them; no memory of the fabric
    Buffers buffers_;
    CreditReturn<E> credit_;
    std::uint64_t posted_anew_ = 0;
    bool lost_ = false;
};

}  // namespace rb2::channel
