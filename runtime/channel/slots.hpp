#pragma once
// What the write slot channels share: the receiver's slots, how a message tells that it is in one, and how a
// sender learns which are free. Protocols paper, section 4.2.

#include <bit>
#include <cstdint>

#include "runtime/channel/bell.hpp"
#include "runtime/channel/buffers.hpp"
#include "runtime/channel/channel.hpp"
#include "runtime/channel/credit.hpp"
#include "runtime/fabric/harvest.hpp"

namespace rb2::channel {

/// Slots one behind the other, each of the longest message and maybe a bell, then maybe bells of their own.
struct SlotLayout {
    std::uint32_t slots;
    std::uint32_t message_bytes;
    std::size_t inlined_bytes;   ///< of a bell at the end of each slot, or 0
    std::size_t detached_bytes;  ///< of each slot's bell behind all slots, or 0

    [[nodiscard]] constexpr std::size_t stride() const noexcept {
        return word_aligned(message_bytes) + inlined_bytes;
    }
    [[nodiscard]] constexpr std::size_t slot(std::uint64_t index) const noexcept { return index * stride(); }
    [[nodiscard]] constexpr std::size_t bell(std::uint64_t index) const noexcept {
        return detached_bytes != 0 ? slots * stride() + index * detached_bytes
                                   : slot(index) + word_aligned(message_bytes);
    }
    /// Where a message of `length` bytes begins: one with an inlined bell ends where the bell is.
    [[nodiscard]] constexpr std::size_t message(std::uint64_t index, std::size_t length) const noexcept {
        return inlined_bytes != 0 ? bell(index) - length : slot(index);
    }
    [[nodiscard]] constexpr std::size_t bytes() const noexcept { return slots * (stride() + detached_bytes); }
};

/// A message for a slot.
struct Parcel {
    std::uint64_t slot;
    std::uint64_t sequence;  ///< of the message, from 0
    fabric::Source region;
    Ticket ticket;
};

/// A message that is in its slot.
struct Arrival {
    std::uint64_t slot;
    std::uint32_t length;  ///< as the peer wrote it
};

/// The immediate value that says that a slot is filled.
struct Notice {
    static constexpr std::uint32_t kLengthBits = 24;
    static_assert(kMaxMessageBytes < 1U << kLengthBits && kMaxSlots << kLengthBits <= 1U << 30);

    [[nodiscard]] static constexpr std::uint32_t pack(const Parcel& parcel) noexcept {
        return static_cast<std::uint32_t>(parcel.slot << kLengthBits | parcel.region.bytes);
    }
    [[nodiscard]] static constexpr Arrival unpack(std::uint32_t imm) noexcept {
        return {imm >> kLengthBits, imm & ((1U << kLengthBits) - 1)};
    }
};

/// Finds bells that have rung, in the order of the messages.
class BellPoller {
  public:
    /// The next message, if it is in one of the slots of `candidates`.
    [[nodiscard]] bool find(std::byte* memory, const SlotLayout& layout, std::uint64_t candidates,
                            Arrival& arrival) noexcept {
        for (std::uint64_t i = 0; i < layout.slots; ++i) {
            const std::uint64_t slot = (likely_ + i) % layout.slots;
            if ((candidates >> slot & 1) == 0) continue;
            const std::uint64_t word = Bell::look(memory + layout.bell(slot));
            if (word == 0 || Bell::unpack(word).tag != (next_ & Bell::kTagMask)) continue;
            ++next_;
            likely_ = slot + 1;
            arrival = {slot, Bell::unpack(word).length};
            return true;
        }
        return false;
    }

  private:
    std::uint64_t next_ = 0;    ///< sequence number of the next message
    std::uint64_t likely_ = 0;  ///< senders use slots in order unless told otherwise
};

/// Which slots a sender may fill: one bit for each in the credit word, which the receiver turns over with
/// every time that it frees the slot. The sender turns its own over when it fills it; it is free where they
/// agree.
class SlotCredits {
  public:
    SlotCredits(std::uint64_t* word, std::uint32_t slots) noexcept : word_(word), slots_(slots) {}

    [[nodiscard]] bool free(std::uint64_t slot) noexcept {
        if (slot >= slots_) return false;
        if ((busy() >> slot & 1) != 0) freed_ = word_.load();
        return (busy() >> slot & 1) == 0;
    }
    /// The next free slot in turn, or kNone.
    [[nodiscard]] std::uint64_t pick() noexcept {
        if (free(turn_)) return turn_;
        const std::uint64_t free_slots = ~busy() & all_slots(slots_);
        if (free_slots == 0) return kNone;
        const std::uint64_t behind = free_slots >> turn_ << turn_;
        return static_cast<std::uint64_t>(std::countr_zero(behind != 0 ? behind : free_slots));
    }
    void use(std::uint64_t slot) noexcept {
        used_ ^= std::uint64_t{1} << slot;
        turn_ = (slot + 1) % slots_;
    }
    static constexpr std::uint64_t kNone = kMaxSlots;

  private:
    [[nodiscard]] std::uint64_t busy() const noexcept { return used_ ^ freed_; }

    CreditWord word_;
    std::uint32_t slots_;
    std::uint64_t used_ = 0;
    std::uint64_t freed_ = 0;  ///< as last seen
    std::uint64_t turn_ = 0;
};

}  // namespace rb2::channel
