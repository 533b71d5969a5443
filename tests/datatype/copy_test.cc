// Copies of every length that takes another way, with and without the string instruction.
#include "datatype/copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace rb2 {
namespace {

constexpr std::byte kGuard{0xA5};
constexpr std::size_t kMargin = 64;

std::vector<std::byte> numbered(std::size_t bytes) {
    std::vector<std::byte> result(bytes);
    for (std::size_t i = 0; i < bytes; ++i) result[i] = static_cast<std::byte>(i * 7 + i / 256);
    return result;
}

/// What `copy(to, from, bytes)` brings to `offset` of guarded memory is there, and nothing else has changed.
template <class Copy>
void expect_copied(std::size_t bytes, std::size_t offset, const Copy& copy) {
    const std::vector<std::byte> from = numbered(bytes);
    std::vector<std::byte> to(bytes + offset + kMargin, kGuard);
    copy(to.data() + offset, from.data(), bytes);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(offset)));
    const auto guarded = [](std::byte b) { return b == kGuard; };
    EXPECT_TRUE(std::all_of(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(offset), guarded));
    EXPECT_TRUE(std::all_of(to.end() - kMargin, to.end(), guarded));
}

/// Every length from `first` on, to places that lines and words begin at and others.
template <class Copy>
void expect_copied_from(std::size_t first, const Copy& copy) {
    for (std::size_t bytes = first; bytes < 5000; bytes += bytes < 200 ? 1 : 61)
        for (const std::size_t offset : {0U, 1U, 16U, 63U}) expect_copied(bytes, offset, copy);
}

TEST(CopyPayload, EveryLength) {
    expect_copied_from(
        0, [](std::byte* to, const std::byte* from, std::size_t bytes) { copy_payload(to, from, bytes); });
}

TEST(CopyLong, EveryLengthEachWay) {
    constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
    for (const std::size_t string_from : {std::size_t{65}, std::size_t{1024}, kStringCopies.from, never})
        expect_copied_from(65, [string_from](std::byte* to, const std::byte* from, std::size_t bytes) {
            copy_long(to, from, bytes, string_from);
        });
}

TEST(StringCopies, StreamsBeginNoLaterThanSingleCopies) {
    EXPECT_LE(kStringCopies.in_streams_from, kStringCopies.from);
    EXPECT_GT(kStringCopies.in_streams_from, 64U) << "shorter ones go through registers";
}

}  // namespace
}  // namespace rb2
