// Two views of one memory, side by side; the same seen from another process; what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/memory/circular_mapping.hpp"
#include "tests/runtime/child_process.hpp"

namespace rb2::memory::test {
namespace {

using Parts = std::array<CircularMapping::Part, 3>;

const std::size_t kPage = CircularMapping::page_bytes();
const Parts kParts{{{kPage, false}, {2 * kPage, true}, {kPage, true}}};

TEST(CircularMapping, PartsLieOneBehindTheOtherZeroedAndWholeTwice) {
    const auto mapping = CircularMapping::create(kParts);
    EXPECT_EQ(mapping.bytes().size(), 7 * kPage);
    EXPECT_EQ(mapping.part(0).data(), mapping.bytes().data());
    EXPECT_EQ(mapping.part(1).data(), mapping.bytes().data() + kPage);
    EXPECT_EQ(mapping.part(1).size(), 4 * kPage);
    EXPECT_EQ(mapping.part(2).data(), mapping.bytes().data() + 5 * kPage);
    EXPECT_EQ(mapping.part(2).size(), 2 * kPage);
    for (const std::byte byte : mapping.bytes()) ASSERT_EQ(byte, std::byte{0});
}

TEST(CircularMapping, WhatCrossesTheEndIsContiguousAndLandsAtTheStart) {
    const auto mapping = CircularMapping::create(kParts);
    std::byte* const ring = mapping.part(1).data();
    const std::size_t ring_bytes = 2 * kPage;
    constexpr std::string_view text = "across the end";
    std::memcpy(ring + ring_bytes - 6, text.data(), text.size());
    EXPECT_EQ(std::memcmp(ring, " the end", 8), 0);
    EXPECT_EQ(std::memcmp(ring + ring_bytes, " the end", 8), 0);
    EXPECT_EQ(std::memcmp(ring + 2 * ring_bytes - 6, "across", 6), 0);
    EXPECT_EQ(mapping.part(0)[0], std::byte{0}) << "the other parts are their own";
    EXPECT_EQ(mapping.part(2)[0], std::byte{0});
}

TEST(CircularMapping, AnotherProcessSeesTheSameRing) {
    const auto mapping = CircularMapping::create(kParts);
    const int status = rb2::test::in_child([&] {
        const auto attached = CircularMapping::attach(mapping.descriptor(), kParts);
        std::byte* const ring = attached.part(1).data();
        if (ring == mapping.part(1).data() || attached.descriptor() != -1) return 1;
        std::memset(ring + 2 * kPage - 4, 7, 8);
        return ring[0] == std::byte{7} ? 0 : 2;
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(mapping.part(1)[3], std::byte{7});
    EXPECT_EQ(mapping.part(1)[4], std::byte{0});
    EXPECT_EQ(mapping.part(1)[2 * kPage - 4], std::byte{7});
}

TEST(CircularMapping, MovesAndUnmapsOnce) {
    auto first = CircularMapping::create(kParts);
    first.part(1)[0] = std::byte{5};
    auto second = std::move(first);
    EXPECT_EQ(second.part(1)[2 * kPage], std::byte{5});
    second = CircularMapping::create(std::array<CircularMapping::Part, 1>{{{kPage, true}}});
    EXPECT_EQ(second.bytes().size(), 2 * kPage);
}

std::string refusal(std::span<const CircularMapping::Part> parts) {
    try {
        static_cast<void>(CircularMapping::create(parts));
    } catch (const StartupError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(CircularMapping, PartsThatAreNotOfWholePagesAreRefusedWithTheNextThatIs) {
    using testing::HasSubstr;
    const std::array<CircularMapping::Part, 1> half{{{kPage / 2, true}}};
    EXPECT_THAT(refusal(half), HasSubstr("a part of " + std::to_string(kPage / 2) + " bytes"));
    EXPECT_THAT(refusal(half), HasSubstr("use " + std::to_string(kPage)));
    const std::array<CircularMapping::Part, 1> none{{{0, true}}};
    EXPECT_THAT(refusal(none), HasSubstr("use " + std::to_string(kPage)));
}

TEST(CircularMapping, TooLittleMemoryBehindTheDescriptorIsRefused) {
    const auto small = CircularMapping::create(std::array<CircularMapping::Part, 1>{{{kPage, true}}});
    EXPECT_THROW(static_cast<void>(CircularMapping::attach(small.descriptor(), kParts)), StartupError);
    EXPECT_THROW(static_cast<void>(CircularMapping::attach(-1, kParts)), StartupError);
}

TEST(CircularMapping, MoreThanThereAreAddressesForIsRefused) {
    const std::array<CircularMapping::Part, 1> huge{{{std::size_t{1} << 60, true}}};
    EXPECT_THAT(refusal(huge), testing::HasSubstr("make the rings smaller"));
}

}  // namespace
}  // namespace rb2::memory::test
