// external32: byte order, sizes that differ from this machine's, long double.
#include "datatype/external32.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <limits>
#include <vector>

#include "tests/datatype/maps.hpp"

namespace rb2::datatype {
namespace {

using Bytes = std::vector<unsigned>;

template <class T>
Bytes packed(const Basic& element, T value) {
    const TypeMapPtr map = TypeMap::basic(element);
    std::vector<std::byte> to(map->external_size());
    pack_external(*map, reinterpret_cast<const std::byte*>(&value), 1, to.data());
    T back{};
    unpack_external(*map, reinterpret_cast<std::byte*>(&back), 1, to.data());
    if (!(value != value)) {
        EXPECT_EQ(back, value);
    }
    Bytes bytes;
    for (const std::byte byte : to) bytes.push_back(std::to_integer<unsigned>(byte));
    return bytes;
}

constexpr Basic kInt{4, 4, 4, Representation::signed_int};
constexpr Basic kLong{8, 8, 4, Representation::signed_int};
constexpr Basic kDouble{8, 8, 8, Representation::floating};
constexpr Basic kLongDouble{16, 16, 16, Representation::floating};
constexpr Basic kComplex{16, 8, 16, Representation::floating, 2};

TEST(External32, IsBigEndian) {
    EXPECT_EQ(packed(kInt, 0x01020304), (Bytes{1, 2, 3, 4}));
    EXPECT_EQ(packed(kDouble, 1.0), (Bytes{0x3f, 0xf0, 0, 0, 0, 0, 0, 0}));
}

TEST(External32, SwapsEachPartOfAComplexNumber) {
    EXPECT_EQ(packed(kComplex, std::complex<double>(1.0, -1.0)),
              (Bytes{0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xbf, 0xf0, 0, 0, 0, 0, 0, 0}));
}

TEST(External32, CutsAndWidensIntegers) {
    EXPECT_EQ(packed(kLong, -2L), (Bytes{0xff, 0xff, 0xff, 0xfe}));
    EXPECT_EQ(packed(Basic{8, 8, 4, Representation::unsigned_int}, 0xfffffffeUL),
              (Bytes{0xff, 0xff, 0xff, 0xfe}));
    EXPECT_EQ(packed(Basic{4, 4, 2, Representation::signed_int}, -3), (Bytes{0xff, 0xfd}));
}

TEST(External32, WritesLongDoublesWith128Bits) {
    // IEEE 754 binary128: 1.0 is 0x3fff then zeros; 1.5 has the first bit of the fraction set.
    Bytes one(16);
    one[0] = 0x3f;
    one[1] = 0xff;
    EXPECT_EQ(packed(kLongDouble, 1.0L), one);
    Bytes half = one;
    half[2] = 0x80;
    EXPECT_EQ(packed(kLongDouble, 1.5L), half);
    half[0] = 0xbf;
    EXPECT_EQ(packed(kLongDouble, -1.5L), half);
    for (const long double value :
         {0.0L, 3.14159265358979323846L, -1e4000L, 1e-4000L, std::numeric_limits<long double>::infinity(),
          std::numeric_limits<long double>::max(), std::numeric_limits<long double>::min()})
        (void)packed(kLongDouble, value);
}

TEST(External32, FollowsTheTypeMap) {
    struct Pair {
        double value;
        int index;
    };
    const TypeMapPtr map = testing::structure({0, 8}, {TypeMap::basic(kDouble), TypeMap::basic(kInt)});
    const TypeMapPtr pairs = TypeMap::contiguous(2, map);
    const std::array<Pair, 4> in = {{{1.0, 1}, {-2.5, 2}, {3.0, 3}, {4.0, -4}}};
    std::vector<std::byte> to(2 * pairs->external_size());
    EXPECT_EQ(to.size(), 48U);
    pack_external(*pairs, reinterpret_cast<const std::byte*>(in.data()), 2, to.data());
    EXPECT_EQ(to[8 + 3], std::byte{1});
    std::array<Pair, 4> out{};
    unpack_external(*pairs, reinterpret_cast<std::byte*>(out.data()), 2, to.data());
    for (std::size_t i = 0; i < in.size(); ++i) {
        EXPECT_EQ(out[i].value, in[i].value);
        EXPECT_EQ(out[i].index, in[i].index);
    }
}

}  // namespace
}  // namespace rb2::datatype
