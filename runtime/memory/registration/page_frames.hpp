#pragma once
// Which physical pages lie behind a range: what the debug mode of the cache compares.

#include <cstdint>
#include <span>

#include "runtime/memory/registration/range.hpp"

namespace rb2::memory::registration {

/// Fills `frames`, one per page of `pages`, with page frame numbers (/proc/self/pagemap); 0 for a page that
/// is not there. False when they cannot be read. Allocates nothing.
bool read_page_frames(Range pages, std::span<std::uint64_t> frames) noexcept;

/// Whether page frame numbers are shown to this process: needs CAP_SYS_ADMIN.
[[nodiscard]] bool page_frames_readable() noexcept;

}  // namespace rb2::memory::registration
