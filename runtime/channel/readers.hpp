#pragma once
// The receivers that READ the same memory of one sender: a place is free again once the slowest has read it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/channel/credit.hpp"

namespace rb2::channel {

/// Each receiver's credit word is how many messages it has read.
class Readers {
  public:
    static constexpr std::size_t kMost = 64;

    /// A receiver that gets all messages. Throws StartupError above kMost, or when `sent` messages are gone.
    void attach(std::uint64_t* read, std::uint64_t sent);

    /// Messages that every receiver has read, of `sent`.
    [[nodiscard]] std::uint64_t slowest(std::uint64_t sent) noexcept {
        std::uint64_t least = sent;
        for (std::size_t i = 0; i < count_; ++i) {
            const std::uint64_t seen = CreditWord(words_[i]).load();
            // More than were sent cannot come from a sound receiver and is ignored.
            if (seen - read_[i] <= sent - read_[i]) read_[i] = seen;
            least = std::min(least, read_[i]);
        }
        return least;
    }

  private:
    std::array<std::uint64_t*, kMost> words_{};
    std::array<std::uint64_t, kMost> read_{};  ///< as last seen
    std::size_t count_ = 0;
};

}  // namespace rb2::channel
