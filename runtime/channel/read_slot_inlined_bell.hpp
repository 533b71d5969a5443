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
// the slot. At the receiver: give a sink of fetch_bytes(), behind whose message the bell lands; a shorter one
// is filled by a copy.
// Differs from the paper in: the checksum. The paper needs no order here, but of bytes that are READ in no
// order the bell may be new and the message old.

#include <algorithm>
#include <atomic>
#include <cstring>

#include "runtime/channel/channel.hpp"
#include "runtime/channel/checksum.hpp"
#include "runtime/channel/credit.hpp"
#include "runtime/channel/fetch.hpp"
#include "runtime/channel/read_slot.hpp"
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
    [[nodiscard]] static constexpr Needs sender_needs(const Parameters& parameters) noexcept {
        return {.data = parameters.slots * slot_bytes(parameters), .credit = CreditWord::kBytes};
    }
    /// For sinks that are too short for a whole slot.
    [[nodiscard]] static constexpr Needs receiver_needs(const Parameters& parameters) noexcept {
        return {.data = slot_bytes(parameters)};
    }

    template <fabric::Endpoint E>
    class Sender;
    template <fabric::Endpoint E>
    class Receiver;
};

template <fabric::Endpoint E>
class ReadSlotInlinedBell::Sender {
    static_assert(require_supported<ReadSlotInlinedBell, E>());

  public:
    explicit Sender(const Side<E>& side)
        : parameters_(validate(side.parameters)),
          slots_(*side.data, side.memory.data, sender_needs(parameters_).data),
          credit_(*side.credit, side.memory.credit, CreditWord::kBytes),
          offered_(credit_.words(), parameters_.slots) {}

    [[nodiscard]] Card card() const noexcept { return {.data = slots_.remote(), .credit = credit_.remote()}; }
    void connect(const Card&) noexcept {}
    [[nodiscard]] std::size_t max_bytes() const noexcept { return parameters_.message_bytes; }

    /// Where the next message may be built, max_bytes() of it; empty while the channel is full.
    [[nodiscard]] std::span<std::byte> next_place() noexcept {
        if (offered_.full()) return {};
        return {slots_.data() + offered_.next() % parameters_.slots * slot_bytes(parameters_), max_bytes()};
    }

    Status send(fabric::Source region, Ticket& ticket) noexcept {
        if (region.bytes > max_bytes()) return Status::invalid_argument;
        const std::span<std::byte> place = next_place();
        if (place.empty()) return Status::would_block;
        if (region.data != place.data() && region.bytes != 0)
            std::memcpy(place.data(), region.data, region.bytes);
        ring(place.data(), region.bytes);
        ticket = offered_.issue();
        return Status::ok;
    }
    Status test(Ticket ticket) noexcept { return offered_.test(ticket); }

  private:
    void ring(std::byte* place, std::size_t bytes) noexcept {
        auto& bell = *reinterpret_cast<Bell*>(place + word_aligned(max_bytes()));
        const std::uint64_t word = Bell::ring(offered_.next(), bytes);
        // Release: on a mapped peer the message is there before its bell; elsewhere the checksum tells.
        std::atomic_ref(bell.sum).store(checksum(place, bytes, word), std::memory_order_release);
        std::atomic_ref(bell.word).store(word, std::memory_order_release);
    }

    Parameters parameters_;
    Registered<E> slots_;
    Registered<E> credit_;
    Offered offered_;
};

template <fabric::Endpoint E>
class ReadSlotInlinedBell::Receiver {
    static_assert(require_supported<ReadSlotInlinedBell, E>());

  public:
    explicit Receiver(const Side<E>& side)
        : data_(side.data),
          parameters_(validate(side.parameters)),
          staging_(*side.data, side.memory.data, slot_bytes(parameters_)),
          credit_(*side.credit, 1) {}

    [[nodiscard]] static constexpr Card card() noexcept { return {}; }
    void connect(const Card& peer) noexcept {
        slots_ = peer.data;
        credit_.connect(peer.credit);
    }

    /// Bytes of a sink that is filled without a copy.
    [[nodiscard]] std::size_t fetch_bytes() const noexcept { return slot_bytes(parameters_); }

    Status receive_into(fabric::Sink sink, std::size_t& bytes) noexcept {
        credit_.progress();
        harvest();
        if (lost_) return Status::peer_lost;
        const bool direct = sink.bytes >= fetch_bytes();
        std::byte* const slot = direct ? sink.data : staging_.data();
        if (fetch_.arrived() && taken(slot, bytes)) return hand_out(slot, sink, bytes);
        if (lost_) return Status::peer_lost;
        if (fetch_.under_way()) return Status::would_block;
        const fabric::Remote place = slots_ + number_ % parameters_.slots * fetch_bytes();
        const Status status =
            fetch_.start(*data_, {slot, fetch_bytes(), direct ? sink.key : staging_.key()}, place);
        lost_ = status != Status::ok && status != Status::would_block;
        return lost_ ? Status::peer_lost : Status::would_block;
    }

  private:
    /// Whether what was fetched is the next message, all of it.
    [[nodiscard]] bool taken(const std::byte* slot, std::size_t& bytes) noexcept {
        Bell bell{};
        std::memcpy(&bell, slot + word_aligned(parameters_.message_bytes), sizeof bell);
        if (bell.word != Bell::ring(number_, bell.length())) return false;
        // The peer wrote the length.
        lost_ = bell.length() > parameters_.message_bytes;
        if (lost_ || bell.sum != checksum(slot, bell.length(), bell.word)) return false;
        bytes = bell.length();
        return true;
    }

    Status hand_out(const std::byte* slot, fabric::Sink sink, std::size_t bytes) noexcept {
        const std::size_t fits = std::min(bytes, sink.bytes);
        if (slot != sink.data && fits != 0) std::memcpy(sink.data, slot, fits);
        credit_.freed(1, ++number_);
        return fits < bytes ? Status::truncated : Status::ok;
    }

    void harvest() noexcept {
        fabric::harvest_completions(*data_, [this](const fabric::Completion& done) {
            if (done.status != Status::ok) lost_ = true;
            static_cast<void>(fetch_.take(done));
        });
        lost_ = lost_ || credit_.lost();
    }

    E* data_;
    Parameters parameters_;
    Registered<E> staging_;
    fabric::Remote slots_{};
    CreditReturn<E> credit_;
    Fetch fetch_{1};
    std::uint64_t number_ = 0;  ///< of the next message
    bool lost_ = false;
};

}  // namespace rb2::channel
