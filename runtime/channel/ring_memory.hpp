#pragma once
// The memory of a ring buffer channel and the order in which it comes back. Protocols paper, section 4.3.
//
// Differs from the paper in: the memory is not mapped twice in a row. A lap ends where a longest record might
// no longer fit, the record that reaches beyond that point is the lap's last, and the next one starts a new
// lap. Both sides know that from positions alone, so that no record is ever split and none is lost to
// padding.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/channel/parameters.hpp"

namespace rb2::channel {

/// Positions are bytes, only grow, and are multiples of 8. All memory of a lap counts, used or not.
class RingLayout {
  public:
    /// `longest`: bytes of the longest record. `overhang`: that are written behind a record, and that the
    /// next one in the lap begins with.
    constexpr RingLayout(const Parameters& parameters, std::size_t longest, std::size_t overhang) noexcept
        : lap_(parameters.ring_bytes), longest_(longest), overhang_(overhang) {}

    [[nodiscard]] constexpr std::uint64_t lap() const noexcept { return lap_; }
    [[nodiscard]] constexpr std::uint64_t overhang() const noexcept { return overhang_; }
    [[nodiscard]] constexpr std::uint64_t offset(std::uint64_t position) const noexcept {
        return position % lap_;
    }
    [[nodiscard]] constexpr std::uint64_t lap_number(std::uint64_t position) const noexcept {
        return position / lap_;
    }

    /// Where the record behind one that ends at `end` begins.
    [[nodiscard]] constexpr std::uint64_t next(std::uint64_t end) const noexcept {
        return lap_ - offset(end) >= longest_ + overhang_ ? end : (end / lap_ + 1) * lap_;
    }
    /// The room rule: whether a record at `position` overwrites nothing that has not been freed. All before
    /// `freed` has.
    [[nodiscard]] constexpr bool has_room(std::uint64_t position, std::uint64_t bytes,
                                          std::uint64_t freed) const noexcept {
        return position + bytes + overhang_ - freed <= lap_;
    }
    /// Whether a record that the peer names can be one.
    [[nodiscard]] constexpr bool plausible(std::uint64_t position, std::uint64_t bytes) const noexcept {
        return bytes <= longest_ && position % kWordBytes == 0 &&
               offset(position) + bytes + overhang_ <= lap_;
    }
    /// Freed bytes after which a credit goes: a share of the lap, but never so much that the longest record
    /// finds no room in what the sender knows of.
    [[nodiscard]] constexpr std::uint64_t credit_share(const Parameters& parameters) const noexcept {
        const std::uint64_t most = lap_ - longest_ - overhang_;
        return std::clamp<std::uint64_t>(lap_ / parameters.credits_per_lap, 1,
                                         std::max<std::uint64_t>(most, 1));
    }

  private:
    std::uint64_t lap_;
    std::uint64_t longest_;
    std::uint64_t overhang_;
};

/// The records of a ring that the receiver's caller holds, in any order; the memory is free up to the oldest
/// of them. Process-local.
class RingRecords {
  public:
    explicit RingRecords(const RingLayout& layout) : layout_(layout), records_(layout.lap() / kWordBytes) {}

    /// All before this position is free.
    [[nodiscard]] std::uint64_t freed() const noexcept { return freed_; }

    /// The caller gets the record. False when it holds that place already, or it is not in the ring.
    [[nodiscard]] bool hold(std::uint64_t position, std::uint64_t bytes) noexcept {
        Record& record = at(position);
        if (position - freed_ >= layout_.lap() || record.state != State::none) return false;
        record = {static_cast<std::uint32_t>(bytes), State::held};
        return true;
    }

    /// Bytes of the record that the caller holds at `position`; 0 when it holds none.
    [[nodiscard]] std::uint64_t held(std::uint64_t position) const noexcept {
        if (position % kWordBytes != 0 || position - freed_ >= layout_.lap()) return 0;
        const Record& record = records_[layout_.offset(position) / kWordBytes];
        return record.state == State::held ? record.bytes : 0;
    }

    /// The caller gives a held record back. Returns by how many bytes freed() has moved.
    std::uint64_t free(std::uint64_t position) noexcept {
        at(position).state = State::freed;
        const std::uint64_t before = freed_;
        while (at(freed_).state == State::freed) {
            Record& oldest = at(freed_);
            oldest.state = State::none;
            freed_ = layout_.next(freed_ + oldest.bytes);
        }
        return freed_ - before;
    }

  private:
    enum class State : std::uint8_t { none, held, freed };
    struct Record {
        std::uint32_t bytes = 0;
        State state = State::none;
    };
    [[nodiscard]] Record& at(std::uint64_t position) noexcept {
        return records_[layout_.offset(position) / kWordBytes];
    }

    RingLayout layout_;
    std::vector<Record> records_;  ///< one for each word that a record may begin at
    std::uint64_t freed_ = 0;
};

}  // namespace rb2::channel
