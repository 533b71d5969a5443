#pragma once
// How a sender learns what memory its receiver has freed: one word in the sender's memory that the receiver
// writes over the credit endpoint. What the word says is the channel's: a count, a position, a bit for each
// slot. It always says all there is to say, so that one word may replace another.
//
// This is the explicit second channel that section 3 of the protocols paper asks of every data channel, and
// it is amortised: a word goes only when a share of the memory is free.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/channel/channel.hpp"
#include "runtime/fabric/harvest.hpp"

namespace rb2::channel {

/// The sender's half, in the credit memory of its side.
class CreditWord {
  public:
    static constexpr std::size_t kBytes = kMemoryAlignment;  ///< a line of its own

    explicit CreditWord(std::uint64_t* word) noexcept : word_(word) {}

    /// Acquire: the receiver is done with the memory that the word gives back.
    [[nodiscard]] std::uint64_t load() const noexcept {
        return std::atomic_ref(*word_).load(std::memory_order_acquire);
    }

  private:
    std::uint64_t* word_;
};

/// The receiver's half.
template <fabric::Endpoint E>
class CreditReturn {
    static_assert(E::kCapabilities.inline_bytes >= kWordBytes,
                  "the word changes while a write of it may be in flight");

  public:
    /// A word goes when `share` units have been freed, at least 1.
    CreditReturn(E& endpoint, std::uint64_t share) noexcept : endpoint_(&endpoint), share_(share) {}
    void connect(fabric::Remote word) noexcept { place_ = word; }

    /// `units` more are free, and the word is `word` now.
    void freed(std::uint64_t units, std::uint64_t word) noexcept {
        word_ = word;
        unreported_ += units;
        progress();
    }

    /// Sends the word if it is due and the endpoint takes it. Every receive() calls this.
    void progress() noexcept {
        if (unreported_ < share_) return;
        if (in_flight_) settle();
        if (!in_flight_) push();
    }

    [[nodiscard]] bool lost() const noexcept { return lost_; }

  private:
    /// Where a later write may land before an earlier one, only one word is under way at a time: an old one
    /// must not replace a newer.
    static constexpr bool kOneAtATime = !E::kCapabilities.ordered_messages;
    static constexpr fabric::Signal kSignal{kOneAtATime ? 1U : 0U};

    void push() noexcept {
        const fabric::Source source{reinterpret_cast<const std::byte*>(&word_), sizeof word_};
        const Status status = endpoint_->write(source, place_, kSignal);
        lost_ = lost_ || (status != Status::ok && status != Status::would_block);
        if (status != Status::ok) return;
        unreported_ = 0;
        in_flight_ = kOneAtATime;
        lost_ = lost_ || endpoint_->flush() != Status::ok;
    }

    void settle() noexcept {
        fabric::harvest_completions(*endpoint_, [this](const fabric::Completion& done) {
            in_flight_ = false;
            lost_ = lost_ || done.status != Status::ok;
        });
    }

    E* endpoint_;
    fabric::Remote place_{};
    std::uint64_t share_;
    std::uint64_t word_ = 0;
    std::uint64_t unreported_ = 0;  ///< units
    bool in_flight_ = false;
    bool lost_ = false;
};

/// The share of `total` units after which a credit goes.
[[nodiscard]] constexpr std::uint64_t credit_share(std::uint64_t total,
                                                   const Parameters& parameters) noexcept {
    const std::uint64_t share = total / parameters.credits_per_lap;
    return share == 0 ? 1 : share;
}

}  // namespace rb2::channel
