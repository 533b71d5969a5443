#pragma once
// The words by which two ranks come to have a connection over verbs (introduction.hpp): what a datagram
// holds. Plain data in the host's byte order, as in all cards.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

#include "runtime/fabric/verbs/card.hpp"
#include "runtime/network/channel.hpp"
#include "runtime/network/line_card.hpp"

namespace rb2::network {

/// What ranks publish where peers are met at first contact: where datagrams reach them.
struct Mailbox {
    fabric::verbs::Address address;
    std::uint32_t number = 0;  ///< of the queue pair that hears them
    std::uint32_t reserved = 0;
};
static_assert(std::is_trivially_copyable_v<Mailbox> && sizeof(Mailbox) == 88);

struct Hello {
    static constexpr std::uint64_t kMagic = 0x326f'6c65'6832'6272;  // "rb2helo2" read as little-endian
    static constexpr std::size_t kMostFurther = kMostRails - 1;
    enum Flags : std::uint32_t { kConnected = 1, kSure = 2, kRefused = 4 };

    std::uint64_t magic = kMagic;
    std::uint64_t job = 0;   ///< of JobKeys: a stranger's or an earlier job's words are not heard
    std::uint32_t from = 0;  ///< ranks
    std::uint32_t to = 0;
    std::uint32_t flags = 0;  ///< refused: there is no memory or queue pair left for the connection
    std::uint32_t slots = 0;  ///< of the rings between the two
    fabric::Remote memory{};  ///< what the speaker keeps for the listener
    Mailbox mailbox{};        ///< the speaker's
    std::uint32_t pair_count = 0;
    std::uint32_t further_count = 0;
    std::array<LineCard::Pair, LineCard::kMostPairs> pairs{};
    std::array<RailAddress, kMostFurther> further{};  ///< rails

    [[nodiscard]] bool has(Flags flag) const noexcept { return (flags & flag) != 0; }
    /// What the speaker's line is.
    [[nodiscard]] LineCard card() const;
    void set_card(const LineCard& card);
};
static_assert(std::is_trivially_copyable_v<Hello> && offsetof(Hello, memory) == 32 &&
              offsetof(Hello, mailbox) == 48 && offsetof(Hello, pairs) == 144 &&
              offsetof(Hello, further) == 272 && sizeof(Hello) == 344);

/// Two numbers that only ranks of the job know: for Hello::job, and the key of their datagrams. Derived from
/// the secret (HMAC-SHA256), so that who overhears them learns nothing of it.
struct JobKeys {
    explicit JobKeys(const std::array<std::byte, 32>& secret) noexcept;
    std::uint64_t job = 0;
    std::uint32_t datagrams = 0;
};

/// Nothing when it is none of this job's for this rank.
[[nodiscard]] inline std::optional<Hello> read_hello(std::span<const std::byte> bytes, std::uint64_t job,
                                                     std::uint32_t rank, std::uint32_t ranks) {
    Hello hello;
    if (bytes.size() != sizeof hello) return std::nullopt;
    std::memcpy(&hello, bytes.data(), sizeof hello);
    const bool sound = hello.magic == Hello::kMagic && hello.job == job && hello.to == rank &&
                       hello.from < ranks && hello.from != rank && hello.pair_count <= LineCard::kMostPairs &&
                       hello.further_count <= Hello::kMostFurther &&
                       hello.pair_count % (hello.further_count + 1) == 0 &&
                       (hello.pair_count != 0 || hello.has(Hello::kRefused));
    return sound ? std::optional(hello) : std::nullopt;
}

}  // namespace rb2::network
