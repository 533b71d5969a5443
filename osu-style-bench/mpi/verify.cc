#include "osu-style-bench/mpi/verify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "osu-style-bench/engine/pattern.hpp"

namespace rb2::bench {
namespace {

constexpr std::size_t kWindowBudget = 16UL << 20;
constexpr std::size_t kRounds = 4;

std::size_t window_budget(const Options& options) {
    return std::min(kWindowBudget, static_cast<std::size_t>(options.window) * options.max_bytes);
}

}  // namespace

std::size_t verified_window(const Options& options, std::size_t bytes) {
    const std::size_t fitting = window_budget(options) / std::max<std::size_t>(1, bytes);
    return std::clamp<std::size_t>(fitting, 1, static_cast<std::size_t>(options.window));
}

std::size_t buffer_bytes(const Options& options) {
    return options.verify ? std::max(options.max_bytes, window_budget(options)) : options.max_bytes;
}

void expect_pattern(std::span<const std::byte> data, int self, int sender, std::size_t sequence) {
    if (const auto wrong = find_mismatch(data, pattern_seed(sender, sequence))) {
        fail(self, fmt::format(
                       "wrong data in message {} from rank {}: byte {} of {} is 0x{:02x}, expected 0x{:02x}",
                       sequence, sender, wrong->offset, data.size(), static_cast<int>(wrong->found),
                       static_cast<int>(wrong->expected))
                       .c_str());
    }
}

void verify_ping_pong(const Run& run, const Pair& pair, std::size_t bytes) {
    const auto out = run.outgoing.first(bytes);
    const auto in = run.incoming.first(bytes);
    for (std::size_t round = 0; round < kRounds; ++round) {
        fill_pattern(out, pattern_seed(pair.self, round));
        std::ranges::fill(in, std::byte{0});
        if (pair.first) {
            send(out, pair.peer);
        }
        recv(in, pair.peer);
        expect_pattern(in, pair.self, pair.peer, round);
        if (!pair.first) {
            send(out, pair.peer);
        }
    }
}

void verify_window(const Run& run, const Pair& pair, std::size_t bytes) {
    const std::size_t window = verified_window(run.options, bytes);
    for (std::size_t i = 0; i < window; ++i) {
        fill_pattern(run.outgoing.piece(i, bytes), pattern_seed(pair.self, i));
        std::ranges::fill(run.incoming.piece(i, bytes), std::byte{0});
    }
    const std::span<MPI_Request> requests(run.requests.data(), 2 * window);
    for (std::size_t i = 0; i < window; ++i) {
        irecv(run.incoming.piece(i, bytes), pair.peer, requests[i]);
    }
    for (std::size_t i = 0; i < window; ++i) {
        isend(run.outgoing.piece(i, bytes), pair.peer, requests[window + i]);
    }
    wait_all(requests);
    for (std::size_t i = 0; i < window; ++i) {
        expect_pattern(run.incoming.piece(i, bytes), pair.self, pair.peer, i);
    }
}

}  // namespace rb2::bench
