#pragma once
// Shared ring buffer, Inlined bell with zeroing: the record begins with its length and ends with a word that
// is not 0, and the receiver zeroes what it has read. "Efficient RDMA Communication Protocols" (Taranov,
// Fischer, Hoefler), section 4.4 and Figure 1.
//
//   record   length (bits 0-31), number of the sender + 1 (bits 32-63) | message, to a word boundary | 1
//
// Cost: two requests (fetch-and-add, WRITE) and three half round trips a message, and a READ of the tail now
// and then. No request at the receiver, but a pass of stores over all it has read. Messages are handed out in
// the order of their places: one that is reserved and not written holds up all behind it.
// Differs from the paper in: the number of the sender, so that each receiver hands out its own sender's.

#include <cstring>

#include "runtime/channel/shared_ring.hpp"

namespace rb2::channel {

struct SharedRingInlinedBell {
    static constexpr Traits kTraits{.family = "Shared ring",
                                    .type = "Inlined bell w/ zeroing",
                                    .half_round_trips = {3},
                                    .send_requests = {2, true},
                                    .receive_requests = {0},
                                    .blocking_receive = false,
                                    .zero_copy_send = Support::yes,
                                    .zero_copy_receive = Support::no,
                                    .appends_data = true,
                                    .variable_size = true,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::constant,
                                    .requests = {.write = true, .atomic = true},
                                    .in_order = {.bytes = true}};
    static constexpr std::size_t kFrame = 2 * kWordBytes;

    [[nodiscard]] static constexpr SharedRingShape ring_shape(const Parameters& parameters) noexcept {
        return {parameters, kFrame};
    }
    [[nodiscard]] static constexpr std::size_t pool_bytes(const Parameters& parameters) noexcept {
        return ring_shape(parameters).memory_bytes();
    }
    /// Data: the words that are gathered around a message. Credit: where the tail is READ to.
    [[nodiscard]] static constexpr Needs sender_needs(const Parameters&) noexcept {
        return {.data = (kSendWindow + 2) * kWordBytes, .credit = kMemoryAlignment};
    }
    [[nodiscard]] static constexpr Needs receiver_needs(const Parameters&) noexcept { return {}; }

    /// The word in front of a message.
    [[nodiscard]] static constexpr std::uint64_t front(std::size_t bytes, std::uint32_t sender) noexcept {
        return bytes | (std::uint64_t{sender} + 1) << 32;
    }

    template <fabric::Endpoint E>
    class Record;

    /// The ring, and how far its messages have been handed out.
    template <fabric::Endpoint E>
    class ReceiverPool;

    template <fabric::Endpoint E>
    using Sender = SharedRingSender<SharedRingInlinedBell, E>;
    template <fabric::Endpoint E>
    class Receiver;
};

/// Gathers the record. In registered memory: a front word for each send in flight, a word of 0, of which a
/// part fills up the message's last word, and the word of 1 behind it.
template <fabric::Endpoint E>
class SharedRingInlinedBell::Record {
  public:
    explicit Record(const Registered<E>& memory) noexcept : words_(memory.words()), key_(memory.key()) {
        words_[kSendWindow + 1] = 1;
    }

    Status write(E& endpoint, const Card& peer, const SharedRingShape& shape,
                 const Reserved& reserved) const noexcept {
        const std::size_t bytes = reserved.region.bytes;
        std::uint64_t& front_word = words_[reserved.ticket % kSendWindow];
        front_word = front(bytes, peer.number);
        const std::size_t filler = shape.extent(bytes) - kFrame - bytes;
        const std::array<fabric::Source, 3> parts{
            {{reinterpret_cast<const std::byte*>(&front_word), kWordBytes, key_},
             reserved.region,
             {reinterpret_cast<const std::byte*>(words_ + kSendWindow + 1) - filler, filler + kWordBytes,
              key_}}};
        return endpoint.write_gather(parts, peer.data + shape.offset(reserved.position),
                                     fabric::Signal{reserved.ticket});
    }

  private:
    std::uint64_t* words_;
    fabric::Key key_;
};

template <fabric::Endpoint E>
class SharedRingInlinedBell::ReceiverPool : public SharedRing {
  public:
    ReceiverPool(std::span<std::byte> memory, const Parameters& parameters)
        : SharedRing(memory, ring_shape(validate(parameters))), max_bytes_(parameters.message_bytes) {}

    /// The next message in the ring if it is `sender`'s and complete. peer_lost: it cannot be a message.
    Status next(std::uint32_t sender, Message& message) noexcept {
        std::byte* const record = at(position_);
        // Acquire, both: bytes land front to back, so what is in front of the last word is readable.
        const std::uint64_t first = word(record).load(std::memory_order_acquire);
        if (first == 0) return Status::would_block;
        const auto bytes = static_cast<std::uint32_t>(first);
        if (first >> 32 == 0 || first >> 32 > attached() || bytes > max_bytes_) return Status::peer_lost;
        if (first != front(bytes, sender)) return Status::would_block;  // another receiver's
        const std::uint64_t extent = this->extent(bytes);
        if (word(record + extent - kWordBytes).load(std::memory_order_acquire) == 0)
            return Status::would_block;
        if (!hold(position_, extent)) return Status::peer_lost;
        message = {.bytes = {record + kWordBytes, bytes}, .place = position_};
        position_ += extent;
        return Status::ok;
    }

    Status free(const Message& message) noexcept {
        const std::uint64_t extent = held(message.place);
        if (extent == 0) return Status::invalid_argument;
        // Any word of it may be where a later record begins or ends.
        std::memset(at(message.place), 0, extent);
        release(message.place);
        return Status::ok;
    }

  private:
    [[nodiscard]] static std::atomic_ref<std::uint64_t> word(std::byte* place) noexcept {
        return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(place));
    }
    [[nodiscard]] std::uint64_t extent(std::size_t bytes) const noexcept { return shape().extent(bytes); }

    std::size_t max_bytes_;
    std::uint64_t position_ = 0;  ///< of the next message to be handed out
};

template <fabric::Endpoint E>
class SharedRingInlinedBell::Receiver {
    static_assert(require_supported<SharedRingInlinedBell, E>());

  public:
    Receiver(const Side<E>& side, ReceiverPool<E>& pool) : pool_(&pool), access_(side, pool) {}

    [[nodiscard]] Card card() const noexcept { return access_.card(); }
    void connect(const Card&) noexcept {}

    /// The next message of this receiver's sender. would_block also while the next in the ring is another's.
    Status receive(Message& message) noexcept { return pool_->next(access_.sender(), message); }
    Status free(const Message& message) noexcept { return pool_->free(message); }

  private:
    ReceiverPool<E>* pool_;
    SharedRingAccess<E> access_;
};

}  // namespace rb2::channel
