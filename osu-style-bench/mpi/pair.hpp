#pragma once

#include "osu-style-bench/mpi/world.hpp"

namespace rb2::bench {

/// One end of a pair of ranks that exchange messages. Rank r of the lower half pairs with r + size/2.
struct Pair {
    int self;
    int peer;
    bool first;  ///< this end sends first
};

inline Pair pair_of(const World& world) {
    const int half = world.size() / 2;
    const bool first = world.rank() < half;
    return {world.rank(), first ? world.rank() + half : world.rank() - half, first};
}

}  // namespace rb2::bench
