#pragma once
// Equal buffers of a receiver, and which of them the caller holds.

#include <cstddef>
#include <cstdint>

#include "runtime/channel/parameters.hpp"

namespace rb2::channel {

/// At most kMaxSlots. The memory is not owned.
class Buffers {
  public:
    Buffers(std::byte* memory, std::uint32_t count, std::size_t stride) noexcept
        : memory_(memory), stride_(stride), count_(count) {}

    [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
    [[nodiscard]] std::size_t stride() const noexcept { return stride_; }  ///< bytes
    [[nodiscard]] std::byte* at(std::uint64_t index) const noexcept { return memory_ + index * stride_; }

    /// One bit for each buffer that the caller holds.
    [[nodiscard]] std::uint64_t held() const noexcept { return held_; }
    /// The caller gets the buffer. False when it cannot: out of range, or held already.
    [[nodiscard]] bool hold(std::uint64_t index) noexcept { return flip(index, false); }
    /// And gives it back. False when it does not hold it.
    [[nodiscard]] bool release(std::uint64_t index) noexcept { return flip(index, true); }

  private:
    [[nodiscard]] bool flip(std::uint64_t index, bool held) noexcept {
        if (index >= count_ || ((held_ >> index & 1) != 0) != held) return false;
        held_ ^= std::uint64_t{1} << index;
        return true;
    }

    std::byte* memory_;
    std::size_t stride_;
    std::uint32_t count_;
    std::uint64_t held_ = 0;
};

/// One bit for each of `count` slots, 1 to kMaxSlots.
[[nodiscard]] constexpr std::uint64_t all_slots(std::uint32_t count) noexcept {
    return ~std::uint64_t{0} >> (kMaxSlots - count);
}

}  // namespace rb2::channel
