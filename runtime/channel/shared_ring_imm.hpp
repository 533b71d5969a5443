#pragma once
// Shared ring buffer, IMM capabilities: the record is the bare message, and an immediate tells its place.
// "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler), section 4.4.
//
// Cost: two requests (fetch-and-add, WRITE_WITH_IMM) and three half round trips a message, and a READ of the
// tail now and then. No request and no pass over the memory at the receiver. Messages are handed out as they
// arrive: a slow sender holds up nobody's messages, only the room behind its place.

#include "runtime/channel/shared_ring.hpp"

namespace rb2::channel {

struct SharedRingImm {
    static constexpr Traits kTraits{.family = "Shared ring",
                                    .type = "IMM capabilities",
                                    .half_round_trips = {3},
                                    .send_requests = {2, true},
                                    .receive_requests = {0},
                                    .blocking_receive = true,
                                    .zero_copy_send = Support::yes,
                                    .zero_copy_receive = Support::no,
                                    .variable_size = true,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::constant,
                                    .requests = {.write = true, .atomic = true},
                                    .in_order = {}};
    static constexpr std::size_t kFrame = 0;

    [[nodiscard]] static constexpr SharedRingShape ring_shape(const Parameters& parameters) noexcept {
        return {parameters, kFrame};
    }
    [[nodiscard]] static constexpr std::size_t pool_bytes(const Parameters& parameters) noexcept {
        return ring_shape(parameters).memory_bytes();
    }
    /// Credit: where the tail is READ to.
    [[nodiscard]] static constexpr Needs sender_needs(const Parameters&) noexcept {
        return {.data = 0, .credit = kMemoryAlignment};
    }
    [[nodiscard]] static constexpr Needs receiver_needs(const Parameters&) noexcept { return {}; }

    /// The immediate: the position in words, as far as it fits.
    template <fabric::Endpoint E>
    struct Record {
        explicit Record(const Registered<E>&) noexcept {}
        Status write(E& endpoint, const Card& peer, const SharedRingShape& shape,
                     const Reserved& reserved) const noexcept {
            return endpoint.write_with_imm(reserved.region, peer.data + shape.offset(reserved.position),
                                           static_cast<std::uint32_t>(reserved.position / kWordBytes),
                                           fabric::Signal{reserved.ticket});
        }
    };

    template <fabric::Endpoint E>
    struct ReceiverPool : SharedRing {
        ReceiverPool(std::span<std::byte> memory, const Parameters& parameters)
            : SharedRing(memory, ring_shape(validate(parameters))) {}
    };

    template <fabric::Endpoint E>
    using Sender = SharedRingSender<SharedRingImm, E>;
    template <fabric::Endpoint E>
    class Receiver;
};

template <fabric::Endpoint E>
class SharedRingImm::Receiver {
    static_assert(require_supported<SharedRingImm, E>());

  public:
    Receiver(const Side<E>& side, ReceiverPool<E>& pool)
        : data_(side.data), max_bytes_(side.parameters.message_bytes), ring_(&pool), access_(side, pool) {}

    [[nodiscard]] Card card() const noexcept { return access_.card(); }
    void connect(const Card&) noexcept {}

    /// The next message of this receiver's sender.
    Status receive(Message& message) noexcept {
        if (lost_) return Status::peer_lost;
        fabric::Completion done;
        if (!fabric::poll_one(*data_, done)) return Status::would_block;
        const std::uint64_t position = position_of(done.imm);
        lost_ = done.operation != fabric::Operation::imm_arrived || done.status != Status::ok ||
                done.bytes > max_bytes_ || !ring_->hold(position, ring_->shape().extent(done.bytes));
        if (lost_) return Status::peer_lost;
        message = {.bytes = {ring_->at(position), done.bytes}, .place = position};
        return Status::ok;
    }

    Status free(const Message& message) noexcept {
        if (ring_->held(message.place) == 0) return Status::invalid_argument;
        ring_->release(message.place);
        return Status::ok;
    }

  private:
    /// The first position from the tail on whose word has these low bits.
    [[nodiscard]] std::uint64_t position_of(std::uint32_t word) const noexcept {
        const std::uint64_t tail = ring_->tail();
        return tail + std::uint64_t{word - static_cast<std::uint32_t>(tail / kWordBytes)} * kWordBytes;
    }

    E* data_;
    std::size_t max_bytes_;
    SharedRing* ring_;
    SharedRingAccess<E> access_;
    bool lost_ = false;
};

}  // namespace rb2::channel
