#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "osu-style-bench/engine/pattern.hpp"
#include "osu-style-bench/ring/job.hpp"

namespace rb2::bench::study {

/// Records whose bytes tell their number: write() fills one, right() says whether one is as it was sent.
class Contents {
  public:
    explicit Contents(Check check) noexcept : check_(check) {}

    void write(std::span<std::byte> record, std::uint64_t number) const noexcept {
        if (check_ == Check::all) {
            fill_pattern(record, pattern_seed(0, number));
        } else if (check_ == Check::stamps) {
            stamp(record, number);
        }
    }
    [[nodiscard]] bool right(std::span<const std::byte> record, std::uint64_t number) const noexcept {
        if (check_ == Check::all) return !find_mismatch(record, pattern_seed(0, number));
        return check_ == Check::none || stamped(record, number);
    }

  private:
    static constexpr std::size_t kWord = sizeof(std::uint64_t);

    /// The first and the last word; a record too short for both has the first only, or none.
    static void stamp(std::span<std::byte> record, std::uint64_t number) noexcept {
        if (record.size() >= kWord) std::memcpy(record.data(), &number, kWord);
        if (record.size() >= 2 * kWord) std::memcpy(&record.back() + 1 - kWord, &number, kWord);
    }
    [[nodiscard]] static bool stamped(std::span<const std::byte> record, std::uint64_t number) noexcept {
        const bool first = record.size() < kWord || std::memcmp(record.data(), &number, kWord) == 0;
        return first &&
               (record.size() < 2 * kWord || std::memcmp(&record.back() + 1 - kWord, &number, kWord) == 0);
    }

    Check check_;
};

}  // namespace rb2::bench::study
