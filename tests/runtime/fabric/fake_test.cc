// What only the fake does: counting, delay, scattered bytes, and errors as a network card reports them.

#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "tests/runtime/fabric/sides.hpp"

namespace rb2::fabric::test {
namespace {

class Fake : public testing::Test {
  protected:
    void open(const fake::Options& options) {
        key_a.reset();  // regions go before their endpoints
        key_b.reset();
        link.emplace(options);
        key_a.emplace(link->a().register_memory(memory_a.bytes));
        key_b.emplace(link->b().register_memory(memory_b.bytes));
    }
    [[nodiscard]] Source source(std::size_t bytes) const { return memory_a.source(0, bytes, key_a->key()); }

    Memory memory_a, memory_b;
    std::optional<fake::Link> link;
    std::optional<fake::Region> key_a, key_b;
};

TEST_F(Fake, CountsWhatWasAskedFor) {
    open({});
    std::uint64_t before = 0;
    EXPECT_EQ(link->a().write(source(100), key_b->remote(), Signal{1}), Status::ok);
    EXPECT_EQ(link->a().write_with_imm(source(20), key_b->remote(), 3), Status::ok);
    EXPECT_EQ(link->a().flush(), Status::ok);
    EXPECT_EQ(link->a().flush(), Status::ok) << "nothing to send: no doorbell";
    EXPECT_EQ(link->a().read({memory_a.bytes.data(), 8, key_a->key()}, key_b->remote()), Status::ok);
    EXPECT_EQ(link->a().fetch_add(&before, key_b->remote(), 1), Status::ok);
    EXPECT_EQ(link->a().flush(), Status::ok);
    EXPECT_EQ(completions(link->a()).size(), 1U);
    const fake::Counters expected{.writes = 2,
                                  .write_bytes = 120,
                                  .imms = 1,
                                  .reads = 1,
                                  .atomics = 1,
                                  .doorbells = 2,
                                  .completions = 1,
                                  .registrations = 1};
    EXPECT_EQ(link->a().counters(), expected);
}

/// The order in which four words, written one by one in that order, reach the peer.
template <class Link>
std::vector<std::uint64_t> arrival_of_words(std::uint64_t seed) {
    Memory from, to;
    Link link({.seed = seed, .manual = true});
    const auto key_a = link.a().register_memory(from.bytes);
    const auto key_b = link.b().register_memory(to.bytes);
    for (std::uint64_t word = 0; word < 4; ++word) {
        from.set_word(word * 64, word + 1);
        EXPECT_EQ(link.a().write(from.source(word * 64, 8, key_a.key()), key_b.remote() + word * 64),
                  Status::ok);
    }
    EXPECT_EQ(link.a().flush(), Status::ok);
    std::vector<std::uint64_t> order;
    std::set<std::uint64_t> seen;
    while (link.step()) {
        for (std::uint64_t word = 0; word < 4; ++word) {
            if (to.word(word * 64) != 0 && seen.insert(word).second) order.push_back(word);
        }
    }
    return order;
}

TEST(FakeOrder, OnlyTheUnorderedEndpointLetsOneWriteOvertakeAnother) {
    const std::vector<std::uint64_t> posted{0, 1, 2, 3};
    std::set<std::vector<std::uint64_t>> unordered;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        EXPECT_EQ(arrival_of_words<fake::Link>(seed), posted);
        EXPECT_EQ(arrival_of_words<fake::OrderedLink>(seed), posted);
        const auto order = arrival_of_words<fake::UnorderedLink>(seed);
        EXPECT_EQ(order.size(), posted.size());
        unordered.insert(order);
    }
    EXPECT_EQ(unordered.size(), 24U) << "every order is possible";
}

TEST(FakeOrder, ASendWithoutAReceiveHoldsUpNothingButSends) {
    Memory from, to;
    fake::UnorderedLink link({.manual = true});
    const auto key_b = link.b().register_memory(to.bytes);
    from.set_word(0, 7);
    ASSERT_EQ(link.a().send({}, 1), Status::ok);
    ASSERT_EQ(link.a().write(from.source(0, 8, 0), key_b.remote()), Status::ok);
    ASSERT_EQ(link.a().flush(), Status::ok);
    link.deliver();
    EXPECT_EQ(to.word(0), 7U);
    ASSERT_EQ(link.b().post_receive({}, 5), Status::ok);
    link.deliver();
    EXPECT_EQ(completions(link.b()).size(), 1U);
}

TEST_F(Fake, NothingMovesBeforeTheDoorbellNorBeforeItsStep) {
    open({.manual = true});
    number_bytes(memory_a);
    ASSERT_EQ(link->a().write(source(8), key_b->remote() + 8), Status::ok);
    link->deliver();
    EXPECT_EQ(memory_b.word(8), 0U);
    ASSERT_EQ(link->a().flush(), Status::ok);
    EXPECT_EQ(memory_b.word(8), 0U);
    EXPECT_TRUE(link->step());
    EXPECT_EQ(memory_b.word(8), memory_a.word(0));
    EXPECT_FALSE(link->step());
}

TEST_F(Fake, ASourceReusedTooEarlyIsSeen) {
    open({.manual = true});
    ASSERT_EQ(link->a().write(source(64), key_b->remote()), Status::ok);
    ASSERT_EQ(link->a().flush(), Status::ok);
    memory_a.set_word(0, 99);
    link->deliver();
    EXPECT_EQ(memory_b.word(0), 99U);
}

TEST_F(Fake, ShuffledBytesLandInManyOrdersButWordsStayWholeAndWritesInOrder) {
    std::set<std::size_t> first_words;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        memory_b = {};
        open({.seed = seed, .manual = true, .shuffle_bytes = true});
        for (std::size_t at = 0; at < 256; at += 8) memory_a.set_word(at, ~std::uint64_t{0});
        const std::uint64_t flag = 1;
        ASSERT_EQ(link->a().write(source(256), key_b->remote()), Status::ok);
        ASSERT_EQ(link->a().write({reinterpret_cast<const std::byte*>(&flag), 8}, key_b->remote() + 512),
                  Status::ok);
        ASSERT_EQ(link->a().flush(), Status::ok);
        bool first = true;
        while (link->step()) {
            std::size_t landed = 0;
            for (std::size_t at = 0; at < 256; at += 8) {
                ASSERT_TRUE(memory_b.word(at) == 0 || memory_b.word(at) == ~std::uint64_t{0});
                landed += memory_b.word(at) != 0 ? 1 : 0;
                if (first && memory_b.word(at) != 0) first_words.insert(at);
            }
            first = false;
            ASSERT_TRUE(memory_b.word(512) == 0 || landed == 32)
                << "the flag came before the bytes it follows";
        }
        EXPECT_EQ(memory_b.word(512), 1U);
    }
    EXPECT_GT(first_words.size(), 20U);
}

