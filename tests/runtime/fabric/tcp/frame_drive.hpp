#pragma once
// Any bytes through the frame parser, as the socket would bring them. Used by the seeded test and by
// libFuzzer.

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "runtime/fabric/tcp/inbound.hpp"

namespace rb2::fabric::tcp::test {

/// What came of a stream.
struct Outcome {
    Inbound::Verdict verdict = Inbound::Verdict::more;
    std::size_t immediates = 0;
    std::size_t answers = 0;  ///< questions of the peer
    std::size_t taken = 0;    ///< bytes of the input
};

/// Memory that a stream may reach, with memory on both sides that it may not.
class Ground {
  public:
    static constexpr std::size_t kRegionBytes = 32'768;
    static constexpr std::size_t kGuardBytes = 4096;

    Ground() : bytes_(kRegionBytes + 2 * kGuardBytes, kGuard) { std::ranges::fill(region(), std::byte{0}); }
    [[nodiscard]] std::span<std::byte> region() {
        return std::span(bytes_).subspan(kGuardBytes, kRegionBytes);
    }
    [[nodiscard]] bool guarded() const {
        const auto is_guard = [](std::byte byte) { return byte == kGuard; };
        return std::all_of(bytes_.begin(), bytes_.begin() + kGuardBytes, is_guard) &&
               std::all_of(bytes_.end() - kGuardBytes, bytes_.end(), is_guard);
    }

  private:
    static constexpr std::byte kGuard{0xa5};
    std::vector<std::byte> bytes_;
};

/// Feeds `input` in pieces that `next_piece()` gives the lengths of. Aborts where something happens that no
/// input may cause. `key` becomes that of the region in `ground`, so that streams can be made that hit it.
template <class NextPiece>
Outcome drive(std::span<const std::byte> input, Ground& ground, NextPiece next_piece) {
    const auto must = [](bool condition) {
        if (!condition) std::abort();
    };
    RegionTable regions;
    const int owner = 0;
    static_cast<void>(regions.add(ground.region(), &owner));
    // On the heap alone, so that a write beyond it is noticed.
    const auto in = std::make_unique<Inbound>(regions, &owner);
    std::array<std::uint64_t, 4> sinks{};
    for (std::size_t i = 0; i < sinks.size(); ++i) {
        in->ask(i % 2 == 0 ? Operation::read : Operation::fetch_add, reinterpret_cast<std::byte*>(&sinks[i]),
                8, i + 1);
    }
    Outcome outcome;
    std::array<Completion, 3> done;
    while (outcome.taken < input.size()) {
        const std::size_t piece = std::clamp<std::size_t>(next_piece(), 1, input.size() - outcome.taken);
        std::array<iovec, 2> vectors;
        const std::size_t count = in->plan(vectors, piece);
        must(count >= 1 && count <= 2);  // the region does not go here
        std::size_t moved = 0;
        for (const iovec& vector : std::span(vectors).first(count)) {
            const std::size_t part = std::min(vector.iov_len, piece - moved);
            std::memcpy(vector.iov_base, input.data() + outcome.taken + moved, part);
            moved += part;
        }
        must(moved != 0);
        outcome.taken += moved;
        outcome.verdict = in->received(moved);
        while (outcome.verdict == Inbound::Verdict::stalled) {
            const std::size_t polled = in->poll(done);
            must(polled != 0);
            outcome.immediates += polled;
            outcome.verdict = in->resume();
        }
        for (; !in->answers().empty(); in->answers().pop()) ++outcome.answers;
        if (outcome.verdict != Inbound::Verdict::more) break;
    }
    for (std::size_t polled = in->poll(done); polled != 0; polled = in->poll(done))
        outcome.immediates += polled;
    must(ground.guarded());
    return outcome;
}

}  // namespace rb2::fabric::tcp::test
