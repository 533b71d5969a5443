// The case the field complains of: memory unmapped, other memory at the same address, and the device still
// sends the old. The "device" here holds real pages (pinning_registrar.hpp).

#include <gtest/gtest.h>

#include "tests/runtime/memory/registration/pages.hpp"
#include "tests/runtime/memory/registration/pinning_registrar.hpp"

namespace rb2::memory::registration::test {
namespace {

constexpr std::size_t kPages = 4;

void fill(std::byte* memory, std::uint64_t value) {
    for (std::size_t i = 0; i < kPages * kPageBytes; i += sizeof value)
        std::memcpy(memory + i, &value, sizeof value);
}

/// Maps, sends, unmaps, maps again at the same address, `rounds` times; how often the device saw other bytes.
int wrong_rounds(PinningRegistrar& registrar, const Options& options, int rounds,
                 Statistics* statistics = nullptr) {
    Cache cache(registrar, options);
    std::byte* memory = map_pages(kPages);
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
        fill(memory, static_cast<std::uint64_t>(round) + 1);
        Lease lease;
        if (cache.acquire(pages_at(memory, kPages), Access::local_read, lease) == Status::ok &&
            !device_agrees(lease, range_of(pages_at(memory, kPages))))
            ++wrong;
        lease.release();
        std::byte* const again = memory;
        unmap_pages(memory, kPages);
        memory = map_pages(kPages, again);
        if (memory == nullptr) memory = map_pages(kPages);  // somebody else was faster
    }
    unmap_pages(memory, kPages);
    if (statistics != nullptr) *statistics = cache.statistics();
    return wrong;
}

class Remap : public WithMode {};

TEST_F(Remap, TenThousandTimesAtTheSameAddress) {
    PinningRegistrar registrar;
    Statistics statistics;
    EXPECT_EQ(wrong_rounds(registrar, {.mode = mode_under_test()}, 10'000, &statistics), 0);
    // The last one is noticed when somebody looks something up, or a moment later.
    EXPECT_GE(statistics.invalidated, 9'999U) << "every round was cached and noticed";
    EXPECT_EQ(registrar.live, 0);
}

TEST_F(Remap, WithRefusedRegistrationsInBetween) {
    for (const std::uint64_t k : {1U, 2U, 3U, 7U}) {
        PinningRegistrar registrar;
        registrar.fail_every = k;
        EXPECT_EQ(wrong_rounds(registrar, {.mode = mode_under_test()}, 500), 0) << "every " << k;
        EXPECT_EQ(registrar.live, 0);
    }
}

TEST(RemapOff, WithTheCacheOff) {
    PinningRegistrar registrar;
    EXPECT_EQ(wrong_rounds(registrar, {.mode = Mode::per_operation}, 10'000), 0);
    EXPECT_EQ(registrar.live, 0);
}

TEST_F(Remap, ALeaseAcrossUnmappingKeepsTheOldPages) {
    PinningRegistrar registrar;
    Cache cache(registrar, {.mode = mode_under_test()});
    std::byte* const memory = map_pages(kPages);
    fill(memory, 1);
    Lease old;
    ASSERT_EQ(cache.acquire(pages_at(memory, kPages), Access::local_read, old), Status::ok);
    const auto before = PinningRegistrar::read(old, range_of(pages_at(memory, kPages)));
    unmap_pages(memory, kPages);
    ASSERT_EQ(map_pages(kPages, memory), memory);
    fill(memory, 2);
    EXPECT_EQ(PinningRegistrar::read(old, range_of(pages_at(memory, kPages))), before);
    Lease now;
    ASSERT_EQ(cache.acquire(pages_at(memory, kPages), Access::local_read, now), Status::ok);
    EXPECT_TRUE(device_agrees(now, range_of(pages_at(memory, kPages))));
    EXPECT_EQ(registrar.live, 2);
    old.release();
    EXPECT_EQ(registrar.live, 1) << "deregistered with its last lease";
    now.release();
    unmap_pages(memory, kPages);
}

TEST_F(Remap, ReadOnlyMemoryCanBeSentFrom) {
    PinningRegistrar registrar;
    Cache cache(registrar, {.mode = mode_under_test()});
    std::byte* const memory = map_pages(kPages);
    fill(memory, 7);
    ::mprotect(memory, kPages * kPageBytes, PROT_READ);
    Lease lease;
    EXPECT_EQ(cache.acquire(pages_at(memory, kPages), Access::local_write, lease), Status::invalid_argument);
    ASSERT_EQ(cache.acquire(pages_at(memory, kPages), Access::local_read, lease), Status::ok);
    EXPECT_TRUE(device_agrees(lease, range_of(pages_at(memory, kPages))));
    lease.release();
    // In a file mapped read-only; whole pages, so that the device reads nothing of its neighbours.
    alignas(kPageBytes) static const std::array<std::byte, 3 * kPageBytes> constants{std::byte{42}};
    ASSERT_EQ(cache.acquire(constants, Access::local_read, lease), Status::ok);
    EXPECT_TRUE(device_agrees(lease, range_of(constants)));
    lease.release();
    unmap_pages(memory, kPages);
}

/// What the loops above would see if an old registration were used again.
TEST_F(Remap, TheLoopWouldNoticeAStaleTranslation) {
    PinningRegistrar registrar;
    std::byte* const memory = map_pages(kPages);
    fill(memory, 1);
    Lease lease;
    Cache cache(registrar, {.mode = mode_under_test()});
    ASSERT_EQ(cache.acquire(pages_at(memory, kPages), Access::local_read, lease), Status::ok);
    unmap_pages(memory, kPages);
    ASSERT_EQ(map_pages(kPages, memory), memory);
    fill(memory, 2);
    EXPECT_FALSE(device_agrees(lease, range_of(pages_at(memory, kPages))));
    lease.release();
    unmap_pages(memory, kPages);
}

}  // namespace
}  // namespace rb2::memory::registration::test
