// Streams of frames, sound ones and damaged ones, cut anywhere (RB2_FRAME_SEED repeats one run).

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "tests/runtime/fabric/tcp/frame_drive.hpp"

namespace rb2::fabric::tcp::test {
namespace {

constexpr Key kKey = Key{1} << 20;  // of the first region of a table

using Random = std::mt19937_64;

void append(std::vector<std::byte>& stream, const void* data, std::size_t bytes) {
    const auto* const from = static_cast<const std::byte*>(data);
    stream.insert(stream.end(), from, from + bytes);
}

/// What a sound stream should come to.
struct Stream {
    std::vector<std::byte> bytes;
    std::vector<std::byte> memory = std::vector<std::byte>(Ground::kRegionBytes);
    std::size_t immediates = 0;
    std::size_t questions = 0;
    std::vector<std::byte> followed;
    std::size_t announced = 0;
};

std::size_t some_length(Random& random) {
    constexpr std::size_t lengths[]{0, 1, 8, 8, 8, 63, 64, 512, 4095, 4096, 4097, 9000, 20'000};
    return lengths[random() % std::size(lengths)];
}

void add_write(Stream& stream, Random& random, bool immediate) {
    const std::size_t bytes = some_length(random);
    const std::size_t at = random() % (Ground::kRegionBytes - bytes);
    const FrameHeader header =
        FrameHeader::make(immediate ? FrameKind::write_imm : FrameKind::write, bytes, {at, kKey}, 7);
    append(stream.bytes, &header, sizeof header);
    for (std::size_t i = 0; i < bytes; ++i) {
        stream.memory[at + i] = static_cast<std::byte>(random());
        stream.bytes.push_back(stream.memory[at + i]);
    }
    stream.immediates += immediate ? 1 : 0;
}

void add_follow(Stream& stream, Random& random) {
    const std::size_t bytes = kAnnounced[stream.announced++ % kAnnounced.size()];
    const FrameHeader header = FrameHeader::make(FrameKind::follow, bytes, {}, 0);
    append(stream.bytes, &header, sizeof header);
    for (std::size_t i = 0; i < bytes; ++i) {
        stream.bytes.push_back(static_cast<std::byte>(random()));
        if (i < kWanted) stream.followed.push_back(stream.bytes.back());
    }
}

void add_question(Stream& stream, Random& random, std::uint32_t number) {
    ++stream.questions;
    if (random() % 2 == 0) {
        const FrameHeader header =
            FrameHeader::make(FrameKind::read, some_length(random) % 9000, {random() % 1000, kKey}, number);
        return append(stream.bytes, &header, sizeof header);
    }
    const std::size_t at = random() % 1000 * 8;
    const std::uint64_t addend = 0;
    const FrameHeader header = FrameHeader::make(FrameKind::fetch_add, 8, {at, kKey}, number);
    append(stream.bytes, &header, sizeof header);
    append(stream.bytes, &addend, sizeof addend);
}

Stream sound_stream(Random& random) {
    Stream stream;
    // The answers that frame_drive.hpp waits for.
    std::uint32_t answered = 0;
    for (std::size_t frames = 1 + random() % 60; frames != 0; --frames) {
        const std::uint64_t dice = random() % 10;
        if (dice == 0 && stream.questions < kMostQuestions) {
            add_question(stream, random, static_cast<std::uint32_t>(stream.questions));
        } else if (dice == 1 && answered < 4) {
            const FrameKind kind = answered % 2 == 0 ? FrameKind::read_data : FrameKind::fetch_value;
            const FrameHeader header = FrameHeader::make(kind, 8, {}, answered++);
            append(stream.bytes, &header, sizeof header);
            append(stream.bytes, &header, 8);
            ++stream.immediates;  // all completions are counted
        } else if (dice == 4) {
            add_follow(stream, random);
        } else {
            add_write(stream, random, dice < 4);
        }
    }
    return stream;
}

void damage(std::vector<std::byte>& bytes, Random& random) {
    for (std::size_t changes = 1 + random() % 4; changes != 0 && !bytes.empty(); --changes) {
        const std::size_t at = random() % bytes.size();
        switch (random() % 4) {
            case 0:
                bytes[at] ^= static_cast<std::byte>(1U << random() % 8);
                break;
            case 1:
                bytes[at] = static_cast<std::byte>(random());
                break;
            case 2:
                bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at));
                break;
            default:
                bytes.resize(at);
        }
    }
}

std::uint64_t first_seed() {
    const char* const given = std::getenv("RB2_FRAME_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
}

TEST(FrameMutation, SoundStreamsLandWholeHoweverTheyAreCut) {
    for (std::uint64_t seed = first_seed(); seed < first_seed() + 100; ++seed) {
        Random random(seed);
        const Stream stream = sound_stream(random);
        Ground ground;
        const std::size_t most = std::size_t{1} << random() % 16;
        const Outcome outcome = drive(stream.bytes, ground, [&] { return 1 + random() % most; });
        ASSERT_EQ(outcome.verdict, Inbound::Verdict::more) << seed;
        ASSERT_EQ(outcome.taken, stream.bytes.size()) << seed;
        ASSERT_EQ(outcome.immediates, stream.immediates) << seed;
        ASSERT_EQ(outcome.answers, stream.questions) << seed;
        ASSERT_EQ(outcome.followed, stream.followed) << seed;
        ASSERT_TRUE(std::ranges::equal(ground.region(), stream.memory)) << seed;
    }
}

TEST(FrameMutation, DamagedStreamsReachNothingBeyondTheRegion) {
    std::size_t refused = 0;
    for (std::uint64_t seed = first_seed(); seed < first_seed() + 600; ++seed) {
        Random random(seed);
        Stream stream = sound_stream(random);
        damage(stream.bytes, random);
        Ground ground;  // drive() aborts when a guard is hit
        const std::size_t most = std::size_t{1} << random() % 16;
        const Outcome outcome = drive(stream.bytes, ground, [&] { return 1 + random() % most; });
        refused += outcome.verdict == Inbound::Verdict::fault ? 1 : 0;
    }
    EXPECT_GT(refused, 60U) << "damage is not noticed";
}

TEST(FrameMutation, NoiseIsRefusedAtItsFirstHeader) {
    for (std::uint64_t seed = first_seed(); seed < first_seed() + 200; ++seed) {
        Random random(seed);
        std::vector<std::byte> noise(24 + random() % 1000);
        std::ranges::generate(noise, [&] { return static_cast<std::byte>(random()); });
        Ground ground;
        const Outcome outcome = drive(noise, ground, [&] { return 1 + random() % 100; });
        // Unless it happens to begin like a frame.
        if (noise[1] != std::byte{FrameHeader::kGuard}) {
            ASSERT_EQ(outcome.verdict, Inbound::Verdict::fault) << seed;
        }
    }
}

/// Brings `bytes` to where the parser wants them.
Inbound::Verdict feed(Inbound& in, std::span<const std::byte> bytes) {
    std::array<iovec, 2> vectors;
    if (in.plan(vectors, bytes.size()) == 0 || vectors[0].iov_len < bytes.size())
        return Inbound::Verdict::fault;
    std::memcpy(vectors[0].iov_base, bytes.data(), bytes.size());
    return in.received(bytes.size());
}

// A short rest is read together with what is behind it, not to its destination.
TEST(Frames, ARestThatIsBufferedDoesNotLandWhereMemoryIsGone) {
    RegionTable regions;
    const int owner = 0;
    std::vector<std::byte> memory(Inbound::kWholeBytes + 1000);
    const Key key = regions.add(memory, &owner);
    const auto in = std::make_unique<Inbound>(regions, &owner);
    std::vector<std::byte> stream;
    const FrameHeader header = FrameHeader::make(FrameKind::write, memory.size(), {0, key}, 0);
    append(stream, &header, sizeof header);
    stream.resize(sizeof header + memory.size(), std::byte{7});
    const auto parts = std::span(stream);
    ASSERT_EQ(feed(*in, parts.first(2000)), Inbound::Verdict::more);
    EXPECT_EQ(memory.front(), std::byte{7});
    regions.remove(key);
    std::ranges::fill(memory, std::byte{0});
    EXPECT_EQ(feed(*in, parts.subspan(2000)), Inbound::Verdict::fault);
    EXPECT_EQ(in->fault().reason, FaultReason::outside_memory);
    EXPECT_EQ(memory, std::vector<std::byte>(memory.size()));
}

}  // namespace
}  // namespace rb2::fabric::tcp::test
