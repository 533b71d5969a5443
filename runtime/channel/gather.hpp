#pragma once
// A bell appended to a message without copying it: sources of one gathered write.

#include <array>
#include <cstddef>
#include <span>

#include "runtime/channel/registered.hpp"
#include "runtime/channel/supported.hpp"
#include "runtime/channel/tickets.hpp"

namespace rb2::channel {

/// Data memory that BellWords need.
inline constexpr std::size_t kBellWordBytes = (kSendWindow + 2) * kWordBytes;

/// At most rules::kGathered sources, empty ones left out.
class Gather {
  public:
    void add(fabric::Source source) noexcept {
        if (source.bytes != 0) sources_[count_++] = source;
    }
    [[nodiscard]] std::span<const fabric::Source> sources() const noexcept {
        return std::span(sources_).first(count_);
    }

  private:
    std::array<fabric::Source, rules::kGathered> sources_;
    std::size_t count_ = 0;
};

/// Bytes of the sender that travel with messages: a word for each send that may be in flight, because a
/// source must not change under way, and two that never change. In the data memory of its side.
template <fabric::Endpoint E>
class BellWords {
  public:
    /// The constants are 0 and `constant`.
    explicit BellWords(const Side<E>& side, std::uint64_t constant = 0)
        : memory_(*side.data, side.memory.data, kBellWordBytes) {
        memory_.words()[kSendWindow] = 0;
        memory_.words()[kSendWindow + 1] = constant;
    }

    /// The word of `ticket`, set to `value`.
    [[nodiscard]] fabric::Source set(Ticket ticket, std::uint64_t value) noexcept {
        std::uint64_t* const word = memory_.words() + ticket % kSendWindow;
        *word = value;
        return {reinterpret_cast<const std::byte*>(word), kWordBytes, memory_.key()};
    }
    /// The last `bytes` of the constants, at most two words.
    [[nodiscard]] fabric::Source constants(std::size_t bytes) const noexcept {
        return {memory_.data() + kBellWordBytes - bytes, bytes, memory_.key()};
    }

  private:
    Registered<E> memory_;
};

}  // namespace rb2::channel
