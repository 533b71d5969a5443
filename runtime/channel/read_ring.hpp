#pragma once
// What the read ring channels share: a ring of messages in the sender's memory, from which any number of
// receivers READ. "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler), section 4.6.
//
//   memory   bell (a line) | ring | run-out
//   record   length + 1 (one word, the inlined bell) | message, to a word boundary
//
// A record starts anywhere in the ring; one that starts near the end runs out of it, into memory for one
// record, and the start of the ring that it would have taken stays unused. So records are contiguous.
// Behind the newest record there is always a word of 0.
//
// Differs from the paper in: the run-out in place of mapping the ring twice, so that it works in any
// registered memory; at most kSendWindow messages that not all receivers have read, because the receivers
// report a number of messages, not a position. The paper's reports travel as ours do (credit.hpp).

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/channel/channel.hpp"
#include "runtime/channel/credit.hpp"
#include "runtime/channel/offer.hpp"
#include "runtime/channel/pull_receiver.hpp"
#include "runtime/channel/readers.hpp"
#include "runtime/channel/registered.hpp"
#include "runtime/channel/supported.hpp"
#include "runtime/channel/tickets.hpp"

namespace rb2::channel {

/// Sizes and places in a read ring. Positions count bytes and only grow.
class ReadRingShape {
  public:
    explicit constexpr ReadRingShape(const Parameters& parameters) noexcept
        : ring_bytes_(parameters.ring_bytes), most_(extent(parameters.message_bytes)) {}

    /// Bytes of ring that a message takes up.
    [[nodiscard]] static constexpr std::uint64_t extent(std::size_t bytes) noexcept {
        return kWordBytes + word_aligned(bytes);
    }
    [[nodiscard]] constexpr std::uint64_t ring_bytes() const noexcept { return ring_bytes_; }
    [[nodiscard]] constexpr std::size_t memory_bytes() const noexcept {
        return kMemoryAlignment + ring_bytes_ + most_;
    }
    /// From the start of the memory.
    [[nodiscard]] constexpr std::uint64_t offset(std::uint64_t position) const noexcept {
        return kMemoryAlignment + position % ring_bytes_;
    }
    /// A ring that is all read must have room for the largest record and the 0 behind it even if less than
    /// this has not been reported.
    [[nodiscard]] constexpr CreditPace credit_pace(const Parameters& parameters) const noexcept {
        return {
            .messages = credit_share(kSendWindow, parameters),
            .bytes = std::min(credit_share(ring_bytes_, parameters), ring_bytes_ - most_ - kWordBytes + 1)};
    }

  private:
    std::uint64_t ring_bytes_;
    std::uint64_t most_;
};

/// The ring, and the receivers that must have read a message before its place is used again. Shared by the
/// senders to all of them, of one thread; outlives them. Memory zeroed.
class ReadRing {
  public:
    ReadRing(std::span<std::byte> memory, const Parameters& parameters);
    ReadRing(const ReadRing&) = delete;
    ReadRing& operator=(const ReadRing&) = delete;

    [[nodiscard]] std::span<std::byte> memory() const noexcept { return memory_; }
    [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }

    /// A receiver that gets all messages; `read` is its credit word. Throws StartupError as
    /// Readers::attach().
    void attach(std::uint64_t* read) { readers_.attach(read, sent_); }

    /// Copies a message in; every receiver may fetch it. would_block: no room until the slowest has read.
    Status append(fabric::Source region) noexcept;

    [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }  ///< messages ever
    /// Where message `number`, one of the newest kSendWindow, lies: from the start of the memory.
    [[nodiscard]] Offer record(std::uint64_t number) const noexcept {
        const Record& record = records_[number % kSendWindow];
        return {.place = {shape_.offset(record.position) + kWordBytes, 0}, .bytes = record.bytes};
    }

    /// The detached bell: end of the newest message in words (bits 0-39) and its length (bits 40-63).
    [[nodiscard]] static constexpr std::uint64_t pack_bell(std::uint64_t end, std::uint32_t bytes) noexcept {
        return end / kWordBytes % kBellWords | std::uint64_t{bytes} << 40;
    }
    static constexpr std::uint64_t kBellWords = std::uint64_t{1} << 40;

  private:
    struct Record {
        std::uint64_t position = 0;
        std::uint32_t bytes = 0;
    };

    [[nodiscard]] bool has_room(std::uint64_t extent) noexcept;
    [[nodiscard]] std::uint64_t& word(std::uint64_t offset) const noexcept {
        return *reinterpret_cast<std::uint64_t*>(memory_.data() + offset);
    }

