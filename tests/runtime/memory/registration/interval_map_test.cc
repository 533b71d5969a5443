// The map against a plain list of entries, through long random histories; the short answers by hand.

#include "runtime/memory/registration/interval_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>

namespace rb2::memory::registration::test {
namespace {

constexpr Range pages(std::uintptr_t first, std::uintptr_t end) {
    return {first * kPageBytes, end * kPageBytes};
}

constexpr Access kReadWrite = Access::local_write | Access::remote_read;

struct Model {
    IntervalMap map;
    EntryList entries;

    Entry& add(Range range, Access access) {
        map.take_overlapping(
            range, [&](const Entry& e) { return range.contains(e.pages) && grants(access, e.access); },
            [&](Entry& e) { entries.erase(e.self); });
        Entry& entry = entries.emplace_front();
        entry.self = entries.begin();
        entry.pages = range;
        entry.access = access;
        entry.node = new_node();
        map.insert(entry);
        return entry;
    }

    [[nodiscard]] bool covered(Range range, Access wanted) const {
        return std::ranges::any_of(
            entries, [&](const Entry& e) { return e.pages.contains(range) && grants(e.access, wanted); });
    }
};

TEST(IntervalMap, AnEntryCoversItsPartsAndGrantsNoMoreThanItHas) {
    Model model;
    Entry& entry = model.add(pages(10, 20), Access::local_write);
    EXPECT_EQ(model.map.find(pages(10, 20), Access::local_read), &entry);
    EXPECT_EQ(model.map.find(pages(12, 13), Access::local_write), &entry);
    EXPECT_EQ(model.map.find(pages(12, 13), Access::remote_write), nullptr);
    EXPECT_EQ(model.map.find(pages(9, 11), Access::local_read), nullptr);
    EXPECT_EQ(model.map.find(pages(19, 21), Access::local_read), nullptr);
    EXPECT_EQ(model.map.find(pages(20, 21), Access::local_read), nullptr);
}

TEST(IntervalMap, TheFirstUncoveredPartIsFoundBetweenEntriesOfAnyAccess) {
    Model model;
    model.add(pages(10, 20), Access::local_read);
    model.add(pages(18, 25), kReadWrite);
    model.add(pages(30, 31), Access::remote_read);
    EXPECT_EQ(model.map.first_uncovered(pages(10, 25)), Range{});
    EXPECT_EQ(model.map.first_uncovered(pages(12, 40)), pages(25, 30));
    EXPECT_EQ(model.map.first_uncovered(pages(30, 40)), pages(31, 40));
    EXPECT_EQ(model.map.first_uncovered(pages(5, 12)), pages(5, 10));
    EXPECT_EQ(model.map.first_uncovered(pages(5, 8)), pages(5, 8));
}

/// One random history: inserts where nothing covers the range yet, removals of what overlaps, questions.
void run_history(unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    Model model;
    for (int step = 0; step < 3000; ++step) {
        const unsigned first = below(200);
        const Range range = pages(first, first + 1 + below(below(10) == 0 ? 100 : 8));
        const auto access = static_cast<Access>(below(kAccessSets));
        const Entry* found = model.map.find(range, access);
        ASSERT_EQ(found != nullptr, model.covered(range, access)) << "seed " << seed << " step " << step;
        if (found != nullptr) {
            ASSERT_TRUE(found->pages.contains(range) && grants(found->access, access));
        } else if (below(3) != 0) {
            model.add(range, access);
        }
        if (below(4) == 0) {
            std::size_t gone = 0;
            model.map.take_overlapping(
                range, [](const Entry&) { return true; },
                [&](Entry& e) {
                    EXPECT_TRUE(e.pages.overlaps(range));
                    ++gone;
                    model.entries.erase(e.self);
                });
            ASSERT_FALSE(
                std::ranges::any_of(model.entries, [&](const Entry& e) { return e.pages.overlaps(range); }));
        }
    }
    while (!model.entries.empty()) {
        model.map.take(model.entries.front());
        model.entries.pop_front();
    }
    EXPECT_TRUE(model.map.empty());
}

TEST(IntervalMap, RandomHistoriesAgreeWithAList) {
    for (unsigned seed = 1; seed <= 20; ++seed) run_history(seed);
}

}  // namespace
}  // namespace rb2::memory::registration::test
