// The frame parser under libFuzzer. The first two bytes say in what pieces the rest arrives, and whether it
// is the stream itself or recipes for frames: few inputs would ever begin like a frame by chance, and behind
// one byte too few or too many nothing does.

#include <cstring>
#include <random>
#include <vector>

#include "tests/runtime/fabric/tcp/frame_drive.hpp"

namespace {

using namespace rb2::fabric::tcp;
using namespace rb2::fabric::tcp::test;

constexpr rb2::fabric::Key kKey = rb2::fabric::Key{1} << 20;  // of the first region of a table

/// A frame in eight bytes.
struct Recipe {
    enum Flags : std::uint8_t { other_key = 1, wrong_tag = 2, cut_short = 4, not_a_recipe = 128 };

    std::uint8_t kind;
    std::uint8_t flags;
    std::uint16_t bytes;
    std::uint16_t address;
    std::uint8_t value;
    std::uint8_t content;
};
static_assert(sizeof(Recipe) == 8);

void append(std::vector<std::byte>& stream, const void* data, std::size_t bytes) {
    const auto* const from = static_cast<const std::byte*>(data);
    stream.insert(stream.end(), from, from + bytes);
}

void cook(std::vector<std::byte>& stream, const Recipe& recipe) {
    if ((recipe.flags & Recipe::not_a_recipe) != 0) return append(stream, &recipe, sizeof recipe);
    const auto kind = static_cast<FrameKind>(recipe.kind % 11);
    FrameHeader header = FrameHeader::make(
        kind, recipe.bytes, {recipe.address, (recipe.flags & Recipe::other_key) != 0 ? recipe.value : kKey},
        recipe.value);
    if ((recipe.flags & Recipe::wrong_tag) != 0) header.tag ^= std::uint64_t{1} << recipe.content % 64;
    append(stream, &header, sizeof header);
    if (kind == FrameKind::read || kind == FrameKind::fault || kind == FrameKind::leave) return;
    const std::size_t payload = (recipe.flags & Recipe::cut_short) != 0 ? recipe.bytes / 2 : recipe.bytes;
    stream.resize(stream.size() + payload, static_cast<std::byte>(recipe.content));
}

std::vector<std::byte> stream_of(std::span<const std::uint8_t> input, bool recipes) {
    std::vector<std::byte> stream;
    if (!recipes) append(stream, input.data(), input.size());
    for (; recipes && input.size() >= sizeof(Recipe); input = input.subspan(sizeof(Recipe))) {
        Recipe recipe;
        std::memcpy(&recipe, input.data(), sizeof recipe);
        cook(stream, recipe);
    }
    return stream;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    std::minstd_rand random(data[0]);
    const std::size_t most = std::size_t{1} << data[1] % 16;
    const auto stream = stream_of(std::span(data + 2, size - 2), (data[1] & 0x80) != 0);
    Ground ground;
    drive(stream, ground, [&] { return 1 + random() % most; });
    return 0;
}
