#pragma once
// Where a rank that reads a long message out of its sender's memory asks the sender to write the second half
// of it meanwhile: two processors copy instead of one. A sender that has something else to do does not look,
// and the reader takes the half back. One board per reader, which reads one message at a time.
//
// The state is one word: whose turn it is, and a count of the questions, so that a helper cannot take one for
// another.
//
//   idle, written -> open   the reader asks
//   open -> idle            the reader takes the half back: nobody came
//   open -> taken           the helper is writing it
//   taken -> written        it is there
//   taken -> idle           it could not be written: the reader reads it by itself

#include <atomic>
#include <cstdint>
#include <optional>

namespace rb2::fabric::shm {

/// What is to be written: `bytes` at `from` in the helper's memory, to `to` in the reader's.
struct Half {
    std::uint64_t from;
    std::uint64_t to;
    std::uint64_t bytes;
};

/// In shared memory; zeroed it is idle. Wire format: docs/wire.md.
class HalvesBoard {
  public:
    /// Reader: asks the rank `helper`. Nothing may be open or taken.
    void ask(std::uint32_t helper, const Half& half) noexcept {
        helper_.store(helper, std::memory_order_relaxed);
        from_.store(half.from, std::memory_order_relaxed);
        to_.store(half.to, std::memory_order_relaxed);
        bytes_.store(half.bytes, std::memory_order_relaxed);
        asked_ += kQuestion;
        // Release: who sees the question sees what is asked.
        state_.store(asked_ | kOpen, std::memory_order_release);
    }

    /// Reader: true when nobody has taken the half, and nobody will.
    [[nodiscard]] bool take_back() noexcept {
        std::uint64_t open = asked_ | kOpen;
        return state_.compare_exchange_strong(open, asked_ | kIdle, std::memory_order_relaxed);
    }

    /// Reader: whether a half that was taken is still being written. A process that copies is in one system
    /// call, so this ends.
    [[nodiscard]] bool taken() const noexcept {
        // Acquire: what the helper did before it left happened before.
        return (state_.load(std::memory_order_acquire) & kTurn) == kTaken;
    }
    /// Reader: whether the half that is not taken() any more is there.
    [[nodiscard]] bool written() const noexcept {
        return (state_.load(std::memory_order_relaxed) & kTurn) == kWritten;
    }

    /// Helper: the half that is asked of rank `own`; it must be finished. Costs a load while nothing is
    /// asked.
    [[nodiscard]] std::optional<Half> take(std::uint32_t own) noexcept {
        std::uint64_t state = state_.load(std::memory_order_acquire);
        if ((state & kTurn) != kOpen || helper_.load(std::memory_order_relaxed) != own) return std::nullopt;
        const Half half{from_.load(std::memory_order_relaxed), to_.load(std::memory_order_relaxed),
                        bytes_.load(std::memory_order_relaxed)};
        // The same question still: so what was just read belongs to it. Acquire: as for any lock.
        const bool mine = state_.compare_exchange_strong(
            state, (state & ~kTurn) | kTaken, std::memory_order_acquire, std::memory_order_relaxed);
        return mine ? std::optional(half) : std::nullopt;
    }
    /// Helper: has written what it took, or could not.
    void finish(bool written) noexcept {
        const std::uint64_t state = state_.load(std::memory_order_relaxed);
        state_.store((state & ~kTurn) | (written ? kWritten : kIdle), std::memory_order_release);
    }

  private:
    static constexpr std::uint64_t kIdle = 0;
    static constexpr std::uint64_t kOpen = 1;
    static constexpr std::uint64_t kTaken = 2;
    static constexpr std::uint64_t kWritten = 3;
    static constexpr std::uint64_t kTurn = 3;
    static constexpr std::uint64_t kQuestion = 4;

    std::atomic<std::uint64_t> state_;
    std::atomic<std::uint64_t> from_;
    std::atomic<std::uint64_t> to_;
    std::atomic<std::uint64_t> bytes_;
    std::uint64_t asked_;  // questions so far, times kQuestion; the reader's own
    std::atomic<std::uint32_t> helper_;
};
static_assert(sizeof(HalvesBoard) == 48);

}  // namespace rb2::fabric::shm
