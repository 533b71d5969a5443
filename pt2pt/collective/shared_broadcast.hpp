#pragma once
// Broadcast through memory that all ranks of a host share: the root copies its data there once and goes on,
// the others copy them out when their turn comes.
//
// R. Graham, G. Shipman, "MPI Support for Multi-core Architectures: Optimized Shared Memory Collectives",
// EuroPVM/MPI 2008: the fan-out over banks of shared buffers. Two copies instead of one, but a bank stays in
// the caches, no rank enters the kernel to read another's memory, and the root waits for nobody. Differs from
// the paper in: messages tell the readers, so that they wait as for anything else; and a root whose banks are
// all still being read does not wait for one, but sends messages. So it cannot run ahead for long.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "pt2pt/collective/immediate.hpp"
#include "pt2pt/collective/shared_memory.hpp"
#include "pt2pt/collective/tree.hpp"

namespace rb2::collective {

/// Below, a message to each rank costs as little as one that tells of the data.
constexpr std::size_t kSharedFrom = 256;

/// The banks of the root when the broadcast goes through them. All ranks come to the same answer.
[[nodiscard]] inline SharedBanks* banks_for(const Immediate& steps, std::size_t bytes, int root) noexcept {
    if (bytes < kSharedFrom || !Tree(steps, root).flat()) return nullptr;
    SharedMemory* const memory = shared_memory(steps, root);
    return memory != nullptr ? &memory->banks : nullptr;
}

/// What the root tells the readers of the next piece of the data.
struct Notice {
    static constexpr std::uint32_t kNoBank = ~0U;  ///< the piece is all the rest, and follows as a message
    std::uint32_t bank = kNoBank;
    std::uint32_t bytes = 0;  ///< in the bank
};

/// The root's side: as much as the free banks take, and the rest as a message.
inline void show(Immediate& steps, SharedBanks& banks, Bytes data, const Tree& tree) {
    while (!data.empty()) {
        const auto bank = banks.claim(static_cast<std::uint32_t>(steps.size() - 1));
        const Bytes piece = bank ? data.first(std::min(data.size(), SharedBanks::kBankBytes)) : data;
        Notice notice;
        if (bank) {
            notice = {*bank, static_cast<std::uint32_t>(piece.size())};
            std::memcpy(banks.bytes(*bank).data(), piece.data(), piece.size());
        }
        tree.for_each_child([&](int child) {
            steps.send(std::as_bytes(std::span(&notice, 1)), child);
            if (!bank) steps.send(piece, child);
        });
        steps.wait();
        data = data.subspan(piece.size());
    }
}

/// The others'.
inline void look(Immediate& steps, SharedBanks& banks, MutableBytes data, int root) {
    while (!data.empty()) {
        Notice notice;
        steps.receive(std::as_writable_bytes(std::span(&notice, 1)), root);
        steps.wait();
        if (!steps.good()) return;  // the root has another size: it sent something else
        if (notice.bank >= SharedBanks::kBanks) return steps.receive(data, root);
        const std::size_t bytes = std::min<std::size_t>(notice.bytes, data.size());
        std::memcpy(data.data(), banks.bytes(notice.bank).data(), bytes);
        banks.release(notice.bank);
        if (notice.bytes > bytes) steps.fail(Status::truncated);
        data = data.subspan(bytes);
    }
}

}  // namespace rb2::collective
