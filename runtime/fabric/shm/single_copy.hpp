#pragma once
// Reading another process's memory with one copy, by the kernel (process_vm_readv): no room in a ring, no
// second copy, no work for the sender. Needs permission to trace the peer, which containers and Yama often
// refuse: then the caller falls back to the ring, quietly (docs/tuning.md).

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace rb2::fabric::shm {

/// Lets the other ranks read this process's memory where the Yama policy asks for it. No effect elsewhere.
void permit_single_copy() noexcept;

/// One direction: what this process reads from one peer.
class SingleCopy {
  public:
    SingleCopy() = default;
    /// `peer` is the peer's process id as seen here; same pid namespace only, else it would name a stranger.
    explicit SingleCopy(pid_t peer) noexcept : peer_(peer) {}

    /// Fills `to` from the peer's memory at `address`. False when the kernel refuses or stops half way: then
    /// `to` is unspecified, and the first refusal is remembered so that no call is wasted on the next.
    [[nodiscard]] bool read(std::span<std::byte> to, std::uint64_t address) noexcept;

    [[nodiscard]] bool usable() const noexcept { return peer_ != 0; }

  private:
    pid_t peer_ = 0;  ///< 0: refused, or never possible
};

}  // namespace rb2::fabric::shm
