#pragma once
// Anonymous pages for tests, and the mode under test.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/memory/registration/cache.hpp"

namespace rb2::memory::registration::test {

/// What the cache is tested with: by default userfaultfd; the runs with librb2_hooks.so preloaded say
/// "interposed".
inline Mode mode_under_test() {
    const char* text = std::getenv("RB2_TEST_REGISTRATION");
    return text != nullptr && std::string(text) == "interposed" ? Mode::interposed : Mode::userfaultfd;
}

/// Why the mode cannot be tested here; empty when it can.
inline std::string mode_missing() {
    class None final : public Registrar {
        Status add(std::span<const std::byte>, Access, Registration&) noexcept override {
            return Status::out_of_memory;
        }
        void remove(const Registration&) noexcept override {}
    } none;
    try {
        const Cache cache(none, {.mode = mode_under_test()});
    } catch (const StartupError& error) {
        return error.what();
    }
    return {};
}

/// Fixture base: skips where the kernel refuses.
class WithMode : public ::testing::Test {
  protected:
    void SetUp() override {
        if (const std::string why = mode_missing(); !why.empty()) GTEST_SKIP() << why;
    }
};

/// Addresses that nobody else is given: the kernel and the sanitizers' allocators fill holes elsewhere, and a
/// test must be able to unmap pages and get the same ones again.
inline void* own_addresses(std::size_t pages) {
    static std::uintptr_t next = 0x7e90'0000'0000;  // application memory to ASan and TSan too
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    return reinterpret_cast<void*>(std::exchange(next, next + (pages + 16) * kPageBytes));
}

/// At `at`, else at addresses of our own. nullptr when that cannot be had.
inline std::byte* map_pages(std::size_t count, void* at = nullptr) {
    if (at == nullptr) at = own_addresses(count);
    void* start = ::mmap(at, count * kPageBytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    return start == MAP_FAILED ? nullptr : static_cast<std::byte*>(start);
}

inline void unmap_pages(std::byte* start, std::size_t count) { ::munmap(start, count * kPageBytes); }

inline std::span<const std::byte> pages_at(const std::byte* start, std::size_t count) {
    return {start, count * kPageBytes};
}

}  // namespace rb2::memory::registration::test
