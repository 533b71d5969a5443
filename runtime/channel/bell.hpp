#pragma once
// The word by which a receiver that polls memory sees that a message is complete.

#include <atomic>
#include <cstdint>

#include "runtime/channel/parameters.hpp"

namespace rb2::channel {

/// Never 0, which is a bell that has not rung.
struct Bell {
    std::uint32_t tag;     ///< 31 bits; what it says is the channel's: a sequence number, a lap
    std::uint32_t length;  ///< of the message, bytes

    static constexpr std::uint32_t kTagMask = ~std::uint32_t{0} >> 1;

    [[nodiscard]] static constexpr std::uint64_t pack(std::uint64_t tag, std::uint64_t length) noexcept {
        return std::uint64_t{1} << 63 | (tag & kTagMask) << 32 | length;
    }
    [[nodiscard]] static constexpr Bell unpack(std::uint64_t word) noexcept {
        return {static_cast<std::uint32_t>(word >> 32) & kTagMask, static_cast<std::uint32_t>(word)};
    }

    /// Acquire: the message, which has been written before the bell, is readable afterwards.
    [[nodiscard]] static std::uint64_t look(std::byte* place) noexcept {
        return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(place)).load(std::memory_order_acquire);
    }
    /// Relaxed: the sender learns of it by a credit, which is written with release order.
    static void clear(std::byte* place) noexcept {
        std::atomic_ref(*reinterpret_cast<std::uint64_t*>(place)).store(0, std::memory_order_relaxed);
    }
};

}  // namespace rb2::channel
