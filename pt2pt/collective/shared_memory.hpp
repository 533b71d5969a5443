#pragma once
// What each rank of a host whose ranks share CPUs keeps in its segment for collectives: it writes, the others
// read. Zeroed memory is ready to use. Wire format: docs/wire.md.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "pt2pt/collective/immediate.hpp"

namespace rb2::collective {

/// Room for longer data, which readers give back. For all communicators.
class SharedBanks {
  public:
    static constexpr std::uint32_t kBanks = 2;
    static constexpr std::size_t kBankBytes = 64U << 10;

    /// Owner: a bank that nobody reads any more. `readers` will release() it, each once.
    [[nodiscard]] std::optional<std::uint32_t> claim(std::uint32_t readers) noexcept {
        for (std::uint32_t bank = 0; bank < kBanks; ++bank) {
            // Acquire: the readers are done with it.
            if (counts_.at(bank).unread.load(std::memory_order_acquire) != 0) continue;
            // Relaxed: a message, or the rank's arrival on its board, tells the readers.
            counts_.at(bank).unread.store(readers, std::memory_order_relaxed);
            return bank;
        }
        return std::nullopt;
    }
    /// Reader: has copied what it wants.
    void release(std::uint32_t bank) noexcept {
        counts_.at(bank).unread.fetch_sub(1, std::memory_order_release);
    }
    [[nodiscard]] MutableBytes bytes(std::uint32_t bank) noexcept { return banks_.at(bank); }

  private:
    struct alignas(128) Count {
        std::atomic<std::uint32_t> unread;
    };
    std::array<Count, kBanks> counts_;
    alignas(4096) std::array<std::array<std::byte, kBankBytes>, kBanks> banks_;
};
static_assert(sizeof(SharedBanks) == 4096 + SharedBanks::kBanks * SharedBanks::kBankBytes);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

/// How far the rank has come in the calls that meet here, and what it contributes to them. Each communicator
/// has a place of its own.
class SharedBoard {
  public:
    /// Communicators with places from here on send messages. A place is not used again: somebody who is late
    /// may still look there for what the ranks of a communicator did last.
    static constexpr std::uint32_t kPlaces = 32;
    static constexpr std::uint32_t kNoBank = ~0U;       ///< none was free
    static constexpr std::uint32_t kOnBoard = ~0U - 1;  ///< none is needed

    /// To one meeting, in one line if short.
    struct alignas(128) Contribution {
        std::atomic<std::uint32_t> number;  ///< of the meeting, once the rank has come
        std::uint32_t bank;                 ///< where the data are, or one of the above
        std::uint64_t bytes;                ///< of this piece of the data and all behind it
        std::array<std::byte, 1008> data;
    };

    /// Number of the rank's last meeting; 0: there was none.
    [[nodiscard]] std::uint32_t last(std::uint32_t place) const noexcept {
        const auto& [even, odd] = contributions_.at(place);
        // Relaxed: asked by the owner, who wrote both. Numbers wrap around.
        const std::uint32_t a = even.number.load(std::memory_order_relaxed);
        const std::uint32_t b = odd.number.load(std::memory_order_relaxed);
        return static_cast<std::int32_t>(a - b) > 0 ? a : b;
    }
    /// To meeting `number`. Its owner may write it again for the meeting after the next: when all have come
    /// to the next, nobody reads this one any more.
    [[nodiscard]] Contribution& contribution(std::uint32_t place, std::uint32_t number) noexcept {
        return contributions_.at(place).at(number % 2);
    }

  private:
    std::array<std::array<Contribution, 2>, kPlaces> contributions_;
};
static_assert(sizeof(SharedBoard::Contribution) == 1024 && offsetof(SharedBoard::Contribution, data) == 16);

struct SharedMemory {
    SharedBanks banks;
    SharedBoard board;
};
static_assert(sizeof(SharedMemory) % 4096 == 0);

/// That of a rank of the communicator; null: there is none.
[[nodiscard]] inline SharedMemory* shared_memory(const Immediate& steps, int rank) noexcept {
    const MutableBytes memory = steps.shared_memory(rank);
    return memory.empty() ? nullptr : reinterpret_cast<SharedMemory*>(memory.data());
}

}  // namespace rb2::collective
