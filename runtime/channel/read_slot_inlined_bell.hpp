#pragma once
// Read slot, Inlined bell: message and bell lie in one slot of the sender, and one READ fetches both.
// "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler), section 4.5.
//
//   slot   message, up to message_bytes, to a word boundary | bell: number + 1 (32) and length (32) |
//   checksum
//
// Cost: nothing at the sender but the checksum. One READ of a whole slot and one round trip at the receiver
// if the message is there, and a READ for each look at one that is not.
// Zero-copy at the sender: build the message in next_place() and send that; any other region is copied into
// the slot. At the receiver: give a sink of fetch_bytes(), behind whose message the bell lands; for a shorter
// one the bell is fetched first, which costs a READ and a round trip more.
// Differs from the paper in: the checksum. The paper needs no order here, but of bytes that are READ in no
// order the bell may be new and the message old.

#include <algorithm>
#include <atomic>
#include <cstring>

#include "runtime/channel/channel.hpp"
#include "runtime/channel/checksum.hpp"
#include "runtime/channel/credit.hpp"
#include "runtime/channel/fetch.hpp"
#include "runtime/channel/pull_receiver.hpp"
#include "runtime/channel/readers.hpp"
#include "runtime/channel/registered.hpp"
#include "runtime/channel/supported.hpp"

namespace rb2::channel {

struct ReadSlotInlinedBell {
    static constexpr Traits kTraits{.family = "Read slot",
                                    .type = "Inlined bell",
                                    .half_round_trips = {2, true},
                                    .send_requests = {0},
                                    .receive_requests = {1, true},
                                    .blocking_receive = false,
                                    .zero_copy_send = Support::yes,
                                    .zero_copy_receive = Support::yes,
                                    .variable_size = false,
                                    .one_to_many = Growth::constant,
                                    .many_to_one = Growth::constant,
                                    .requests = {.read = true},
                                    .in_order = {}};

    /// Behind the message.
    struct Bell {
        std::uint64_t word;  ///< 0 is no bell
        std::uint64_t sum;

        [[nodiscard]] static constexpr std::uint64_t ring(std::uint64_t number, std::size_t length) noexcept {
            return static_cast<std::uint32_t>(number + 1) | std::uint64_t{length} << 32;
        }
        [[nodiscard]] constexpr std::size_t length() const noexcept { return word >> 32; }
    };

    [[nodiscard]] static constexpr std::size_t slot_bytes(const Parameters& parameters) noexcept {
        return word_aligned(parameters.message_bytes) + sizeof(Bell);
    }
    [[nodiscard]] static constexpr std::size_t pool_bytes(const Parameters& parameters) noexcept {
        return parameters.slots * slot_bytes(parameters);
    }
    [[nodiscard]] static constexpr Needs sender_needs(const Parameters&) noexcept {
        return {.data = 0, .credit = CreditWord::kBytes};
    }
    /// For bells that are fetched alone.
    [[nodiscard]] static constexpr Needs receiver_needs(const Parameters&) noexcept {
        return {.data = kMemoryAlignment};
    }

    class Slots;
    template <fabric::Endpoint E>
    using SenderPool = Slots;
    template <fabric::Endpoint E>
    class Sender;
    template <fabric::Endpoint E>
    class Receiver;
};

/// The slots, and the receivers that must have read a message before its slot is used again. Shared by the
/// senders to all of them, of one thread; outlives them. Memory zeroed.
class ReadSlotInlinedBell::Slots {
  public:
    Slots(std::span<std::byte> memory, const Parameters& parameters)
        : parameters_(validate(parameters)), memory_(enough(memory, pool_bytes(parameters))) {}
    Slots(const Slots&) = delete;
    Slots& operator=(const Slots&) = delete;

    [[nodiscard]] std::span<std::byte> memory() const noexcept { return memory_; }
    [[nodiscard]] std::size_t max_bytes() const noexcept { return parameters_.message_bytes; }
    /// As Readers::attach().
    void attach(std::uint64_t* read) { readers_.attach(read, sent_); }

    /// Where the next message may be built, max_bytes() of it; empty while a receiver has yet to read there.
    [[nodiscard]] std::span<std::byte> next_place() noexcept {
        if (sent_ - read_ == parameters_.slots && sent_ - read() == parameters_.slots) return {};
        return {memory_.data() + sent_ % parameters_.slots * slot_bytes(parameters_), max_bytes()};
    }

    /// The next message lies in next_place(). Its ticket.
    Ticket ring(std::size_t bytes) noexcept {
        std::byte* const place = next_place().data();
        auto& bell = *reinterpret_cast<Bell*>(place + word_aligned(max_bytes()));
        const std::uint64_t word = Bell::ring(sent_, bytes);
        // Release: on a mapped peer the message is there before its bell; elsewhere the checksum tells.
        std::atomic_ref(bell.sum).store(checksum(place, bytes, word), std::memory_order_release);
        std::atomic_ref(bell.word).store(word, std::memory_order_release);
        return ++sent_;
    }

    [[nodiscard]] Status test(Ticket ticket) noexcept {
        if (ticket == 0 || ticket > sent_) return Status::invalid_argument;
        return ticket <= read_ || ticket <= read() ? Status::ok : Status::would_block;
    }

  private:
    std::uint64_t read() noexcept { return read_ = readers_.slowest(sent_); }

    Parameters parameters_;
    std::span<std::byte> memory_;
    Readers readers_;
    std::uint64_t sent_ = 0;
    std::uint64_t read_ = 0;  ///< by all, as last seen
};

/// The side towards one receiver. send() at any of a pool's is for the receivers of all.
template <fabric::Endpoint E>
class ReadSlotInlinedBell::Sender {
    static_assert(require_supported<ReadSlotInlinedBell, E>());

