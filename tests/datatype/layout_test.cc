// Which loop programs common types become, and that windows of them are right at every byte.
#include "datatype/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "datatype/array_maps.hpp"
#include "tests/datatype/maps.hpp"

namespace rb2::datatype {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using Kind = Step::Kind;

TEST(Layout, OfContiguousTypesIsOneBlock) {
    for (const TypeMapPtr& map :
         {TypeMap::contiguous(5, int32()), TypeMap::vector(4, 2, 8, int32()),
          structure({0, 4, 8}, {int32(), int32(), float64()}), indexed({2, 3}, {0, 8}, int32())}) {
        const LayoutRef layout = Layout::make(*map);
        EXPECT_EQ(layout->array().kind, Kind::block);
        std::int64_t displacement = 1;
        EXPECT_TRUE(layout->contiguous(1000, displacement));
        EXPECT_EQ(displacement, 0);
    }
}

TEST(Layout, OfOneBlockWithAGapIsContiguousAloneOnly) {
    const LayoutRef layout = Layout::make(*TypeMap::resized(-8, 32, indexed({2}, {4}, int32())));
    std::int64_t displacement = 0;
    EXPECT_TRUE(layout->contiguous(1, displacement));
    EXPECT_EQ(displacement, 4);
    EXPECT_FALSE(layout->contiguous(2, displacement));
    EXPECT_EQ(layout->array().kind, Kind::strided);
}

TEST(Layout, OfRegularBlocksIsOneStridedStep) {
    const auto column = TypeMap::vector(10, 1, 64, float64());
    for (const TypeMapPtr& map :
         {column, TypeMap::repeat(3, 640, column), indexed({1, 1, 1}, {0, 24, 48}, int32()),
          TypeMap::repeat(4, -16, int32())}) {
        const LayoutRef layout = Layout::make(*map);
        EXPECT_LE(layout->steps(), 1U);  // at most the body of the loop over elements
        EXPECT_EQ(layout->blocks(), 0U);
    }
    EXPECT_EQ(Layout::make(*TypeMap::resized(0, 16, float64()))->array().kind, Kind::strided);
    EXPECT_EQ(Layout::make(*TypeMap::resized(0, 640, column))->array().kind, Kind::strided);
}

TEST(Layout, OfAnyBlocksIsATable) {
    const LayoutRef layout = Layout::make(*indexed({1, 2, 1}, {0, 8, 100}, int32()));
    EXPECT_EQ(layout->blocks(), 3U + 1);
    EXPECT_EQ(Layout::make(*structure({0, 8, 20}, {int32(), float64(), byte()}))->blocks(), 3U + 1);
}

TEST(Layout, SharesRepeatedParts) {
    const TypeMapPtr part = structure({0, 8, 20}, {int32(), float64(), byte()});
    const LayoutRef layout =
        Layout::make(*indexed(std::vector<std::uint64_t>(100, 1), std::vector<std::int64_t>(100, 0), part));
    EXPECT_EQ(layout->blocks(), 3U + 1);
}

/// Packs and unpacks all windows of a type of a few dozen bytes, at every begin and length.
void check_all_windows(const TypeMap& map, std::uint64_t count) {
    const LayoutRef layout = Layout::make(map);
    std::vector<std::byte> memory(4096);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7 + i / 256);
    std::byte* const base = memory.data() + 2048;
    const std::uint64_t total = map.size() * count;
    std::vector<std::byte> whole(total);
    layout->pack(base, 0, whole.data(), total);
    for (std::uint64_t from = 0; from <= total; ++from) {
        for (std::uint64_t to = from; to <= total; ++to) {
            std::vector<std::byte> window(to - from);
            layout->pack(base, from, window.data(), to - from);
            ASSERT_TRUE(
                std::equal(window.begin(), window.end(), whole.begin() + static_cast<std::ptrdiff_t>(from)))
                << from << " to " << to;
            std::vector<std::byte> copy(memory.size());
            layout->unpack(copy.data() + 2048, from, window.data(), to - from);
            std::vector<std::byte> again(total);
            layout->pack(copy.data() + 2048, 0, again.data(), total);
            for (std::uint64_t i = 0; i < total; ++i)
                ASSERT_EQ(again[i], i >= from && i < to ? whole[i] : std::byte{0}) << from << " to " << to;
        }
    }
}

TEST(Layout, WindowsAtEveryByte) {
    check_all_windows(*TypeMap::vector(4, 3, 20, int32()), 2);
    check_all_windows(*TypeMap::vector(4, 1, -24, float64()), 1);
    check_all_windows(*structure({0, 8, 20}, {int32(), float64(), byte()}), 4);
    check_all_windows(*indexed({1, 2}, {0, 48}, structure({0, 8}, {float64(), int32()})), 2);
    const std::vector<Section> sections = {{3, 2, 1}, {4, 2, 1}, {4, 2, 0}};
    check_all_windows(*subarray(sections, Order::c, int32()), 2);
}

TEST(Layout, KernelsOfAllBlockSizes) {
    for (std::uint32_t bytes = 1; bytes <= 70; ++bytes) {
        const TypeMapPtr map = TypeMap::vector(3, bytes, 2 * bytes, byte());
        const LayoutRef layout = Layout::make(*map);
        std::vector<std::byte> memory(6 * bytes);
        for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i + 1);
        std::vector<std::byte> packed(map->size());
        layout->pack(memory.data(), 0, packed.data(), packed.size());
        std::vector<std::byte> copy(memory.size());
        layout->unpack(copy.data(), 0, packed.data(), packed.size());
        for (std::size_t i = 0; i < memory.size(); ++i)
            ASSERT_EQ(copy[i], i / bytes % 2 == 0 ? memory[i] : std::byte{0}) << bytes << " at " << i;
    }
}

TEST(Layout, TakesAbsoluteAddresses) {
    std::uint32_t left = 0x01020304;
    double right = 2.5;
    const TypeMapPtr map =
        structure({reinterpret_cast<std::intptr_t>(&left), reinterpret_cast<std::intptr_t>(&right)},
                  {int32(), float64()});
    const LayoutRef layout = Layout::make(*map);
    std::byte packed[12];
    layout->pack(nullptr, 0, packed, sizeof packed);
    left = 0;
    right = 0;
    layout->unpack(nullptr, 0, packed, sizeof packed);
    EXPECT_EQ(left, 0x01020304U);
    EXPECT_EQ(right, 2.5);
}

}  // namespace
}  // namespace rb2::datatype
