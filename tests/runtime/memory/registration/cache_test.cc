// What is found, what makes room, what ends when memory changes, what happens when the device says no.

#include "runtime/memory/registration/cache.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

#include "tests/runtime/child_process.hpp"
#include "tests/runtime/memory/registration/counting_registrar.hpp"
#include "tests/runtime/memory/registration/pages.hpp"

namespace rb2::memory::registration::test {
namespace {

constexpr Access kReceive = Access::local_write | Access::remote_write;

class CacheTest : public WithMode {
  protected:
    /// Takes a lease and ends it.
    static Status use(Cache& cache, std::span<const std::byte> memory, Access access = Access::local_read) {
        Lease lease;
        return cache.acquire(memory, access, lease);
    }
    [[nodiscard]] static Options options(std::uint64_t bytes = 0, std::uint32_t count = 0) {
        return {.mode = mode_under_test(), .most_bytes = bytes, .most_count = count};
    }

    CountingRegistrar registrar;
};

TEST_F(CacheTest, MemoryUsedAgainIsRegisteredOnce) {
    std::byte* const memory = map_pages(8);
    {
        Cache cache(registrar, options());
        for (int i = 0; i < 10; ++i) ASSERT_EQ(use(cache, {memory + 100, 20'000}), Status::ok);
        ASSERT_EQ(use(cache, {memory + 200, 50}), Status::ok) << "a part of it";
        EXPECT_EQ(registrar.calls, 1U);
        EXPECT_EQ(cache.statistics().hits, 10U);
        EXPECT_EQ(cache.statistics().bytes_now, 5 * kPageBytes);
    }
    EXPECT_EQ(registrar.live_count(), 0U);
    EXPECT_EQ(registrar.unknown_removals, 0U);
    unmap_pages(memory, 8);
}

TEST_F(CacheTest, AccessIsPartOfTheKey) {
    std::byte* const memory = map_pages(4);
    Cache cache(registrar, options());
    ASSERT_EQ(use(cache, pages_at(memory, 4), Access::local_read), Status::ok);
    ASSERT_EQ(use(cache, pages_at(memory, 4), kReceive), Status::ok);
    EXPECT_EQ(registrar.calls, 2U) << "what may be read may not be written";
    EXPECT_EQ(registrar.live_count(), 1U) << "the one with more rights serves both";
    ASSERT_EQ(use(cache, pages_at(memory, 4), Access::local_read), Status::ok);
    EXPECT_EQ(registrar.calls, 2U);
    unmap_pages(memory, 4);
}

TEST_F(CacheTest, NothingAndRefusedMemoryAreErrorsOfTheOperationOnly) {
    std::byte* const memory = map_pages(1);
    Cache cache(registrar, options());
    EXPECT_EQ(use(cache, {}), Status::invalid_argument);
    registrar.fail_every = 1;
    registrar.failure = Status::invalid_argument;
    EXPECT_EQ(use(cache, pages_at(memory, 1)), Status::invalid_argument);
    registrar.fail_every = 0;
    EXPECT_EQ(use(cache, pages_at(memory, 1)), Status::ok);
    unmap_pages(memory, 1);
}

TEST_F(CacheTest, TheLeastRecentlyUsedMakesRoom) {
    std::byte* const memory = map_pages(8);
    Cache cache(registrar, options(0, 3));
    const auto page = [&](std::size_t i) { return pages_at(memory + 2 * i * kPageBytes, 1); };
    for (const std::size_t i : {0U, 1U, 2U, 0U, 3U}) ASSERT_EQ(use(cache, page(i)), Status::ok);
    EXPECT_EQ(registrar.live_count(), 3U);
    EXPECT_EQ(cache.statistics().evicted, 1U);
    ASSERT_EQ(use(cache, page(0)), Status::ok);
    EXPECT_EQ(registrar.calls, 4U) << "0 was used after 1, so 1 had to go";
    ASSERT_EQ(use(cache, page(1)), Status::ok);
    EXPECT_EQ(registrar.calls, 5U);
    unmap_pages(memory, 8);
}

TEST_F(CacheTest, BytesAreBoundedAndWhatIsLargerThanAllIsNotKept) {
    std::byte* const memory = map_pages(40);
    Cache cache(registrar, options(16 * kPageBytes));
    for (std::size_t i = 0; i < 8; ++i) {
        ASSERT_EQ(use(cache, pages_at(memory + 4 * i * kPageBytes, 4)), Status::ok);
        ASSERT_LE(cache.statistics().bytes_now, 16 * kPageBytes);
    }
    ASSERT_EQ(use(cache, pages_at(memory, 40)), Status::ok);
    EXPECT_EQ(cache.statistics().uncached, 1U);
    EXPECT_EQ(cache.statistics().bytes_now, 16 * kPageBytes) << "and nothing was evicted for it";
    unmap_pages(memory, 40);
}

TEST_F(CacheTest, WhatIsInUseIsNotEvicted) {
    std::byte* const memory = map_pages(8);
    Cache cache(registrar, options(0, 2));
    std::vector<Lease> held(4);
    for (std::size_t i = 0; i < held.size(); ++i)
        ASSERT_EQ(cache.acquire(pages_at(memory + 2 * i * kPageBytes, 1), Access::local_read, held[i]),
                  Status::ok);
    for (const Lease& lease : held) EXPECT_TRUE(registrar.is_live(lease.local_key()));
    held.clear();
    EXPECT_EQ(registrar.live_count(), 2U) << "those beyond the cap ended with their leases";
    unmap_pages(memory, 8);
}

/// (first page, pages) of what is unmapped from under an entry of pages 2..5 of 8.
struct Hole {
    std::size_t first, count;
};

TEST_F(CacheTest, AnyOverlapWithUnmappedMemoryEndsAnEntry) {
    for (const Hole hole : {Hole{1, 2}, Hole{5, 2}, Hole{3, 2}, Hole{2, 4}, Hole{0, 8}}) {
        for (const bool in_use : {false, true}) {
            std::byte* const memory = map_pages(8);
            Cache cache(registrar, options());
            const auto inner = pages_at(memory + 2 * kPageBytes, 4);
            Lease lease;
            ASSERT_EQ(cache.acquire(inner, Access::local_read, lease), Status::ok);
            const std::uint32_t key = lease.local_key();
            if (!in_use) lease.release();
            unmap_pages(memory + hole.first * kPageBytes, hole.count);
            std::byte* const back =
                map_pages(hole.count, memory + hole.first * kPageBytes);  // at the same address
            ASSERT_NE(back, nullptr);
            EXPECT_EQ(registrar.is_live(key) && in_use, in_use) << "a device may still use it";
            Lease again;
            ASSERT_EQ(cache.acquire(inner, Access::local_read, again), Status::ok);
            EXPECT_NE(again.local_key(), key) << "pages " << hole.first << "+" << hole.count;
            EXPECT_EQ(cache.statistics().invalidated, 1U);
            lease.release();
            EXPECT_TRUE(registrar.is_live(again.local_key()));
            again.release();
            unmap_pages(memory, 8);
        }
    }
    EXPECT_EQ(registrar.live_count(), 0U);
}

TEST_F(CacheTest, NeighboursOfUnmappedMemoryStay) {
    std::byte* const memory = map_pages(8);
    Cache cache(registrar, options());
    ASSERT_EQ(use(cache, pages_at(memory, 2)), Status::ok);
    ASSERT_EQ(use(cache, pages_at(memory + 4 * kPageBytes, 2)), Status::ok);
    unmap_pages(memory + 2 * kPageBytes, 2);
    unmap_pages(memory + 6 * kPageBytes, 2);
    ASSERT_EQ(use(cache, pages_at(memory, 2)), Status::ok);
    ASSERT_EQ(use(cache, pages_at(memory + 4 * kPageBytes, 2)), Status::ok);
    EXPECT_EQ(registrar.calls, 2U);
    unmap_pages(memory, 8);
}

TEST_F(CacheTest, DiscardedAndReplacedMemoryEndsAnEntry) {
    Cache cache(registrar, options());
    std::byte* const memory = map_pages(8);
    std::uint64_t registrations = 0;
    const auto expect_new = [&](const std::byte* at, const char* what) {
        ASSERT_EQ(use(cache, pages_at(at, 2)), Status::ok);
        EXPECT_EQ(registrar.calls, ++registrations) << what;
    };
    expect_new(memory, "first use");
    ::madvise(memory, 8 * kPageBytes, MADV_DONTNEED);
    expect_new(memory, "MADV_DONTNEED");
    ::madvise(memory + kPageBytes, kPageBytes, MADV_FREE);
    expect_new(memory, "MADV_FREE of a part");
    ::madvise(memory, 8 * kPageBytes, MADV_WILLNEED);
    ASSERT_EQ(use(cache, pages_at(memory, 2)), Status::ok);
    EXPECT_EQ(registrar.calls, registrations) << "harmless advice";
    ASSERT_NE(
        ::mmap(memory, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
        MAP_FAILED);
    expect_new(memory, "mapped over");
    unmap_pages(memory, 8);
}

TEST_F(CacheTest, MovedAndShrunkMemoryEndsAnEntry) {
    Cache cache(registrar, options());
    std::byte* const from = map_pages(8);
    std::byte* const target = map_pages(8);
    std::uint64_t registrations = 0;
    const auto expect_new = [&](const std::byte* at, const char* what) {
        ASSERT_EQ(use(cache, pages_at(at, 8)), Status::ok);
        EXPECT_EQ(registrar.calls, ++registrations) << what;
    };
    expect_new(from, "first use");
    expect_new(target, "first use");
    ASSERT_EQ(::mremap(from, 8 * kPageBytes, 8 * kPageBytes, MREMAP_MAYMOVE | MREMAP_FIXED, target), target);
    expect_new(target, "other memory moved to it");
    ASSERT_EQ(map_pages(8, from), from);
    expect_new(from, "new memory where it moved from");
    ASSERT_EQ(::mremap(from, 8 * kPageBytes, 7 * kPageBytes, 0), from);
    ASSERT_EQ(map_pages(1, from + 7 * kPageBytes), from + 7 * kPageBytes);
    expect_new(from, "shrunk by mremap");
    unmap_pages(from, 8);
    unmap_pages(target, 8);
}

TEST_F(CacheTest, TheEndOfTheHeapIsSeen) {
    Cache cache(registrar, options());
    auto* const end = static_cast<std::byte*>(::sbrk(0));
    const std::size_t pad = kPageBytes - reinterpret_cast<std::uintptr_t>(end) % kPageBytes;
    const std::size_t grow = pad + 8 * kPageBytes;
    unsigned registrations = 0;
    for (const bool by_brk : {false, true, false}) {
        if (::sbrk(static_cast<std::intptr_t>(grow)) != end) GTEST_SKIP() << "the heap is in use by others";
        ASSERT_EQ(use(cache, pages_at(end + pad, 4)), Status::ok);
        // Not the count of what was invalidated: another thread may get to it only when memory is next looked
        // up.
        EXPECT_EQ(registrar.calls, ++registrations) << "shrunk by " << (by_brk ? "sbrk" : "brk");
        if (by_brk) {
            ASSERT_EQ(::brk(end), 0);
        } else {
            ::sbrk(-static_cast<std::intptr_t>(grow));
        }
    }
}

TEST_F(CacheTest, FullDeviceLosesIdleEntriesFirst) {
    std::byte* const memory = map_pages(32);
    registrar.most = 4;
    Cache cache(registrar, options());
    Lease held;
    ASSERT_EQ(cache.acquire(pages_at(memory, 1), Access::local_read, held), Status::ok);
    for (std::size_t i = 1; i < 16; ++i)
        ASSERT_EQ(use(cache, pages_at(memory + 2 * i * kPageBytes, 1)), Status::ok) << i;
    EXPECT_TRUE(registrar.is_live(held.local_key()));
    std::vector<Lease> others(4);
    Status last = Status::ok;
    for (std::size_t i = 0; i < others.size(); ++i)
        last = cache.acquire(pages_at(memory + (2 * i + 20) * kPageBytes, 1), Access::local_write, others[i]);
    EXPECT_EQ(last, Status::out_of_memory) << "nothing idle is left";
    EXPECT_EQ(cache.statistics().refused, 1U);
    others.clear();
    EXPECT_EQ(use(cache, pages_at(memory + 30 * kPageBytes, 1)), Status::ok);
    held.release();
    unmap_pages(memory, 32);
}

TEST_F(CacheTest, RefusalsAtEveryKthCallLoseNothing) {
    for (std::uint64_t k = 1; k <= 5; ++k) {
        registrar.fail_every = k;
        std::byte* const memory = map_pages(64);
        std::uint64_t refused = 0;
        {
            Cache cache(registrar, options(0, 8));
            for (std::size_t i = 0; i < 500; ++i) {
                Lease lease;
                const Status status = cache.acquire(pages_at(memory + (i * 7 % 32) * 2 * kPageBytes, 1),
                                                    Access::local_read, lease);
                ASSERT_TRUE(status == Status::ok || status == Status::out_of_memory);
                ASSERT_EQ(lease.valid(), status == Status::ok);
                if (status != Status::ok) ++refused;
            }
            EXPECT_EQ(cache.statistics().refused, refused);
            EXPECT_EQ(refused == 500, k == 1) << "every " << k;
        }
        EXPECT_EQ(registrar.live_count(), 0U);
        unmap_pages(memory, 64);
    }
}

TEST_F(CacheTest, AForkedChildUnmapsFreelyAndMayNotUseTheCache) {
    std::byte* const memory = map_pages(4);
    Cache cache(registrar, options());
    Lease lease;
    ASSERT_EQ(cache.acquire(pages_at(memory, 4), Access::local_read, lease), Status::ok);
    const std::uint32_t key = lease.local_key();
    const int status = rb2::test::in_child([&] {
        unmap_pages(memory, 4);
        Lease own;
        if (cache.acquire(pages_at(memory, 4), Access::local_read, own) != Status::invalid_argument) return 1;
        lease.release();
        cache.~Cache();  // joins no threads that are not there, deregisters nothing
        return registrar.removals == 0 ? 0 : 2;
    });
    EXPECT_EQ(status, 0);
    lease.release();
    ASSERT_EQ(cache.acquire(pages_at(memory, 4), Access::local_read, lease), Status::ok);
    EXPECT_EQ(lease.local_key(), key) << "the parent's memory has not changed";
    lease.release();
    unmap_pages(memory, 4);
}

TEST_F(CacheTest, UnmappingInSeveralThreadsWhileOthersLookUp) {
    Cache cache(registrar, options(0, 16));
    std::byte* const steady = map_pages(4);
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&cache] {
            for (int i = 0; i < 300; ++i) {
                std::byte* const memory = map_pages(4);
                ASSERT_EQ(use(cache, pages_at(memory, 4)), Status::ok);
                unmap_pages(memory, 4);
            }
        });
    }
    for (int i = 0; i < 300; ++i) ASSERT_EQ(use(cache, pages_at(steady, 4)), Status::ok);
    for (std::thread& thread : threads) thread.join();
    unmap_pages(steady, 4);
    cache.clear();
    EXPECT_EQ(cache.statistics().bytes_now, 0U);
}

TEST_F(CacheTest, TheCheckFindsNothingWrong) {
    if (mode_under_test() != Mode::userfaultfd) GTEST_SKIP() << "the check chooses its watcher itself";
    std::byte* const memory = map_pages(600);
    std::unique_ptr<Cache> cache;
    try {
        cache = std::make_unique<Cache>(registrar, Options{.mode = Mode::checked});
    } catch (const StartupError& error) {
        GTEST_SKIP() << error.what();
    }
    std::memset(memory, 1, 600 * kPageBytes);
    for (int i = 0; i < 5; ++i) ASSERT_EQ(use(*cache, pages_at(memory, 600)), Status::ok);
    EXPECT_EQ(registrar.calls, 5U) << "registers every time";
    EXPECT_EQ(cache->statistics().hits, 4U);
    EXPECT_EQ(cache->statistics().stale, 0U);
    cache.reset();
    unmap_pages(memory, 600);
}

/// A shared file that is cut and grown again gets other pages, and no way of noticing sees that: the check
/// does.
TEST_F(CacheTest, TheCheckFindsWhatNobodySees) {
    if (mode_under_test() != Mode::userfaultfd) GTEST_SKIP() << "the check chooses its watcher itself";
    const int file = ::memfd_create("rb2-test", MFD_CLOEXEC);
    ASSERT_EQ(::ftruncate(file, 4 * kPageBytes), 0);
    auto* const memory =
        static_cast<std::byte*>(::mmap(nullptr, 4 * kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    std::unique_ptr<Cache> cache;
    try {
        cache = std::make_unique<Cache>(registrar, Options{.mode = Mode::checked});
    } catch (const StartupError& error) {
        GTEST_SKIP() << error.what();
    }
    // Take the pages that become free in between, so that the file gets others.
    std::array<std::byte*, 2> others{};
    std::memset(memory, 1, 4 * kPageBytes);
    ASSERT_EQ(use(*cache, pages_at(memory, 4)), Status::ok);
    ASSERT_EQ(use(*cache, pages_at(memory, 4)), Status::ok);
    EXPECT_EQ(cache->statistics().stale, 0U);
    ASSERT_EQ(::ftruncate(file, 0), 0);
    for (std::byte*& other : others) std::memset(other = map_pages(64), 1, 64 * kPageBytes);
    ASSERT_EQ(::ftruncate(file, 4 * kPageBytes), 0);
    std::memset(memory, 2, 4 * kPageBytes);
    ASSERT_EQ(use(*cache, pages_at(memory, 4)), Status::ok);
    EXPECT_EQ(cache->statistics().stale, 1U);
    cache.reset();
    EXPECT_EQ(registrar.live_count(), 0U);
    for (std::byte* other : others) unmap_pages(other, 64);
    ::munmap(memory, 4 * kPageBytes);
    ::close(file);
}

TEST(CacheOff, EveryOperationRegistersAndItsEndDeregisters) {
    CountingRegistrar registrar;
    std::byte* const memory = map_pages(2);
    Cache cache(registrar, {.mode = Mode::per_operation});
    for (int i = 0; i < 3; ++i) {
        Lease lease;
        ASSERT_EQ(cache.acquire(pages_at(memory, 2), Access::local_read, lease), Status::ok);
        EXPECT_EQ(registrar.live_count(), 1U);
    }
    EXPECT_EQ(registrar.live_count(), 0U);
    EXPECT_EQ(registrar.calls, 3U);
    unmap_pages(memory, 2);
}

TEST(CacheOff, WithoutHooksInterpositionIsRefusedWithWhatToDo) {
    if (mode_under_test() == Mode::interposed) GTEST_SKIP() << "they are loaded here";
    CountingRegistrar registrar;
    try {
        const Cache cache(registrar, {.mode = Mode::interposed});
        FAIL() << "made";
    } catch (const StartupError& error) {
        EXPECT_NE(std::string(error.what()).find("librb2_hooks.so is not preloaded"), std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace rb2::memory::registration::test
