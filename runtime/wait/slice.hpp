#pragma once
// The slice of a thread: how much of its share of a CPU the scheduler gives it at a time.

#include <cstdint>

namespace rb2::wait {

/// The calling thread's; 0 where the kernel has none of a thread's own.
[[nodiscard]] std::uint64_t slice_ns() noexcept;

inline constexpr std::uint64_t kShortestSliceNs = 100'000;  ///< of the kernel's

/// Asks for the shortest slices for the calling thread and the threads and processes that it starts from now
/// on. Its share of the CPU stays the same. Linux 6.12 (EEVDF) and later; false where the kernel has no
/// slices of a thread's own, or the thread another policy than SCHED_OTHER.
///
/// What it brings where a busy program wants the same CPU: a thread that is woken has the earliest deadline
/// and goes first, and one that yields gives up 0.1 ms of its share instead of a default slice, which is
/// milliseconds that the program then keeps the CPU.
bool shorten_slice() noexcept;

}  // namespace rb2::wait
