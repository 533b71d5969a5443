#pragma once
// Send/Recv, Shared receive: as Normal, but many senders use up the receives of one queue. "Efficient RDMA
// Communication Protocols" (Taranov, Fischer, Hoefler), section 4.1.
//
// Cost: one request and half a round trip a message; `slots` buffers for all senders together. No sender can
// be promised a receive: a burst of the others may take them all, and then the fabric holds the message back
// (receiver not ready) until one is posted. At most kSendWindow messages of a sender wait so.

#include "runtime/channel/send_recv.hpp"

namespace rb2::channel {

struct SendRecvShared {
    static constexpr Traits kTraits{.family = "Send/Recv",
                                    .type = "Shared receive",
                                    .half_round_trips = {1},
                                    .send_requests = {1},
                                    .receive_requests = {0},
                                    .blocking_receive = true,
                                    .zero_copy_send = Support::yes,
                                    .zero_copy_receive = Support::no,
                                    .variable_size = false,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::constant,
                                    .requests = {.send = true},
                                    .in_order = {}};

    [[nodiscard]] static constexpr std::size_t message_bytes(const Parameters& parameters) noexcept {
        return parameters.message_bytes;
    }
    [[nodiscard]] static constexpr Needs sender_needs(const Parameters&) noexcept { return {}; }
    [[nodiscard]] static constexpr Needs receiver_needs(const Parameters&) noexcept { return {}; }
    /// Of memory that all senders reach.
    [[nodiscard]] static constexpr std::size_t pool_bytes(const Parameters& parameters) noexcept {
        return parameters.slots * word_aligned(parameters.message_bytes);
    }

    template <fabric::Endpoint E>
    static Status send_message(E& endpoint, fabric::Source region, fabric::Signal signal) noexcept {
        return endpoint.send(region, 0, signal);
    }

    template <fabric::Endpoint E>
    using Sender = MessageSender<SendRecvShared, UncountedReceives, E>;

    template <fabric::Endpoint E>
    class ReceiverPool;

    template <fabric::Endpoint E>
    class Receiver;
};

/// The buffers and the queue that they are posted to. One thread with all its receivers; outlives their
/// endpoints.
template <fabric::Endpoint E>
class SendRecvShared::ReceiverPool {
  public:
    ReceiverPool(std::span<std::byte> memory, const Parameters& parameters)
        : memory_(enough(memory, pool_bytes(validate(parameters)))),
          buffers_(memory_.data(), parameters.slots, word_aligned(parameters.message_bytes)),
          queue_(memory_, parameters.slots) {
        for (std::uint64_t index = 0; index < buffers_.count(); ++index) require_posted(post(index));
    }

    [[nodiscard]] typename E::SharedReceives& queue() noexcept { return queue_; }
    [[nodiscard]] Buffers& buffers() noexcept { return buffers_; }

    /// The caller no longer needs the buffer.
    Status free(std::uint64_t index) noexcept {
        return buffers_.release(index) ? post(index) : Status::invalid_argument;
    }

  private:
    Status post(std::uint64_t index) noexcept {
        return queue_.post({buffers_.at(index), buffers_.stride(), 0}, receive_ticket(index));
    }

    std::span<std::byte> memory_;
    Buffers buffers_;
    typename E::SharedReceives queue_;
};

template <fabric::Endpoint E>
class SendRecvShared::Receiver {
    static_assert(require_supported<SendRecvShared, E>());

  public:
    Receiver(const Side<E>& side, ReceiverPool<E>& pool) noexcept : data_(side.data), pool_(&pool) {
        side.data->share(pool.queue());
    }

    [[nodiscard]] Card card() const noexcept { return {}; }
    void connect(const Card&) noexcept {}

    Status receive(Message& message) noexcept {
        if (lost_) return Status::peer_lost;
        const Status status = receive_into_buffers(*data_, pool_->buffers(), message);
        lost_ = status == Status::peer_lost;
        return status;
    }
    Status free(const Message& message) noexcept { return pool_->free(message.place); }

  private:
    E* data_;
    ReceiverPool<E>* pool_;
    bool lost_ = false;
};

}  // namespace rb2::channel
