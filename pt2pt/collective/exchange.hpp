#pragma once
// All speak to all, at once.
//
// n - 1 messages to each rank where others need log2 n, but one round: where ranks share CPUs the round is
// what costs.

#include <vector>

#include "pt2pt/collective/algorithms.hpp"

namespace rb2::collective {

/// Ranks up to which the messages cost less than the rounds.
constexpr int kExchangeRanks = 16;

/// `out(r)` goes to rank r and `in(r)` comes from it, for all other ranks, the next one first.
template <Steps S, class Out, class In>
void exchange(S& steps, Out out, In in) {
    const int size = steps.size();
    for (int distance = 1; distance < size; ++distance) {
        const int from = (steps.rank() + size - distance) % size;
        const int to = (steps.rank() + distance) % size;
        steps.receive(in(from), from);
        steps.send(out(to), to);
    }
}

}  // namespace rb2::collective
