#pragma once
// Which peers have made rings to a rank that does not know them yet: in the rank's segment, one bit for each
// rank of the node. While nobody is new, looking costs the owner one load of a line that nobody writes.
// Zeroed memory has no callers. Wire format: docs/wire.md.

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace rb2::mesh {

class Callers {
  public:
    static constexpr std::uint32_t kMost = 448 * 64;  ///< places of a node

    /// Peer side: the rings with `place` are there, zeroed. Several peers may call at once; a second call of
    /// the same one does no harm.
    void add(std::uint32_t place) noexcept {
        // Release, both: who sees the word sees the bit, and who sees the bit sees memory for the rings.
        bits_[place / 64].fetch_or(std::uint64_t{1} << place % 64, std::memory_order_release);
        any_.store(1, std::memory_order_release);
    }

    /// Owner side.
    [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed) != 0; }

    /// Owner side: takes all callers out, those among the first `places`, and hands each to `meet`.
    template <class Meet>
    void take(std::uint32_t places, Meet&& meet) {
        // The word first: a bit set behind the owner's back sets it again.
        any_.exchange(0, std::memory_order_acq_rel);
        for (std::uint32_t word = 0; word * 64 < places; ++word) {
            if (bits_[word].load(std::memory_order_relaxed) == 0) continue;
            for (std::uint64_t bits = bits_[word].exchange(0, std::memory_order_acquire); bits != 0;
                 bits &= bits - 1)
                meet(word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
        }
    }

  private:
    alignas(128) std::atomic<std::uint32_t> any_{0};
    alignas(128) std::array<std::atomic<std::uint64_t>, kMost / 64> bits_{};
};
static_assert(sizeof(Callers) == 128 + 3584 && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace rb2::mesh
