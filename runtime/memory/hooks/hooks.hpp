#pragma once
// What librb2_hooks.so, preloaded, offers to the registration cache: it stands before the C library's calls
// that change the address space and says so first. Found by name (dlsym): either side may be absent.
//
// free() and realloc() are among them because the C library unmaps, trims and discards memory inside of them
// by calls of its own that nobody can stand before. Once a block is freed its pages may go at any time; while
// it is not, they stay.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rb2::memory::hooks {

/// Told BEFORE the call happens, in the thread that makes it.
struct Listener {
    void (*pages_changed)(std::uintptr_t begin, std::uintptr_t end);
    void (*block_freed)(std::uintptr_t begin, std::uintptr_t end);
    void (*everything_changed)();
};

/// One function that the library stands before, and where.
struct Hook {
    const char* name;
    void* function;
};

struct Interface {
    std::uint32_t version;  ///< kVersion, else not to be used
    std::uint32_t hook_count;
    const Hook* hooks;
    std::atomic<const Listener*> listener;  ///< nullptr: every call goes straight through
    // Only frees of blocks of at least `least_bytes` that reach into [begin, end) are told.
    std::atomic<std::uintptr_t> begin;
    std::atomic<std::uintptr_t> end;
    std::atomic<std::size_t> least_bytes;
};

inline constexpr std::uint32_t kVersion = 1;
inline constexpr const char* kSymbol = "rb2_hooks_interface";

}  // namespace rb2::memory::hooks
