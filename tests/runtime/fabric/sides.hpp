#pragma once
// Two joined endpoints of each fabric, so that one test runs over all of them.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "runtime/fabric/costed/endpoint.hpp"
#include "runtime/fabric/fake/endpoint.hpp"
#include "runtime/fabric/fault/endpoint.hpp"
#include "runtime/fabric/shm/endpoint.hpp"
#include "runtime/fabric/shm/message_endpoint.hpp"
#include "tests/runtime/fabric/tcp/link.hpp"

namespace rb2::fabric::test {

inline constexpr std::size_t kWindowBytes = 4096;

/// Memory of one side, aligned to words.
struct alignas(64) Memory {
    std::array<std::byte, kWindowBytes> bytes{};

    [[nodiscard]] std::uint64_t word(std::size_t at) const {
        std::uint64_t value = 0;
        std::memcpy(&value, bytes.data() + at, sizeof value);
        return value;
    }
    void set_word(std::size_t at, std::uint64_t value) {
        std::memcpy(bytes.data() + at, &value, sizeof value);
    }
    [[nodiscard]] Source source(std::size_t at, std::size_t count, Key key) const {
        return {bytes.data() + at, count, key};
    }
};

struct ShmSides {
    using Endpoint = shm::Endpoint;

    Memory memory_a, memory_b;
    shm::ImmQueue a_to_b, b_to_a;
    Endpoint a{{.own = memory_a.bytes, .peer = memory_b.bytes, .outgoing = &a_to_b, .incoming = &b_to_a}};
    Endpoint b{{.own = memory_b.bytes, .peer = memory_a.bytes, .outgoing = &b_to_a, .incoming = &a_to_b}};
};

/// Shared memory with two-sided messages and ordered bytes.
struct ShmMessageSides {
    using Endpoint = shm::MessageEndpoint;

    Memory memory_a, memory_b;
    shm::ImmQueue imm_ab, imm_ba;
    shm::MessageQueue ab, ba;
    Endpoint a{{memory_a.bytes, memory_b.bytes, &imm_ab, &imm_ba}, {&ab, &ba}};
    Endpoint b{{memory_b.bytes, memory_a.bytes, &imm_ba, &imm_ab}, {&ba, &ab}};
};

struct FakeSides {
    using Endpoint = fake::Endpoint;

    Memory memory_a, memory_b;
    fake::Link link;
    Endpoint& a = link.a();
    Endpoint& b = link.b();
};

/// The fake behind a decorator that shuffles what it may.
struct FaultySides {
    using Endpoint = fault::Endpoint<fake::Endpoint>;

    Memory memory_a, memory_b;
    fake::Link link;
    Endpoint a{link.a(), {.seed = 1, .shuffle_bytes = true, .reorder = true}};
    Endpoint b{link.b(), {.seed = 2, .shuffle_bytes = true, .reorder = true}};
};

/// A clock that only a wait moves. Refers to its time, which outlives it.
class ManualClock {
  public:
    explicit ManualClock(std::uint64_t& now_ns) noexcept : now_ns_(&now_ns) {}
    [[nodiscard]] std::uint64_t now() const noexcept { return *now_ns_; }
    void wait_until(std::uint64_t tick) const noexcept { *now_ns_ = std::max(*now_ns_, tick); }
    [[nodiscard]] static std::uint64_t ticks(double ns) noexcept { return static_cast<std::uint64_t>(ns); }

  private:
    std::uint64_t* now_ns_;
};

/// Shared memory with a price on every request, but no latency: what is flushed has landed.
struct CostedSides {
    using Endpoint = costed::Endpoint<shm::Endpoint, ManualClock>;
    static constexpr costed::Costs kCosts{.latency_ns = 0, .gigabits_per_second = 0};

    Memory memory_a, memory_b;
    std::uint64_t now = 0;
    shm::ImmQueue a_to_b, b_to_a;
    shm::Endpoint inner_a{
        {.own = memory_a.bytes, .peer = memory_b.bytes, .outgoing = &a_to_b, .incoming = &b_to_a}};
    shm::Endpoint inner_b{
        {.own = memory_b.bytes, .peer = memory_a.bytes, .outgoing = &b_to_a, .incoming = &a_to_b}};
    Endpoint a{inner_a, kCosts, ManualClock(now)};
    Endpoint b{inner_b, kCosts, ManualClock(now)};
};

/// A connection over the loopback interface, made by the first flush.
struct TcpSides {
    using Endpoint = tcp::test::SteppedEndpoint;

    Memory memory_a, memory_b;
    tcp::test::Link link;
    Endpoint a{link, link.end_a()};
    Endpoint b{link, link.end_b()};
};

/// All completions that are there.
template <class Endpoint>
std::vector<Completion> completions(Endpoint& endpoint) {
    std::array<Completion, 32> taken;
    const std::size_t count = endpoint.poll(taken);
    return {taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// Fills a memory with bytes that tell their place.
inline void number_bytes(Memory& memory) {
    for (std::size_t at = 0; at < kWindowBytes; ++at)
        memory.bytes[at] = static_cast<std::byte>(at * 7 + at / 256);
}

}  // namespace rb2::fabric::test
