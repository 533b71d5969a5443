#pragma once
// The promises of fabric.hpp that every endpoint keeps, as tests over two joined sides (sides.hpp).

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/runtime/fabric/sides.hpp"

namespace rb2::fabric::test {

/// Both sides with all of their memory registered.
template <class Sides>
struct Wired {
    Sides sides;
    typename Sides::Endpoint::Region region_a = sides.a.register_memory(sides.memory_a.bytes);
    typename Sides::Endpoint::Region region_b = sides.b.register_memory(sides.memory_b.bytes);
};

template <class Sides>
class Contract : public testing::Test {
  protected:
    Wired<Sides> wired_;
};

TYPED_TEST_SUITE_P(Contract);

TYPED_TEST_P(Contract, WriteLandsWhereItWasSentAndNowhereElse) {
    auto& [sides, region_a, region_b] = this->wired_;
    number_bytes(sides.memory_a);
    for (const std::size_t bytes : {0, 1, 7, 8, 9, 64, 1000}) {
        sides.memory_b = {};
        ASSERT_EQ(sides.a.write(sides.memory_a.source(3, bytes, region_a.key()), region_b.remote() + 101),
                  Status::ok);
        ASSERT_EQ(sides.a.flush(), Status::ok);
        EXPECT_TRUE(std::equal(sides.memory_a.bytes.begin() + 3, sides.memory_a.bytes.begin() + 3 + bytes,
                               sides.memory_b.bytes.begin() + 101));
        EXPECT_EQ(sides.memory_b.bytes[100], std::byte{0});
        EXPECT_EQ(sides.memory_b.bytes[101 + bytes], std::byte{0});
    }
}

TYPED_TEST_P(Contract, CompletionsComeForTicketsOnlyAndInOrder) {
    auto& [sides, region_a, region_b] = this->wired_;
    const Source source = sides.memory_a.source(0, 100, region_a.key());
    ASSERT_EQ(sides.a.write(source, region_b.remote(), Signal{11}), Status::ok);
    ASSERT_EQ(sides.a.write(source, region_b.remote()), Status::ok);
    ASSERT_EQ(sides.a.write(source, region_b.remote(), Signal{12}), Status::ok);
    ASSERT_EQ(sides.a.flush(), Status::ok);
    const auto done = completions(sides.a);
    ASSERT_EQ(done.size(), 2U);
    EXPECT_EQ(done[0].ticket, 11U);
    EXPECT_EQ(done[1].ticket, 12U);
    EXPECT_EQ(done[1].status, Status::ok);
    EXPECT_TRUE(completions(sides.a).empty());
}

TYPED_TEST_P(Contract, ImmediateArrivesBehindItsBytes) {
    auto& [sides, region_a, region_b] = this->wired_;
    number_bytes(sides.memory_a);
    ASSERT_EQ(sides.a.write_with_imm(sides.memory_a.source(0, 64, region_a.key()), region_b.remote(), 77,
                                     Signal{5}),
              Status::ok);
    ASSERT_EQ(sides.a.flush(), Status::ok);
    const auto arrived = completions(sides.b);
    ASSERT_EQ(arrived.size(), 1U);
    EXPECT_EQ(arrived[0].operation, Operation::imm_arrived);
    EXPECT_EQ(arrived[0].imm, 77U);
    EXPECT_EQ(arrived[0].bytes, 64U);
    EXPECT_EQ(sides.memory_b.word(56), sides.memory_a.word(56));
    EXPECT_EQ(completions(sides.a).size(), 1U);
}

TYPED_TEST_P(Contract, ReadBringsThePeersBytes) {
    auto& [sides, region_a, region_b] = this->wired_;
    number_bytes(sides.memory_b);
    for (const std::size_t bytes : {8, 50}) {
        ASSERT_EQ(sides.a.read({sides.memory_a.bytes.data() + 16, bytes, region_a.key()},
                               region_b.remote() + 24, Signal{9}),
                  Status::ok);
        ASSERT_EQ(sides.a.flush(), Status::ok);
        const auto done = completions(sides.a);
        ASSERT_EQ(done.size(), 1U);
        EXPECT_EQ(done[0].operation, Operation::read);
        EXPECT_TRUE(std::equal(sides.memory_b.bytes.begin() + 24, sides.memory_b.bytes.begin() + 24 + bytes,
                               sides.memory_a.bytes.begin() + 16));
    }
}

TYPED_TEST_P(Contract, FetchAddCountsAndReturnsTheValueBefore) {
    auto& [sides, region_a, region_b] = this->wired_;
    sides.memory_b.set_word(8, 40);
    std::uint64_t before = 0;
    for (std::uint64_t round = 0; round < 3; ++round) {
        ASSERT_EQ(sides.a.fetch_add(&before, region_b.remote() + 8, 2, Signal{1}), Status::ok);
        ASSERT_EQ(sides.a.flush(), Status::ok);
        ASSERT_EQ(completions(sides.a).size(), 1U);
        EXPECT_EQ(before, 40 + 2 * round);
    }
    EXPECT_EQ(sides.memory_b.word(8), 46U);
}

TYPED_TEST_P(Contract, AnInlineSourceMayBeReusedAtOnce) {
    auto& [sides, region_a, region_b] = this->wired_;
    for (std::uint64_t value = 1; value <= 3; ++value) {
        const Source source{reinterpret_cast<const std::byte*>(&value), sizeof value};
        ASSERT_EQ(sides.a.write(source, region_b.remote() + value * 8), Status::ok);
    }
    ASSERT_EQ(sides.a.flush(), Status::ok);
    for (std::uint64_t value = 1; value <= 3; ++value) EXPECT_EQ(sides.memory_b.word(value * 8), value);
}

TYPED_TEST_P(Contract, MoreSourcesThanTheGatherListAreRefused) {
    auto& [sides, region_a, region_b] = this->wired_;
    number_bytes(sides.memory_a);
    constexpr std::size_t most = TypeParam::Endpoint::kCapabilities.gather_length;
    std::vector<Source> sources(most, sides.memory_a.source(10, 40, region_a.key()));
    ASSERT_EQ(sides.a.write_gather(sources, region_b.remote()), Status::ok);
    ASSERT_EQ(sides.a.flush(), Status::ok);
    for (std::size_t i = 0; i < most; ++i) {
        EXPECT_TRUE(std::equal(sources[0].data, sources[0].data + 40, sides.memory_b.bytes.data() + i * 40));
    }
    sources.push_back(sources.front());
    EXPECT_EQ(sides.a.write_gather(sources, region_b.remote()), Status::invalid_argument);
}

REGISTER_TYPED_TEST_SUITE_P(Contract, WriteLandsWhereItWasSentAndNowhereElse,
                            CompletionsComeForTicketsOnlyAndInOrder, ImmediateArrivesBehindItsBytes,
                            ReadBringsThePeersBytes, FetchAddCountsAndReturnsTheValueBefore,
                            AnInlineSourceMayBeReusedAtOnce, MoreSourcesThanTheGatherListAreRefused);

}  // namespace rb2::fabric::test
