// 100,000 random steps of map, send, rewrite, discard, move, unmap, malloc, realloc and free, with refused
// registrations and leases held across all of it. The reference is the memory itself: what the device reads
// through a lease must be what the program reads.

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <deque>
#include <random>

#include "tests/runtime/memory/registration/pages.hpp"
#include "tests/runtime/memory/registration/pinning_registrar.hpp"

namespace rb2::memory::registration::test {
namespace {

constexpr std::size_t kSlots = 6;
constexpr std::size_t kSlotPages = 12;

/// Addresses of our own, where memory comes and goes.
struct Slot {
    std::byte* base = nullptr;
    std::array<bool, kSlotPages> mapped{};

    [[nodiscard]] bool empty() const {
        return std::ranges::none_of(mapped, [](bool m) { return m; });
    }
    /// End of the run of mapped pages that begins at `first`.
    [[nodiscard]] std::size_t run_end(std::size_t first) const {
        while (first < kSlotPages && mapped[first]) ++first;
        return first;
    }
};

/// A lease with what it should read while nobody writes to its memory.
struct Sending {
    Lease lease;
    Range range;
    std::vector<std::byte> content;
    std::uint64_t writes;
};

class Walk {
  public:
    Walk(unsigned seed, const Options& options, std::uint64_t fail_every)
        : random_(seed), cache_(registrar_, options) {
        registrar_.fail_every = fail_every;
        std::byte* const all = map_pages(kSlots * (kSlotPages + 4));
        for (std::size_t i = 0; i < kSlots; ++i) slots_[i].base = all + i * (kSlotPages + 4) * kPageBytes;
        unmap_pages(all, kSlots * (kSlotPages + 4));
        blocks_.resize(8);
    }
    Walk(const Walk&) = delete;
    Walk& operator=(const Walk&) = delete;
    ~Walk() {
        sending_.clear();
        for (Slot& slot : slots_)
            for (std::size_t i = 0; i < kSlotPages; ++i)
                if (slot.mapped[i]) unmap_pages(slot.base + i * kPageBytes, 1);
        for (Block& block : blocks_) std::free(block.data);
        cache_.clear();
        EXPECT_EQ(registrar_.live, 0);
    }

    void step() {
        switch (below(12)) {
            case 0:
                return map();
            case 1:
                return unmap();
            case 2:
                return discard();
            case 3:
                return move();
            case 4:
                return rewrite();
            case 5:
                return allocate();
            case 6:
                return resize();
            case 7:
                return free_block();
            case 8:
                return finish();
            case 9:
                return send_block();
            default:
                return send_pages();
        }
    }

    [[nodiscard]] const Cache& cache() const { return cache_; }
    std::uint64_t sent = 0;
    std::uint64_t refused = 0;
    std::uint64_t moves = 0;

  private:
    struct Block {
        std::byte* data = nullptr;
        std::size_t bytes = 0;
    };

    std::size_t below(std::size_t n) { return random_() % n; }
    Slot& any_slot() { return slots_[below(kSlots)]; }

    void fill(std::byte* memory, std::size_t bytes) {
        ++writes_;
        const std::uint64_t value = random_() | 1U;
        for (std::size_t i = 0; i + sizeof value <= bytes; i += 64)
            std::memcpy(memory + i, &value, sizeof value);
    }

    void map() {
        Slot& slot = any_slot();
        const std::size_t first = below(kSlotPages);
        std::size_t end = first;
        while (end < kSlotPages && !slot.mapped[end] && end - first < 1 + below(kSlotPages)) ++end;
        if (end == first) return;
        std::byte* const at = slot.base + first * kPageBytes;
        if (map_pages(end - first, at) != at) return;  // somebody else's by now
        for (std::size_t i = first; i < end; ++i) slot.mapped[i] = true;
        if (below(8) != 0) fill(at, (end - first) * kPageBytes);
        if (below(8) == 0) ::mprotect(at, (end - first) * kPageBytes, PROT_READ);
    }

    void unmap() {
        Slot& slot = any_slot();
        const std::size_t first = below(kSlotPages);
        const std::size_t count = 1 + below(slot.run_end(first) - first + 1);
        for (std::size_t i = first; i < std::min(first + count, slot.run_end(first));) {
            const std::size_t end = std::min(first + count, slot.run_end(first));
            unmap_pages(slot.base + i * kPageBytes, end - i);
            for (; i < end; ++i) slot.mapped[i] = false;
        }
    }

    void discard() {
        Slot& slot = any_slot();
        const std::size_t first = below(kSlotPages);
        const std::size_t end = slot.run_end(first);
        if (first == end) return;
        ++writes_;
        ::madvise(slot.base + first * kPageBytes, (1 + below(end - first)) * kPageBytes, MADV_DONTNEED);
    }

