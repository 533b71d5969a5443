// The pieces below the matcher: envelopes and their hash, sizes of the entries, the table, the pool of links.

#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <unordered_map>
#include <vector>

#include "pt2pt/matching/fifo_table.hpp"
#include "pt2pt/matching/matcher.hpp"

namespace rb2::matching {
namespace {

TEST(Envelope, PatternOfEachClassMatchesItsMessageAndNoOther) {
    constexpr Envelope message{7, 2, 5};
    for (unsigned at = 0; at < kPatternClasses; ++at) {
        const auto which = static_cast<PatternClass>(at);
        const Envelope pattern = pattern_of(message, which);
        EXPECT_EQ(class_of(pattern), which);
        EXPECT_TRUE(matches(pattern, message));
        EXPECT_FALSE(matches(pattern, {8, 2, 5}));
        EXPECT_EQ(matches(pattern, {7, 3, 5}), pattern.source == kAnySource);
        EXPECT_EQ(matches(pattern, {7, 2, 6}), pattern.tag() == kAnyTag);
    }
}

TEST(Envelope, HashUsesEveryField) {
    std::set<std::uint32_t> hashes;
    for (int bit = 0; bit < 31; ++bit) {
        hashes.insert(hash_of({1U << bit, 0, 0}));
        hashes.insert(hash_of({0, 1 << bit, 0}));
        hashes.insert(hash_of({0, 0, 1 << bit}));
    }
    EXPECT_EQ(hashes.size(), 93U);
}

TEST(Entries, SizesAreFrozen) {
    EXPECT_EQ(sizeof(PostedEntry), 40U);
    EXPECT_EQ(sizeof(UnexpectedEntry), 48U);
    EXPECT_EQ(sizeof(WildcardLinks), 48U);
}

struct Item {
    Envelope envelope{};
    RingLinks<Item> links;
};
struct ItemAccess {
    static const Envelope& key(const Item& item) { return item.envelope; }
    static RingLinks<Item>& links(Item& item) { return item.links; }
};

TEST(FifoTable, GrowsByDoublingAtHalfFullAndKeepsEverything) {
    FifoTable<Item, ItemAccess> table;
    std::deque<Item> items;
    for (std::int32_t tag = 0; tag < 1000; ++tag) {
        table.push_back(items.emplace_back(Item{{0, 0, tag}, {}}));
        ASSERT_LE(2 * table.key_count(), table.slot_count());
    }
    EXPECT_EQ(table.slot_count(), 2048U);
    for (Item& item : items) {
        auto* const slot = table.find(item.envelope);
        ASSERT_NE(slot, nullptr);
        EXPECT_EQ(&table.pop_front(*slot), &item);
    }
    EXPECT_EQ(table.key_count(), 0U);
}

TEST(FifoTable, EntriesOfOneKeyNeedOneSlot) {
    FifoTable<Item, ItemAccess> table;
    std::deque<Item> items(10'000);
    for (Item& item : items) table.push_back(item);
    EXPECT_EQ(table.key_count(), 1U);
    EXPECT_EQ(table.slot_count(), table.kInitialSlots);
    for (Item& item : items) table.remove(item);
    EXPECT_EQ(table.key_count(), 0U);
}

// Keys chosen to share one home slot: removing any of them must leave the others reachable.
TEST(FifoTable, RemovalInsideACollisionRunLosesNoKey) {
    std::vector<Envelope> colliding;
    for (std::int32_t tag = 0; colliding.size() < 12; ++tag) {
        const Envelope key{0, 0, tag};
        if (hash_of(key) % FifoTable<Item, ItemAccess>::kInitialSlots >= 62)
            colliding.push_back(key);  // wraps round
    }
    for (std::size_t victim = 0; victim < colliding.size(); ++victim) {
        FifoTable<Item, ItemAccess> table;
        std::deque<Item> items;
        for (const Envelope& key : colliding) table.push_back(items.emplace_back(Item{key, {}}));
        table.remove(items[victim]);
        for (std::size_t at = 0; at < colliding.size(); ++at)
            EXPECT_EQ(table.find(colliding[at]) != nullptr, at != victim)
                << "victim " << victim << " key " << at;
    }
}

// 32 bits of hash do not identify 96 bits of key: two keys with the very same hash stay apart.
TEST(FifoTable, KeysWithEqualHashesAreDistinct) {
    std::unordered_map<std::uint32_t, std::int32_t> tag_of_hash;
    std::int32_t tag = 0;
    while (tag_of_hash.emplace(hash_of({0, 0, tag}), tag).second) ASSERT_LT(++tag, 1'000'000);
    Item first{{0, 0, tag_of_hash[hash_of({0, 0, tag})]}, {}};
    Item second{{0, 0, tag}, {}};
    FifoTable<Item, ItemAccess> table;
    table.push_back(first);
    EXPECT_EQ(table.find(second.envelope), nullptr);
    table.push_back(second);
    EXPECT_EQ(table.key_count(), 2U);
    EXPECT_EQ(table.find(first.envelope)->oldest, &first);
    EXPECT_EQ(table.find(second.envelope)->oldest, &second);
}

TEST(WildcardLinkPool, ReusesBlocksAndHandsALargePeakBack) {
    WildcardLinkPool pool;
    WildcardLinks* const block = pool.acquire();
    pool.release(block);
    EXPECT_EQ(pool.acquire(), block);
    pool.release(block);
    EXPECT_EQ(pool.block_count(), 1U);

    std::vector<WildcardLinks*> peak;
    for (std::size_t i = 0; i <= WildcardLinkPool::kKeptBlocks; ++i) peak.push_back(pool.acquire());
    EXPECT_EQ(std::set<WildcardLinks*>(peak.begin(), peak.end()).size(), peak.size());
    EXPECT_EQ(pool.block_count(), WildcardLinkPool::kKeptBlocks + 1);
    for (WildcardLinks* each : peak) pool.release(each);
    EXPECT_EQ(pool.block_count(), 0U);
}

}  // namespace
}  // namespace rb2::matching
