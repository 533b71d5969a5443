#pragma once

#include <cstddef>
#include <cstdint>

#include "osu-style-bench/ring/job.hpp"
#include "runtime/ring/parameters.hpp"

namespace rb2::bench::study {

/// The ring of `shape` in slots, when a message takes `message_slots` of `slot_bytes`. The count is rounded
/// up to a power of two and cut to shape.most_bytes, but not below 8; alpha, beta and gamma keep their share
/// of it, and are at least 1 and at most half of it.
rb2::ring::Parameters slots_of(const RingShape& shape, std::uint64_t message_slots, std::size_t slot_bytes);

/// How a message of `bytes` becomes records of at most `most` bytes.
class Cut {
  public:
    Cut(std::size_t bytes, std::size_t most) noexcept : bytes_(bytes), most_(most) {}
    [[nodiscard]] std::uint64_t records() const noexcept { return (bytes_ + most_ - 1) / most_; }
    [[nodiscard]] std::uint32_t size_of(std::uint64_t record) const noexcept {
        const std::size_t rest = bytes_ - record * most_;
        return static_cast<std::uint32_t>(rest < most_ ? rest : most_);
    }

  private:
    std::size_t bytes_;
    std::size_t most_;
};

}  // namespace rb2::bench::study
