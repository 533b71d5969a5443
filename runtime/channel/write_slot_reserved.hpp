#pragma once
// Write slot, + reserve slot: many senders share the slots of one receiver; a sender asks for one before it
// writes. "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler), section 4.2.
//
// Cost: three half round trips a message: the request, the grant, the message; one more request at the sender
// than the delivery takes, and one at the receiver. Memory is that of the slots, however many senders there
// are. Freeing a message unlocks its slot, which costs no request. As the paper notes, one sender can hold
// all slots; requests are served in turn, one of each sender, so that none waits for ever.
//
// The request and the grant are bufferless: immediate values without payload, so that WRITE is all that is
// needed. The delivery is a parameter (footnote a): that of any write slot channel.

#include <array>
#include <vector>

#include "runtime/channel/write_slot.hpp"

namespace rb2::channel {

template <class Way>
struct WriteSlotReserved {
    using Delivery = Way;
    static constexpr Traits kTraits{.family = "Write slot",
                                    .type = "+ reserve slot",
                                    .half_round_trips = {3},
                                    .send_requests = {.least = 1 + Delivery::kRequests},
                                    .receive_requests = {1},
                                    .blocking_receive = Delivery::kNotifies,
                                    .zero_copy_send = Support::yes,
                                    .zero_copy_receive = Support::yes,
                                    .appends_data = Delivery::kAppendsData,
                                    .variable_size = false,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::constant,
                                    .requests = {.write = true},
                                    .in_order = Delivery::kInOrder};

    [[nodiscard]] static constexpr Needs sender_needs(const Parameters&) noexcept {
        return {.data = Delivery::kSenderBytes, .credit = 0};
    }
    [[nodiscard]] static constexpr Needs receiver_needs(const Parameters&) noexcept { return {}; }
    /// Of memory that all senders reach.
    [[nodiscard]] static constexpr std::size_t pool_bytes(const Parameters& parameters) noexcept {
        return Delivery::layout(parameters).bytes();
    }

    template <fabric::Endpoint E>
    class Sender;
    template <fabric::Endpoint E>
    class ReceiverPool;
    template <fabric::Endpoint E>
    class Receiver;
};

/// The immediate values of a request for a slot, a certain one or any.
struct SlotRequest {
    static constexpr std::uint32_t kFlag = std::uint32_t{1} << 31;  ///< no Notice has it
    static constexpr std::uint32_t kAny = kMaxSlots;

    [[nodiscard]] static constexpr std::uint32_t pack(std::uint32_t slot) noexcept { return kFlag | slot; }
    [[nodiscard]] static constexpr bool is(std::uint32_t imm) noexcept { return (imm & kFlag) != 0; }
    [[nodiscard]] static constexpr std::uint32_t slot(std::uint32_t imm) noexcept { return imm & ~kFlag; }
};

/// First in, first out, for as many as sends can be in flight. Not more than those.
template <class T>
class SendQueue {
  public:
    [[nodiscard]] bool empty() const noexcept { return first_ == end_; }
    [[nodiscard]] bool full() const noexcept { return end_ - first_ == kSendWindow; }
    [[nodiscard]] const T& front() const noexcept { return items_[first_ % kSendWindow]; }
    void push(const T& item) noexcept { items_[end_++ % kSendWindow] = item; }
    void pop() noexcept { ++first_; }

  private:
    std::array<T, kSendWindow> items_{};
    std::uint64_t first_ = 0;
    std::uint64_t end_ = 0;
};

template <class Way>
template <fabric::Endpoint E>
class WriteSlotReserved<Way>::Sender {
    static_assert(require_supported<WriteSlotReserved, E>());

  public:
    explicit Sender(const Side<E>& side)
        : data_(side.data), layout_(Delivery::layout(validate(side.parameters))), outbound_(side) {}

    [[nodiscard]] Card card() const noexcept { return {}; }
    void connect(const Card& peer) noexcept { slots_ = peer.data; }
    [[nodiscard]] std::size_t max_bytes() const noexcept { return layout_.message_bytes; }

    Status send(fabric::Source region, Ticket& ticket) noexcept {
        return request(SlotRequest::kAny, region, ticket);
    }
    /// Never would_block because of the slot: it is granted when it is free.
    Status send_to(std::uint32_t slot, fabric::Source region, Ticket& ticket) noexcept {
        return slot < layout_.slots ? request(slot, region, ticket) : Status::invalid_argument;
    }

    /// invalid_argument: the region is not registered, which shows only once it is written. The channel is at
    /// its end then.
    Status test(Ticket ticket) noexcept {
        progress();
        const Status status = tickets_.test(ticket);
        return status == Status::would_block && status_ != Status::ok ? status_ : status;
    }