    /// A whole slot to an empty one; the kernel refuses where watching has split the mapping.
    void move() {
        Slot& from = any_slot();
        Slot& to = any_slot();
        const std::size_t pages = from.run_end(0);
        if (pages == 0 || !to.empty()) return;
        if (map_pages(pages, to.base) != to.base) return;  // makes sure that nobody else lives there
        const std::size_t bytes = pages * kPageBytes;
        const bool moved =
            ::mremap(from.base, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to.base) != MAP_FAILED;
        // A failed mremap may have unmapped its target and moved the first mappings of several.
        if (!moved) unmap_pages(from.base, pages);
        if (!moved) unmap_pages(to.base, pages);
        for (std::size_t i = 0; i < pages; ++i) {
            from.mapped[i] = false;
            to.mapped[i] = moved;
        }
        moves += moved ? 1 : 0;
    }

    void rewrite() {
        Slot& slot = any_slot();
        const std::size_t page = below(kSlotPages);
        if (!slot.mapped[page]) return;
        ::mprotect(slot.base + page * kPageBytes, kPageBytes, PROT_READ | PROT_WRITE);
        fill(slot.base + page * kPageBytes, kPageBytes);
    }

    Block& any_block() { return blocks_[below(blocks_.size())]; }
    void allocate() {
        Block& block = any_block();
        if (block.data != nullptr) return;
        block.bytes = 5000 + below(below(2) == 0 ? 50'000 : 400'000);
        block.data = static_cast<std::byte*>(std::malloc(block.bytes));
        fill(block.data, block.bytes);
    }
    void resize() {
        Block& block = any_block();
        if (block.data == nullptr) return;
        block.bytes = 5000 + below(400'000);
        block.data = static_cast<std::byte*>(std::realloc(block.data, block.bytes));
        fill(block.data, block.bytes);
    }
    void free_block() {
        Block& block = any_block();
        std::free(block.data);  // writes into it
        ++writes_;
        block = {};
        if (below(16) == 0) ::malloc_trim(0);
    }

    void send_block() {
        const Block& block = any_block();
        if (block.data == nullptr) return;
        const std::size_t skip = below(2000);
        send(range_of(block.data + skip, 1 + below(std::min<std::size_t>(block.bytes - skip, 60'000))));
    }

    void send_pages() {
        Slot& slot = any_slot();
        const std::size_t first = below(kSlotPages);
        const std::size_t end = slot.run_end(first);
        if (first == end) return;
        const std::size_t skip = below(kPageBytes);
        send(range_of(slot.base + first * kPageBytes + skip, 1 + below((end - first) * kPageBytes - skip)));
    }

    void send(Range range) {
        Lease lease;
        const Status status = cache_.acquire(memory_of(range), Access::local_read, lease);
        if (status != Status::ok) {
            ASSERT_EQ(status, Status::out_of_memory);
            ++refused;
            return;
        }
        ++sent;
        ASSERT_TRUE(lease.pages().contains(range));
        ASSERT_TRUE(device_agrees(lease, range)) << "message " << sent;
        if (below(4) != 0) return;
        const auto memory = memory_of(range);
        sending_.push_back({std::move(lease), range, {memory.begin(), memory.end()}, writes_});
        if (sending_.size() > 10) finish();
    }

    /// The device ends an operation that began some steps ago: the memory may be gone since.
    void finish() {
        if (sending_.empty()) return;
        const Sending& oldest = sending_.front();
        if (oldest.writes == writes_) {
            ASSERT_EQ(PinningRegistrar::read(oldest.lease, oldest.range), oldest.content);
        }
        sending_.pop_front();
    }

    std::mt19937 random_;
    PinningRegistrar registrar_;
    Cache cache_;
    std::array<Slot, kSlots> slots_;
    std::vector<Block> blocks_;
    std::deque<Sending> sending_;
    std::uint64_t writes_ = 0;
};

void walk(unsigned seed, const Options& options, std::uint64_t fail_every, int steps) {
    Walk history(seed, options, fail_every);
    for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) history.step();
    const Statistics counts = history.cache().statistics();
    EXPECT_GT(history.moves, 0U);
    EXPECT_GT(history.sent, static_cast<std::uint64_t>(steps) / 20);
    EXPECT_EQ(history.refused > 0, fail_every != 0 || counts.refused > 0);
    if (options.mode != Mode::per_operation) {
        EXPECT_GT(counts.hits, 0U);
        EXPECT_GT(counts.invalidated, 0U);
    }
    std::printf("sent %lu, hits %lu, invalidated %lu, evicted %lu, uncached %lu, refused %lu\n", history.sent,
                counts.hits, counts.invalidated, counts.evicted, counts.uncached, counts.refused);
}

class RandomSteps : public WithMode {
  protected:
    [[nodiscard]] static Options options() { return {.mode = mode_under_test(), .most_count = 48}; }
};

TEST_F(RandomSteps, HundredThousandSendTheRightBytes) { walk(1, options(), 0, 100'000); }

TEST_F(RandomSteps, WithRefusalsAtEveryThirdCall) { walk(2, options(), 3, 20'000); }

TEST_F(RandomSteps, WithASmallCap) {
    walk(3, {.mode = mode_under_test(), .most_bytes = 40 * kPageBytes, .most_count = 5}, 0, 20'000);
}

TEST(RandomStepsOff, WithTheCacheOff) { walk(4, {.mode = Mode::per_operation}, 0, 20'000); }

}  // namespace
}  // namespace rb2::memory::registration::test
