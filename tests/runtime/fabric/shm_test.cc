// What only shared memory does: offsets into windows, mapping, and the release store of a word.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "tests/runtime/fabric/sides.hpp"

namespace rb2::fabric::test {
namespace {

TEST(Shm, PlacesOutsideTheWindowAreRefused) {
    ShmSides sides;
    const Source word = sides.memory_a.source(0, 8, 0);
    EXPECT_EQ(sides.a.write(word, Remote{kWindowBytes - 8}), Status::ok);
    EXPECT_EQ(sides.a.write(word, Remote{kWindowBytes - 7}), Status::invalid_argument);
    EXPECT_EQ(sides.a.write(word, Remote{~std::uint64_t{0}}), Status::invalid_argument);
    std::uint64_t before = 0;
    EXPECT_EQ(sides.a.fetch_add(&before, Remote{4}, 1), Status::invalid_argument);
    EXPECT_EQ(sides.a.map(Remote{kWindowBytes}, 1), nullptr);
    EXPECT_EQ(sides.a.map(Remote{64}, 64), sides.memory_b.bytes.data() + 64);
}

TEST(Shm, OnlyMemoryOfTheOwnWindowIsRegistered) {
    ShmSides sides;
    EXPECT_EQ(sides.a.register_memory(std::span(sides.memory_a.bytes).subspan(128)).remote(),
              (Remote{128, 0}));
    EXPECT_THROW(static_cast<void>(sides.a.register_memory(sides.memory_b.bytes)), StartupError);
}

TEST(Shm, WithoutAQueueImmediatesAreRefused) {
    Memory own, peer;
    shm::Endpoint endpoint({.own = own.bytes, .peer = peer.bytes});
    EXPECT_EQ(endpoint.write_with_imm({}, {}, 1), Status::invalid_argument);
}

TEST(Shm, AFullImmediateQueueBlocks) {
    ShmSides sides;
    for (std::uint32_t i = 0; i < shm::ImmQueue::kCapacity; ++i) {
        ASSERT_EQ(sides.a.write_with_imm({}, {}, i), Status::ok);
    }
    EXPECT_EQ(sides.a.write_with_imm({}, {}, 0), Status::would_block);
    std::array<Completion, 1> first;
    EXPECT_EQ(sides.b.poll(first), 1U);
    EXPECT_EQ(first[0].imm, 0U);
    EXPECT_EQ(sides.a.write_with_imm({}, {}, 64), Status::ok);
}

TEST(Shm, UnpolledCompletionsBlockFurtherTickets) {
    ShmSides sides;
    const Source word = sides.memory_a.source(0, 8, 0);
    for (std::size_t i = 0; i < shm::Endpoint::kCompletionCapacity; ++i) {
        ASSERT_EQ(sides.a.write(word, Remote{0}, Signal{i + 1}), Status::ok);
    }
    EXPECT_EQ(sides.a.write(word, Remote{0}, Signal{99}), Status::would_block);
    EXPECT_EQ(sides.a.write(word, Remote{0}), Status::ok) << "no ticket, no room needed";
    EXPECT_EQ(completions(sides.a).size(), shm::Endpoint::kCompletionCapacity);
    EXPECT_EQ(sides.a.write(word, Remote{0}, Signal{99}), Status::ok);
}

TEST(Shm, BytesAreThereOnceTheWordBehindThemIsSeen) {
    constexpr std::uint64_t rounds = 20'000;
    auto sides = std::make_unique<ShmSides>();
    std::jthread writer([&](const std::stop_token& stop) {
        for (std::uint64_t round = 1; round <= rounds && !stop.stop_requested(); ++round) {
            for (std::size_t at = 64; at < 320; at += 8) sides->memory_a.set_word(at, round);
            static_cast<void>(sides->a.write(sides->memory_a.source(64, 256, 0), Remote{64}));
            static_cast<void>(sides->a.write({reinterpret_cast<const std::byte*>(&round), 8}, Remote{0}));
            std::uint64_t seen = 0;  // the reader's answer: the bytes may be overwritten
            while (seen != round && !stop.stop_requested()) {
                static_cast<void>(sides->a.read({reinterpret_cast<std::byte*>(&seen), 8, 0}, Remote{8}));
                if (seen != round) std::this_thread::yield();
            }
        }
    });
    auto* const words = reinterpret_cast<std::uint64_t*>(sides->memory_b.bytes.data());
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        while (std::atomic_ref(words[0]).load(std::memory_order_acquire) != round) std::this_thread::yield();
        for (std::size_t at = 64; at < 320; at += 8) ASSERT_EQ(sides->memory_b.word(at), round);
        std::atomic_ref(words[1]).store(round, std::memory_order_release);
    }
}

}  // namespace
}  // namespace rb2::fabric::test