  public:
    Sender(const Side<E>& side, Slots& slots)
        : slots_(&slots),
          memory_(*side.data, slots.memory(), slots.memory().size()),
          credit_(*side.credit, side.memory.credit, CreditWord::kBytes) {
        slots.attach(credit_.words());
    }
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    [[nodiscard]] Card card() const noexcept {
        return {.data = memory_.remote(), .credit = credit_.remote()};
    }
    void connect(const Card&) noexcept {}
    [[nodiscard]] std::size_t max_bytes() const noexcept { return slots_->max_bytes(); }
    /// Where the next message may be built so that it is not copied; empty while the channel is full.
    [[nodiscard]] std::span<std::byte> next_place() noexcept { return slots_->next_place(); }

    Status send(fabric::Source region, Ticket& ticket) noexcept {
        if (region.bytes > max_bytes()) return Status::invalid_argument;
        const std::span<std::byte> place = next_place();
        if (place.empty()) return Status::would_block;
        if (region.data != place.data() && region.bytes != 0)
            std::memcpy(place.data(), region.data, region.bytes);
        ticket = slots_->ring(region.bytes);
        return Status::ok;
    }
    Status test(Ticket ticket) noexcept { return slots_->test(ticket); }

  private:
    Slots* slots_;
    Registered<E> memory_;
    Registered<E> credit_;
};

template <fabric::Endpoint E>
class ReadSlotInlinedBell::Receiver {
    static_assert(require_supported<ReadSlotInlinedBell, E>());

  public:
    explicit Receiver(const Side<E>& side)
        : data_(side.data), parameters_(validate(side.parameters)), bell_(side), credit_(*side.credit, 1) {}

    [[nodiscard]] static constexpr Card card() noexcept { return {}; }
    void connect(const Card& peer) noexcept {
        slots_ = peer.data;
        credit_.connect(peer.credit);
    }

    /// Bytes of a sink that takes message and bell with one READ.
    [[nodiscard]] std::size_t fetch_bytes() const noexcept { return slot_bytes(parameters_); }

    Status receive_into(fabric::Sink sink, std::size_t& bytes) noexcept {
        credit_.progress();
        harvest();
        if (lost_) return Status::peer_lost;
        return sink.bytes >= fetch_bytes() ? at_once(sink, bytes) : bell_first(sink, bytes);
    }

  private:
    [[nodiscard]] fabric::Remote slot() const noexcept {
        return slots_ + number_ % parameters_.slots * fetch_bytes();
    }
    [[nodiscard]] std::size_t bell_offset() const noexcept { return word_aligned(parameters_.message_bytes); }

    /// One READ for both; what is torn is fetched again.
    Status at_once(fabric::Sink sink, std::size_t& bytes) noexcept {
        if (fetch_.arrived()) {
            Bell bell{};
            std::memcpy(&bell, sink.data + bell_offset(), sizeof bell);
            if (rung(bell) && bell.sum == checksum(sink.data, bell.length(), bell.word))
                return taken(bell, sink, bytes);
        }
        if (lost_) return Status::peer_lost;
        if (fetch_.under_way()) return Status::would_block;
        return noted(fetch_.start(*data_, {sink.data, fetch_bytes(), sink.key}, slot()));
    }

    /// A READ for the bell, and once it has been rung one for as much of the message as the sink holds.
    Status bell_first(fabric::Sink sink, std::size_t& bytes) noexcept {
        if (fetch_.under_way()) return Status::would_block;
        if (fetch_.arrived()) return taken(seen_, sink, bytes);
        if (bell_.arrived()) {
            std::memcpy(&seen_, bell_.words(), sizeof seen_);
            if (rung(seen_)) {
                const std::size_t fits = std::min(seen_.length(), sink.bytes);
                return fits == 0 ? taken(seen_, sink, bytes)
                                 : noted(fetch_.start(*data_, {sink.data, fits, sink.key}, slot()));
            }
        }
        if (lost_) return Status::peer_lost;
        return noted(bell_.start(slot() + bell_offset(), sizeof(Bell)));
    }

    /// Whether it is the bell of the next message. The peer wrote the length.
    [[nodiscard]] bool rung(const Bell& bell) noexcept {
        if (bell.word != Bell::ring(number_, bell.length())) return false;
        lost_ = lost_ || bell.length() > parameters_.message_bytes;
        return !lost_;
    }

    Status taken(const Bell& bell, fabric::Sink sink, std::size_t& bytes) noexcept {
        bytes = bell.length();
        credit_.freed(1, ++number_);
        return bytes > sink.bytes ? Status::truncated : Status::ok;
    }

    /// Of a READ that has been started: would_block, or peer_lost.
    Status noted(Status status) noexcept {
        lost_ = lost_ || (status != Status::ok && status != Status::would_block);
        return lost_ ? Status::peer_lost : Status::would_block;
    }

    void harvest() noexcept {
        fabric::harvest_completions(*data_, [this](const fabric::Completion& done) {
            if (done.status != Status::ok) lost_ = true;
            if (!fetch_.take(done)) static_cast<void>(bell_.take(done));
        });
        lost_ = lost_ || credit_.lost();
    }

    E* data_;
    Parameters parameters_;
    BellFetch<E> bell_;
    fabric::Remote slots_{};
    CreditReturn<E> credit_;
    Fetch fetch_{1};
    Bell seen_{};               ///< that was fetched alone
    std::uint64_t number_ = 0;  ///< of the next message
    bool lost_ = false;
};

}  // namespace rb2::channel
