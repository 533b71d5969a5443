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
    std::size_t answers = 0;          ///< questions of the peer
    std::size_t taken = 0;            ///< bytes of the input
    std::vector<std::byte> followed;  ///< what landed of payloads that follow
};

/// Payloads that follow, as they are announced, in turn.
inline constexpr std::array<std::size_t, 5> kAnnounced{1, 300, 4096, 4097, 20'000};
/// Of each only so many bytes are wanted.
inline constexpr std::size_t kWanted = 5000;

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
    // Behind it lies memory that no payload may reach.
    const auto landing = std::make_unique<std::array<std::byte, kWanted>>();
    std::size_t announced = 0;
    const auto resume = [&] {
        const std::size_t polled = in->poll(done);
        outcome.immediates += polled;
        if (outcome.verdict == Inbound::Verdict::placing) {
            const std::size_t bytes = kAnnounced[announced++ % kAnnounced.size()];
            in->place(std::span(*landing).first(std::min(bytes, kWanted)), bytes);
        } else {
            must(polled != 0);
        }
        outcome.verdict = in->resume();
    };
    const auto take_landed = [&] {
        if (!in->take_landed()) return;
        const std::size_t bytes = std::min(kAnnounced[(announced - 1) % kAnnounced.size()], kWanted);
        outcome.followed.insert(outcome.followed.end(), landing->begin(), landing->begin() + bytes);
    };
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
        take_landed();
        while (outcome.verdict == Inbound::Verdict::stalled || outcome.verdict == Inbound::Verdict::placing) {
            resume();
            take_landed();
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