  private:
    struct Parked {
        fabric::Source region;
        Ticket ticket;
    };

    Status request(std::uint32_t slot, fabric::Source region, Ticket& ticket) noexcept {
        if (region.bytes > max_bytes()) return Status::invalid_argument;
        progress();
        if (status_ != Status::ok) return status_;
        if (tickets_.full()) return Status::would_block;
        const Status status = data_->write_with_imm({}, {}, SlotRequest::pack(slot));
        if (status != Status::ok) return status;
        ticket = tickets_.issue();
        parked_.push({region, ticket});
        return data_->flush();
    }

    /// Takes grants, and writes what they are for.
    void progress() noexcept {
        fabric::harvest_completions(*data_, [this](const fabric::Completion& done) { take(done); });
        while (status_ == Status::ok && !granted_.empty()) {
            Status status = outbound_.finish(*data_);
            if (status == Status::ok) status = deliver();
            if (status == Status::would_block) break;
            status_ = status;
        }
        if (outbound_.finish(*data_) == Status::peer_lost) status_ = Status::peer_lost;
    }

    void take(const fabric::Completion& done) noexcept {
        if (done.operation != fabric::Operation::imm_arrived) return tickets_.take(done);
        // A grant that was not asked for, or of a slot that is not there, cannot come from a sound receiver.
        const bool sound = done.imm < layout_.slots && granted_count_ < tickets_.next() - 1;
        if (!sound) tickets_.lose();
        if (!sound) return;
        granted_.push(done.imm);
        ++granted_count_;
    }

    Status deliver() noexcept {
        if (tickets_.lost()) return Status::peer_lost;
        const Parked& oldest = parked_.front();
        const Status status = outbound_.deliver(*data_, slots_, layout_,
                                                {granted_.front(), sequence_, oldest.region, oldest.ticket});
        if (status != Status::ok) return status;
        parked_.pop();
        granted_.pop();
        ++sequence_;
        return data_->flush();
    }

    E* data_;
    SlotLayout layout_;
    typename Delivery::template Outbound<E> outbound_;
    fabric::Remote slots_{};
    Tickets tickets_;
    SendQueue<Parked> parked_;          ///< sends that wait for a slot
    SendQueue<std::uint32_t> granted_;  ///< slots that wait for the endpoint
    std::uint64_t granted_count_ = 0;
    std::uint64_t sequence_ = 0;
    Status status_ = Status::ok;
};

/// The slots, and whose turn it is to get one. One thread with all its receivers; outlives them.
template <class Way>
template <fabric::Endpoint E>
class WriteSlotReserved<Way>::ReceiverPool {
  public:
    ReceiverPool(std::span<std::byte> memory, const Parameters& parameters)
        : layout_(Delivery::layout(validate(parameters))),
          memory_(enough(memory, layout_.bytes())),
          buffers_(memory_.data(), layout_.slots, layout_.stride()),
          free_(all_slots(layout_.slots)) {}
    ReceiverPool(const ReceiverPool&) = delete;
    ReceiverPool& operator=(const ReceiverPool&) = delete;

  private:
    friend Receiver<E>;

    void join(Receiver<E>& receiver) { receivers_.push_back(&receiver); }
    /// What had been granted to a receiver that goes comes back.
    void leave(const Receiver<E>& receiver, std::uint64_t granted) noexcept {
        std::erase(receivers_, &receiver);
        for (std::uint64_t slot = 0; slot < layout_.slots; ++slot) {
            if ((granted >> slot & 1) != 0) give_back(slot);
        }
    }

    /// The wanted slot, or any, or SlotCredits::kNone.
    [[nodiscard]] std::uint64_t take(std::uint32_t wanted) noexcept {
        const std::uint64_t allowed =
            free_ & (wanted == SlotRequest::kAny ? ~std::uint64_t{0} : std::uint64_t{1} << wanted);
        if (allowed == 0) return SlotCredits::kNone;
        const auto slot = static_cast<std::uint64_t>(std::countr_zero(allowed));
        free_ ^= std::uint64_t{1} << slot;
        return slot;
    }
    void give_back(std::uint64_t slot) noexcept {
        if constexpr (!Delivery::kNotifies) Bell::clear(memory_.data() + layout_.bell(slot));
        free_ |= std::uint64_t{1} << slot;
    }

    /// Grants what can be granted, one request of each receiver in turn.
    void serve() noexcept {
        for (std::size_t refused = 0; free_ != 0 && waiting_ != 0 && refused < receivers_.size();) {
            turn_ = (turn_ + 1) % receivers_.size();
            refused = receivers_[turn_]->grant() ? 0 : refused + 1;
        }
    }

