#pragma once
// In which batches a receiver takes a stream of small messages, and when it stops waiting for them.
// The numbers are measured: docs/experiments.md, "A stream in batches".

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace rb2::pt2pt {

class StreamPace {
  public:
    /// For a stream that is used up and not taken in batches.
    static constexpr std::chrono::nanoseconds kHeadStart{500};

    struct Batch {
        std::uint64_t records;              ///< fewer than two: not worth it
        std::uint64_t slots;                ///< of all of them
        std::uint64_t last;                 ///< slots before the last one
        std::chrono::nanoseconds patience;  ///< a sender at work on it needs less
    };
    /// The next batch of a stream of records of `each` slots, of which `awaited` have been asked for and
    /// `within_reach` slots can be filled before any is taken.
    [[nodiscard]] static Batch batch(std::uint64_t each, std::uint64_t awaited,
                                     std::uint64_t within_reach) noexcept {
        const std::uint64_t slots = each < kLong ? kSlots : each <= kLongest ? kLongSlots : 0;
        const std::uint64_t records = std::min({awaited, slots / each, kRecords, within_reach / each});
        return {records, records * each, (records - 1) * each, records * (kOneRecord + each * kOneSlot)};
    }

    /// Whether to wait for a batch now. Not for a while once one has not come in time, and longer each time
    /// that this happens in a row.
    [[nodiscard]] bool due() noexcept {
        if (rest_ == 0) return true;
        --rest_;
        return false;
    }
    void kept() noexcept { broken_ = 0; }
    void broken() noexcept { rest_ = kRest << std::min(broken_++, kMostDoublings); }

  private:
    static constexpr std::uint64_t kRecords = 32;
    static constexpr std::uint64_t kSlots = 96;
    static constexpr std::uint64_t kLong = 17;        ///< slots of a record (1 KiB) from which a batch has
    static constexpr std::uint64_t kLongSlots = 264;  ///< as many
    static constexpr std::uint64_t kLongest = 65;  ///< slots of the longest record (4 KiB) taken in batches
    /// What a record and each of its slots take at most between processors far from each other.
    static constexpr std::chrono::nanoseconds kOneRecord{120};
    static constexpr std::chrono::nanoseconds kOneSlot{30};
    static constexpr std::uint32_t kRest = 64;
    static constexpr std::uint32_t kMostDoublings = 4;

    std::uint32_t rest_ = 0;    ///< times that due() still says no
    std::uint32_t broken_ = 0;  ///< batches in a row that did not come
};

}  // namespace rb2::pt2pt
