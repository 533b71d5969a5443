#pragma once
// What a rank tells a peer of the connections between the two: one queue pair or more on each of its rails.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/fabric/verbs/card.hpp"
#include "runtime/network/rails.hpp"

namespace rb2::network {

struct LineCard {
    static constexpr std::size_t kMostPairs = 16;
    struct Pair {
        std::uint32_t number = 0;
        std::uint32_t first_packet = 0;
    };

    fabric::verbs::Address address{};    ///< of the first rail
    std::vector<RailAddress> further{};  ///< rails
    fabric::Remote memory{};             ///< the block of the rings, as the first rail knows it
    std::vector<Pair> pairs{};           ///< rail by rail, as many on each

    [[nodiscard]] std::size_t rails() const noexcept { return further.size() + 1; }
    [[nodiscard]] std::size_t pairs_per_rail() const noexcept { return pairs.size() / rails(); }
    [[nodiscard]] std::size_t number(std::size_t rail, std::size_t pair) const noexcept {
        return rail * pairs_per_rail() + pair;
    }
    /// For the endpoint that is to be connected to that queue pair.
    [[nodiscard]] fabric::verbs::Card card(std::size_t number) const {
        const std::size_t rail = number / pairs_per_rail();
        return {.queue_pair = pairs[number].number,
                .first_packet = pairs[number].first_packet,
                .memory = memory,
                .address = rail == 0 ? address : further[rail - 1].full()};
    }
};

}  // namespace rb2::network