    SlotLayout layout_;
    std::span<std::byte> memory_;
    Buffers buffers_;
    std::uint64_t free_;  ///< one bit for each slot
    std::vector<Receiver<E>*> receivers_;
    std::size_t turn_ = 0;
    std::uint64_t waiting_ = 0;  ///< requests of all receivers
};

template <class Way>
template <fabric::Endpoint E>
class WriteSlotReserved<Way>::Receiver {
    static_assert(require_supported<WriteSlotReserved, E>());

  public:
    Receiver(const Side<E>& side, ReceiverPool<E>& pool)
        : data_(side.data), pool_(&pool), memory_(*side.data, pool.memory_, pool.layout_.bytes()) {
        pool.join(*this);
    }
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;
    ~Receiver() {
        while (!wanted_.empty()) drop_request();
        pool_->leave(*this, granted_);
    }

    [[nodiscard]] Card card() const noexcept { return {.data = memory_.remote(), .credit = {}}; }
    void connect(const Card&) noexcept {}

    /// Also grants slots: a receiver that is not asked for messages holds up its sender.
    Status receive(Message& message) noexcept {
        Arrival arrival{};
        const bool arrived = next(arrival);
        pool_->serve();
        if (lost_) return Status::peer_lost;
        return arrived ? hand_out(arrival, message) : Status::would_block;
    }

    Status free(const Message& message) noexcept {
        if (!pool_->buffers_.release(message.place)) return Status::invalid_argument;
        pool_->give_back(message.place);
        pool_->serve();
        return Status::ok;
    }

  private:
    friend ReceiverPool<E>;

    /// Takes requests, and the next message. False when there is none.
    [[nodiscard]] bool next(Arrival& arrival) noexcept {
        fabric::Completion done;
        while (!lost_ && fabric::poll_one(*data_, done)) {
            const bool arrived =
                done.operation == fabric::Operation::imm_arrived && done.status == Status::ok;
            if (arrived && SlotRequest::is(done.imm)) {
                queue_request(SlotRequest::slot(done.imm));
            } else if (arrived && Delivery::kNotifies) {
                arrival = Notice::unpack(done.imm);
                return true;
            } else {
                lost_ = true;
            }
        }
        if constexpr (Delivery::kNotifies) return false;
        return bells_.find(pool_->memory_.data(), pool_->layout_, granted_, arrival);
    }

    void queue_request(std::uint32_t slot) noexcept {
        // More than can be in flight, or a slot that is not there, cannot come from a sound sender.
        lost_ = wanted_.full() || (slot != SlotRequest::kAny && slot >= pool_->layout_.slots);
        if (lost_) return;
        wanted_.push(slot);
        ++pool_->waiting_;
    }
    void drop_request() noexcept {
        wanted_.pop();
        --pool_->waiting_;
    }

    /// Grants the oldest request. False when there is none, or its slot is taken, or the endpoint's queue
    /// full.
    [[nodiscard]] bool grant() noexcept {
        if (wanted_.empty() || lost_) return false;
        const std::uint64_t slot = pool_->take(wanted_.front());
        if (slot == SlotCredits::kNone) return false;
        const Status status = data_->write_with_imm({}, {}, static_cast<std::uint32_t>(slot));
        if (status != Status::ok) {
            pool_->give_back(slot);
            lost_ = status != Status::would_block;
            return false;
        }
        granted_ |= std::uint64_t{1} << slot;
        drop_request();
        lost_ = data_->flush() != Status::ok;
        return true;
    }

    Status hand_out(const Arrival& arrival, Message& message) noexcept {
        const bool sound = arrival.slot < pool_->layout_.slots && (granted_ >> arrival.slot & 1) != 0 &&
                           arrival.length <= pool_->layout_.message_bytes &&
                           pool_->buffers_.hold(arrival.slot);
        lost_ = !sound;
        if (!sound) return Status::peer_lost;
        granted_ ^= std::uint64_t{1} << arrival.slot;
        message = {.bytes = {pool_->memory_.data() + pool_->layout_.message(arrival.slot, arrival.length),
                             arrival.length},
                   .place = arrival.slot};
        return Status::ok;
    }

    E* data_;
    ReceiverPool<E>* pool_;
    Registered<E> memory_;
    SendQueue<std::uint32_t> wanted_;  ///< slots asked for
    std::uint64_t granted_ = 0;        ///< one bit for each slot that this sender may fill
    BellPoller bells_;
    bool lost_ = false;
};

}  // namespace rb2::channel
