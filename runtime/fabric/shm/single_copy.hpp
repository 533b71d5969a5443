#pragma once
// Reading another process's memory with one copy, by the kernel (process_vm_readv): no room in a ring, no
// second copy, no work for the sender. Or the sender writes one half (process_vm_writev) while the reader
// reads the other. Needs permission to trace the peer, which containers and Yama often refuse: then the
// caller falls back to the ring, quietly (docs/tuning.md).

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/fabric/shm/halves_board.hpp"

namespace rb2::fabric::shm {

/// Lets the other ranks read this process's memory where the Yama policy asks for it. No effect elsewhere.
void permit_single_copy() noexcept;

/// What this process reads from one peer, and writes to it.
class SingleCopy {
  public:
    SingleCopy() = default;
    /// `peer` is the peer's process id as seen here; same pid namespace only, else it would name a stranger.
    explicit SingleCopy(pid_t peer) noexcept : peer_(peer) {}

    /// Fills `to` from the peer's memory at `address`. False when the kernel refuses or stops half way: then
    /// `to` is unspecified, and the first refusal is remembered so that no call is wasted on the next.
    [[nodiscard]] bool read(std::span<std::byte> to, std::uint64_t address) noexcept;

    /// The same, where the peer, which is rank `helper`, may write the second half: `board` is this process's
    /// own, on which the peer looks with help().
    [[nodiscard]] bool read_in_halves(std::span<std::byte> to, std::uint64_t address, HalvesBoard& board,
                                      std::uint32_t helper) noexcept;

    /// Writes the half that the peer asks of this process, rank `own`, on its `board`. True if it asked for
    /// one.
    bool help(HalvesBoard& board, std::uint32_t own) const noexcept;

    [[nodiscard]] bool usable() const noexcept { return peer_ != 0; }

  private:
    pid_t peer_ = 0;  ///< 0: refused, or never possible
};

}  // namespace rb2::fabric::shm