TEST_F(Fake, LocalMistakesAreRefusedAtOnceAndChangeNothing) {
    open({});
    const Source beyond = memory_a.source(kWindowBytes - 50, 100, key_a->key());
    const Source wrong_key = memory_a.source(0, 100, key_b->key());
    for (const Source& bad : {beyond, wrong_key}) {
        EXPECT_EQ(link->a().write(bad, key_b->remote()), Status::invalid_argument);
    }
    EXPECT_EQ(link->a().read({memory_a.bytes.data(), 8, 0}, key_b->remote()), Status::invalid_argument);
    std::uint64_t before = 0;
    EXPECT_EQ(link->a().fetch_add(&before, key_b->remote() + 4, 1), Status::invalid_argument)
        << "not aligned";
    EXPECT_EQ(link->a().write(source(100), key_b->remote()), Status::ok);
}

TEST_F(Fake, AWrongRemoteKeyOrBoundFailsAndBreaksTheEndpoint) {
    const auto bad_places = [&] {
        return std::array{Remote{key_b->remote().address, key_a->key()},
                          Remote{key_b->remote().address, 12345}, key_b->remote() + (kWindowBytes - 99)};
    };
    for (std::size_t place = 0; place < 3; ++place) {
        open({});
        memory_b = {};
        number_bytes(memory_a);
        ASSERT_EQ(link->a().write(source(100), bad_places()[place]), Status::ok);
        ASSERT_EQ(link->a().write(source(100), key_b->remote(), Signal{2}), Status::ok);
        ASSERT_EQ(link->a().flush(), Status::ok);
        const auto failed = completions(link->a());
        ASSERT_EQ(failed.size(), 2U) << "an operation without a ticket reports its failure too";
        EXPECT_EQ(failed[0].status, Status::invalid_argument);
        EXPECT_EQ(failed[1].status, Status::peer_lost);
        EXPECT_EQ(failed[1].ticket, 2U);
        EXPECT_EQ(link->a().write(source(8), key_b->remote()), Status::peer_lost);
        EXPECT_EQ(memory_b.word(0), 0U);
    }
}

TEST_F(Fake, ADroppedRegionIsNoTargetAnyMore) {
    open({});
    const Remote place = key_b->remote();
    fake::Region moved = std::move(*key_b);
    EXPECT_EQ(moved.remote(), place);
    ASSERT_EQ(link->a().write(source(8), place), Status::ok);
    ASSERT_EQ(link->a().flush(), Status::ok);
    EXPECT_TRUE(completions(link->a()).empty());
    { const fake::Region gone = std::move(moved); }
    ASSERT_EQ(link->a().write(source(8), place), Status::ok);
    ASSERT_EQ(link->a().flush(), Status::ok);
    EXPECT_EQ(completions(link->a()).size(), 1U);
}

TEST_F(Fake, AFullQueueBlocksUntilSomethingIsDone) {
    open({.manual = true, .queue_length = 2});
    EXPECT_EQ(link->a().write(source(8), key_b->remote()), Status::ok);
    EXPECT_EQ(link->a().write(source(8), key_b->remote()), Status::ok);
    EXPECT_EQ(link->a().write(source(8), key_b->remote()), Status::would_block);
    EXPECT_EQ(link->a().flush(), Status::ok);
    EXPECT_TRUE(link->step());
    EXPECT_EQ(link->a().write(source(8), key_b->remote()), Status::ok);
}

TEST_F(Fake, HeldCompletionsComeWhenReleased) {
    open({.hold_completions = true});
    ASSERT_EQ(link->a().write(source(8), key_b->remote(), Signal{4}), Status::ok);
    ASSERT_EQ(link->a().flush(), Status::ok);
    EXPECT_TRUE(completions(link->a()).empty());
    link->a().release_completions();
    EXPECT_EQ(completions(link->a()).size(), 1U);
}

TEST_F(Fake, AnEmptyRegionIsAStartUpError) {
    open({});
    EXPECT_THROW(static_cast<void>(link->a().register_memory({})), StartupError);
}

}  // namespace
}  // namespace rb2::fabric::test
