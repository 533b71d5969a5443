#pragma once
// Send/Recv, Normal: SEND into receives that the receiver posts for this sender alone. "Efficient RDMA
// Communication Protocols" (Taranov, Fischer, Hoefler), section 4.1.
//
// Cost: one request and half a round trip a message; `slots` buffers of the longest message for every sender.
// The sender is told how many receives have been posted anew, as the paper advises, so that none goes
// missing.

#include "runtime/channel/send_recv.hpp"

namespace rb2::channel {

struct SendRecvNormal {
    static constexpr Traits kTraits{.family = "Send/Recv",
                                    .type = "Normal",
                                    .half_round_trips = {1},
                                    .send_requests = {1},
                                    .receive_requests = {0},
                                    .blocking_receive = true,
                                    .zero_copy_send = Support::yes,
                                    .zero_copy_receive = Support::no,
                                    .variable_size = false,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::linear,
                                    .requests = {.send = true},
                                    .in_order = {}};

    [[nodiscard]] static constexpr std::size_t message_bytes(const Parameters& parameters) noexcept {
        return parameters.message_bytes;
    }
    [[nodiscard]] static constexpr Needs sender_needs(const Parameters&) noexcept {
        return {.data = 0, .credit = CreditWord::kBytes};
    }
    [[nodiscard]] static constexpr Needs receiver_needs(const Parameters& parameters) noexcept {
        return {.data = parameters.slots * word_aligned(parameters.message_bytes), .credit = 0};
    }

    template <fabric::Endpoint E>
    static Status send_message(E& endpoint, fabric::Source region, fabric::Signal signal) noexcept {
        return endpoint.send(region, 0, signal);
    }

    template <fabric::Endpoint E>
    using Sender = MessageSender<SendRecvNormal, ReceiveCredits, E>;

    template <fabric::Endpoint E>
    class Receiver;
};

template <fabric::Endpoint E>
class SendRecvNormal::Receiver {
    static_assert(require_supported<SendRecvNormal, E>());

  public:
    explicit Receiver(const Side<E>& side)
        : data_(side.data),
          memory_(*side.data, side.memory.data, receiver_needs(validate(side.parameters)).data),
          buffers_(memory_.data(), side.parameters.slots, word_aligned(side.parameters.message_bytes)),
          credit_(*side.credit, credit_share(side.parameters.slots, side.parameters)) {
        for (std::uint64_t index = 0; index < buffers_.count(); ++index) require_posted(post(index));
    }

    [[nodiscard]] Card card() const noexcept { return {}; }
    void connect(const Card& peer) noexcept { credit_.connect(peer.credit); }

    Status receive(Message& message) noexcept {
        credit_.progress();
        if (lost_ || credit_.lost()) return Status::peer_lost;
        const Status status = receive_into_buffers(*data_, buffers_, message);
        lost_ = status == Status::peer_lost;
        return status;
    }

    Status free(const Message& message) noexcept {
        if (!buffers_.release(message.place)) return Status::invalid_argument;
        if (const Status status = post(message.place); status != Status::ok) return status;
        credit_.freed(1, ++posted_anew_);
        return Status::ok;
    }

  private:
    Status post(std::uint64_t index) noexcept {
        return data_->post_receive({buffers_.at(index), buffers_.stride(), memory_.key()},
                                   receive_ticket(index));
    }

    E* data_;
    Registered<E> memory_;
    Buffers buffers_;
    CreditReturn<E> credit_;
    std::uint64_t posted_anew_ = 0;
    bool lost_ = false;
};

}  // namespace rb2::channel
