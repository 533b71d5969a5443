// Sizes, bounds and element counts of type maps, by the standard's definitions.
#include "datatype/type_map.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "datatype/array_maps.hpp"
#include "tests/datatype/maps.hpp"

namespace rb2::datatype {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

void expect_bounds(const TypeMap& map, std::int64_t lower, std::int64_t extent, std::int64_t true_lower,
                   std::int64_t true_extent) {
    EXPECT_EQ(map.lower_bound(), lower);
    EXPECT_EQ(map.extent(), extent);
    EXPECT_EQ(map.true_lower_bound(), true_lower);
    EXPECT_EQ(map.true_extent(), true_extent);
}

TEST(TypeMap, OfAVectorEndsWithItsLastBlock) {
    const TypeMapPtr map = TypeMap::vector(3, 2, 16, int32());
    EXPECT_EQ(map->size(), 24U);
    EXPECT_EQ(map->elements(), 6U);
    expect_bounds(*map, 0, 40, 0, 40);
}

TEST(TypeMap, ANegativeStrideGivesANegativeLowerBound) {
    expect_bounds(*TypeMap::vector(3, 1, -8, int32()), -16, 20, -16, 20);
}

TEST(TypeMap, OfAStructIsPaddedToItsAlignment) {
    expect_bounds(*structure({0, 8}, {float64(), byte()}), 0, 16, 0, 9);
}

TEST(TypeMap, MarkersOfResizedPartsWinOverData) {
    const TypeMapPtr part = TypeMap::resized(-3, 9, int32());
    expect_bounds(*part, -3, 9, 0, 4);
    expect_bounds(*TypeMap::contiguous(2, part), -3, 18, 0, 13);
    expect_bounds(*structure({0, 100}, {part, int32()}), -3, 9, 0, 104);
}

TEST(TypeMap, ResizingForgetsEarlierMarkers) {
    expect_bounds(*TypeMap::resized(0, 4, TypeMap::resized(-3, 9, int32())), 0, 4, 0, 4);
}

TEST(TypeMap, WithoutElementsHasNoExtent) {
    expect_bounds(*TypeMap::contiguous(0, float64()), 0, 0, 0, 0);
    expect_bounds(*indexed({0, 1, 0}, {-40, 8, 80}, int32()), 8, 4, 8, 4);
    EXPECT_EQ(TypeMap::vector(5, 0, 100, int32())->size(), 0U);
}

TEST(TypeMap, OfASubarrayHasTheBoundsOfTheWholeArray) {
    const std::vector<Section> sections = {{6, 2, 3}, {5, 3, 1}};
    const TypeMapPtr map = subarray(sections, Order::c, int32());
    EXPECT_EQ(map->size(), 24U);
    expect_bounds(*map, 0, 6 * 5 * 4, (3 * 5 + 1) * 4, (5 + 3) * 4);
}

TEST(TypeMap, OfTheRanksOfADistributedArrayCoversItOnce) {
    for (const std::int64_t run : {1, 2, 3, 7, 20}) {
        std::uint64_t size = 0;
        for (std::int64_t rank = 0; rank < 3; ++rank) {
            const std::vector<Distribution> dimensions = {{17, run, 3, rank}, {4, 4, 1, 0}};
            const TypeMapPtr map = distributed_array(dimensions, Order::fortran, int32());
            size += map->size();
            EXPECT_EQ(map->extent(), 17 * 4 * 4);
        }
        EXPECT_EQ(size, 17U * 4 * 4);
    }
}

TEST(TypeMap, TooLargeThrows) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    const TypeMapPtr large = TypeMap::contiguous(most / 8, float64());
    EXPECT_THROW((void)TypeMap::contiguous(2, large), std::overflow_error);
    EXPECT_THROW((void)TypeMap::repeat(3, most, byte()), std::overflow_error);
    EXPECT_THROW((void)indexed({1}, {most}, byte()), std::overflow_error);
    EXPECT_THROW((void)TypeMap::resized(most, 1, byte()), std::overflow_error);
}

TEST(ElementsOf, PartialData) {
    const TypeMapPtr pair = structure({0, 8}, {float64(), int32()});
    EXPECT_EQ(count_elements(*pair, 12).elements, 2U);
    EXPECT_EQ(count_elements(*pair, 20).elements, 3U);
    EXPECT_EQ(count_elements(*pair, 24).elements, 4U);
    EXPECT_EQ(count_elements(*pair, 26).elements, 4U);
    EXPECT_EQ(count_elements(*pair, 26).rest, 2U);
    EXPECT_EQ(bytes_of_elements(*pair, 3), 20U);
    EXPECT_EQ(bytes_of_elements(*pair, 4), 24U);
    EXPECT_EQ(bytes_of_elements(*TypeMap::contiguous(0, pair), 4), 0U);
}

}  // namespace
}  // namespace rb2::datatype
