#pragma once
// How two ranks prove to each other that they know the job's secret, before anything else is read.
//
//   acceptor  -> Challenge   a number never used before
//   connector -> Hello       who calls whom, its own number, a proof over both
//   acceptor  -> Welcome     whether this connection is used, a proof over all of that
//   connector -> Confirm     it has seen the proof; frames follow
//
// A proof is an HMAC-SHA256 (RFC 2104) under the secret, with the role in front so that none can be sent back
// for the other's. A recorded Hello does not fit a new Challenge. The acceptor proves nothing to a stranger.
// What follows the handshake is neither encrypted nor signed: whoever can inject into the TCP stream is
// trusted.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace rb2::fabric::tcp {

using Secret = std::array<std::byte, 32>;
using Nonce = std::array<std::byte, 32>;
using Proof = std::array<std::byte, 32>;
/// What the user of the fabric wants the peer's user to know first, say where its memory is.
using Greeting = std::array<std::byte, 64>;

inline constexpr std::uint64_t kHandshakeMagic = 0x3130'7063'7432'6272;  // "rb2tcp01" read as little-endian

struct Challenge {
    std::uint64_t magic = kHandshakeMagic;
    Nonce nonce{};
};

struct Hello {
    std::uint64_t magic = kHandshakeMagic;
    std::uint32_t from = 0;  ///< rank that calls
    std::uint32_t to = 0;    ///< rank that it means to call
    Nonce nonce{};
    Greeting greeting{};
    Proof proof{};  ///< over the challenge and everything before it here
};

enum class Reception : std::uint32_t {
    accepted = 1,
    superseded = 2,  ///< there is, or is about to be, another connection between the two
    refused = 3,     ///< there was one, and it is lost
    exhausted = 4,   ///< no descriptor is left for it; worth another call
};

struct Welcome {
    std::uint64_t magic = kHandshakeMagic;
    Reception reception = Reception::accepted;
    std::uint32_t reserved = 0;
    Greeting greeting{};
    Proof proof{};  ///< over both messages before and everything before it here
};

struct Confirm {
    std::uint64_t magic = kHandshakeMagic;
};

static_assert(std::is_trivially_copyable_v<Hello> && std::is_trivially_copyable_v<Welcome>);
static_assert(sizeof(Challenge) == 40 && sizeof(Hello) == 144 && sizeof(Welcome) == 112);
static_assert(sizeof(Confirm) == 8);
static_assert(offsetof(Hello, nonce) == 16 && offsetof(Hello, proof) == 112);
static_assert(offsetof(Welcome, greeting) == 16 && offsetof(Welcome, proof) == 80);

/// 32 bytes from the kernel. False if it has none.
[[nodiscard]] bool random_nonce(Nonce& nonce) noexcept;

[[nodiscard]] Proof prove(const Secret& secret, const Challenge& challenge, const Hello& hello) noexcept;
[[nodiscard]] Proof prove(const Secret& secret, const Challenge& challenge, const Hello& hello,
                          const Welcome& welcome) noexcept;
/// In a time that does not depend on where they differ.
[[nodiscard]] bool same(const Proof& a, const Proof& b) noexcept;

}  // namespace rb2::fabric::tcp