    ReadRingShape shape_;
    std::size_t max_bytes_;
    std::span<std::byte> memory_;
    std::uint64_t head_ = 0;  ///< position of the next record
    std::uint64_t tail_ = 0;  ///< what is before it has been read by all
    std::uint64_t sent_ = 0;
    std::uint64_t read_ = 0;  ///< by all
    std::array<Record, kSendWindow> records_{};
    Readers readers_;
};

/// Tells nobody: receivers look into the ring.
template <fabric::Endpoint E>
struct NoNotice {
    NoNotice(E&, std::uint32_t) noexcept {}
    void connect(fabric::Remote) noexcept {}
    static Status publish(std::uint64_t, const Offer&) noexcept { return Status::ok; }
};

/// The side of a read ring towards one receiver. send() at any of them is for the receivers of all. C: the
/// channel; Notice: how the receiver hears of a message (notice.hpp).
template <class C, class Notice, fabric::Endpoint E>
class ReadRingSender {
    static_assert(require_supported<C, E>());

  public:
    ReadRingSender(const Side<E>& side, ReadRing& ring)
        : data_(side.data),
          ring_(&ring),
          memory_(*side.data, ring.memory(), ring.memory().size()),
          credit_(*side.credit, side.memory.credit, CreditWord::kBytes),
          notice_(*side.data, kSendWindow),
          told_(ring.sent()) {
        ring.attach(credit_.words());
    }
    ReadRingSender(const ReadRingSender&) = delete;
    ReadRingSender& operator=(const ReadRingSender&) = delete;

    [[nodiscard]] Card card() const noexcept {
        return {.data = memory_.remote(), .credit = credit_.remote()};
    }
    void connect(const Card& peer) noexcept { notice_.connect(peer.data); }
    [[nodiscard]] std::size_t max_bytes() const noexcept { return ring_->max_bytes(); }

    /// The region may be reused at once. A notice that the fabric does not take now goes with a later call:
    /// with N receivers, make such calls at all N senders.
    Status send(fabric::Source region, Ticket& ticket) noexcept {
        if (region.bytes > max_bytes()) return Status::invalid_argument;
        if (progress() != Status::ok) return Status::peer_lost;
        const Status status = ring_->append(region);
        if (status != Status::ok) return status;
        ticket = ring_->sent();
        return progress();
    }
    Status test(Ticket ticket) noexcept {
        if (ticket == 0 || ticket > ring_->sent()) return Status::invalid_argument;
        if (progress() != Status::ok) return Status::peer_lost;
        return told_ < ticket ? Status::would_block : Status::ok;
    }

  private:
    /// Tells the receiver of what it does not know yet. ok or peer_lost.
    Status progress() noexcept {
        fabric::harvest_completions(*data_, [this](const fabric::Completion& done) {
            if (done.status != Status::ok) lost_ = true;
        });
        while (!lost_ && told_ < ring_->sent()) {
            Offer offer = ring_->record(told_);
            offer.place = {memory_.remote().address + offer.place.address, memory_.remote().key};
            const Status status = notice_.publish(told_, offer);
            if (status == Status::would_block) break;
            if (status != Status::ok) return Status::peer_lost;
            ++told_;
        }
        return lost_ ? Status::peer_lost : Status::ok;
    }

    E* data_;
    ReadRing* ring_;
    Registered<E> memory_;
    Registered<E> credit_;
    Notice notice_;
    std::uint64_t told_;  ///< messages that the receiver has been told of
    bool lost_ = false;
};

/// What the three channels share.
struct ReadRingChannel {
    template <fabric::Endpoint E>
    using SenderPool = ReadRing;

    [[nodiscard]] static constexpr std::size_t pool_bytes(const Parameters& parameters) noexcept {
        return ReadRingShape(parameters).memory_bytes();
    }
    [[nodiscard]] static constexpr Needs sender_needs(const Parameters&) noexcept {
        return {.data = 0, .credit = CreditWord::kBytes};
    }
    [[nodiscard]] static constexpr CreditPace credit_pace(const Parameters& parameters) noexcept {
        return ReadRingShape(parameters).credit_pace(parameters);
    }
};

/// The channels whose receivers look into the ring, and hear of nothing.
struct PolledReadRing : ReadRingChannel {
    [[nodiscard]] static constexpr Needs receiver_needs(const Parameters&) noexcept {
        return {.data = kMemoryAlignment};
    }

    /// Where such a receiver is in the ring, and the word of it that it fetches.
    template <fabric::Endpoint E>
    class Bell {
      public:
        explicit Bell(const Side<E>& side, std::size_t bytes = kMemoryAlignment)
            : shape_(side.parameters), fetch_(side, bytes) {}
        [[nodiscard]] static constexpr fabric::Remote remote() noexcept { return {}; }
        void connect(const Card& peer) noexcept { memory_ = peer.data; }
        bool take(const fabric::Completion& done) noexcept { return fetch_.take(done); }

      protected:
        /// The message at position_ has `bytes` bytes, says the peer.
        Status found(std::uint64_t bytes, Offer& offer) noexcept {
            if (bytes > kMaxMessageBytes) return Status::peer_lost;
            offer = {memory_ + shape_.offset(position_) + kWordBytes, static_cast<std::uint32_t>(bytes)};
            position_ += ReadRingShape::extent(bytes);
            return Status::ok;
        }

        ReadRingShape shape_;
        BellFetch<E> fetch_;
        fabric::Remote memory_{};
        std::uint64_t position_ = 0;  ///< of the next record
    };
};

}  // namespace rb2::channel
