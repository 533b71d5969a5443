// What the decorator injects, and that it stays within the contract.

#include <gtest/gtest.h>

#include <optional>

#include "tests/runtime/fabric/sides.hpp"

namespace rb2::fabric::test {
namespace {

class Fault : public testing::Test {
  protected:
    void open(const fault::Plan& plan) { endpoint.emplace(link.a(), plan); }
    [[nodiscard]] Status write_word(std::uint64_t value, std::size_t at, Signal signal = kSilent) {
        return endpoint->write({reinterpret_cast<const std::byte*>(&value), sizeof value},
                               region_b.remote() + at, signal);
    }

    Memory memory_a, memory_b;
    fake::Link link;
    fake::Region region_a = link.a().register_memory(memory_a.bytes);
    fake::Region region_b = link.b().register_memory(memory_b.bytes);
    std::optional<fault::Endpoint<fake::Endpoint>> endpoint;
};

TEST_F(Fault, DelayedOperationsWaitForTheirStep) {
    open({.delay = true});
    ASSERT_EQ(write_word(5, 0, Signal{1}), Status::ok);
    EXPECT_FALSE(endpoint->step()) << "no doorbell yet";
    ASSERT_EQ(endpoint->flush(), Status::ok);
    EXPECT_EQ(memory_b.word(0), 0U);
    EXPECT_TRUE(completions(*endpoint).empty());
    EXPECT_TRUE(endpoint->step());
    EXPECT_EQ(memory_b.word(0), 5U);
    EXPECT_EQ(completions(*endpoint).size(), 1U);
}

TEST_F(Fault, ShufflingMakesManyWritesOfOne) {
    open({.shuffle_bytes = true});
    number_bytes(memory_a);
    ASSERT_EQ(endpoint->write(memory_a.source(0, 256, region_a.key()), region_b.remote(), Signal{1}),
              Status::ok);
    ASSERT_EQ(endpoint->flush(), Status::ok);
    EXPECT_EQ(link.a().counters().writes, 32U);
    EXPECT_EQ(memory_b.word(248), memory_a.word(248));
    EXPECT_EQ(completions(*endpoint).size(), 1U);
}

TEST_F(Fault, AReadIsOvertakenByALaterWriteSometimesAndWritesNeverByEachOther) {
    int overtaken = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        open({.seed = seed, .reorder = true});
        memory_b.set_word(0, 0);
        memory_a.set_word(0, 0);
        ASSERT_EQ(write_word(1, 0), Status::ok);
        ASSERT_EQ(endpoint->read({memory_a.bytes.data(), 8, region_a.key()}, region_b.remote()), Status::ok);
        ASSERT_EQ(write_word(2, 0), Status::ok);
        ASSERT_EQ(write_word(3, 0), Status::ok);
        ASSERT_EQ(endpoint->flush(), Status::ok);
        EXPECT_GE(memory_a.word(0), 1U) << "a read sees the writes before it";
        EXPECT_EQ(memory_b.word(0), 3U);
        overtaken += memory_a.word(0) > 1 ? 1 : 0;
    }
    EXPECT_GT(overtaken, 5);
    EXPECT_LT(overtaken, 35);
}

TEST_F(Fault, TheNthOperationFailsAndWhatIsBehindItIsGivenUp) {
    for (std::uint64_t nth = 0; nth < 4; ++nth) {
        open({.fail_at = nth});
        memory_b = {};
        for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(write_word(1, i * 8, Signal{i + 1}), Status::ok);
        EXPECT_EQ(endpoint->flush(), Status::peer_lost);
        const auto done = completions(*endpoint);
        ASSERT_EQ(done.size(), 4U);
        for (std::size_t i = 0; i < 4; ++i) {
            EXPECT_EQ(done[i].ticket, i + 1);
            EXPECT_EQ(done[i].status, i < nth ? Status::ok : Status::peer_lost);
            EXPECT_EQ(memory_b.word(i * 8), i < nth ? 1U : 0U);
        }
        EXPECT_EQ(write_word(1, 0), Status::peer_lost);
    }
}

}  // namespace
}  // namespace rb2::fabric::test
