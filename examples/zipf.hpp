#pragma once
// Skewed choices, as keys and network flows have them: rank r of n is drawn with weight 1 / r^0.99, the
// constant of the YCSB benchmark (B. Cooper et al., "Benchmarking cloud serving systems with YCSB", ACM SOCC
// 2010).

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

/// `count` draws from 0 to `choices` - 1, drawn ahead so that drawing is not part of what is timed.
inline std::vector<std::uint32_t> zipf_draws(std::size_t count, std::uint32_t choices, unsigned seed) {
    std::vector<double> weights(choices);
    for (std::uint32_t i = 0; i < choices; ++i) weights[i] = 1 / std::pow(i + 1.0, 0.99);
    std::discrete_distribution<std::uint32_t> distribution(weights.begin(), weights.end());
    std::mt19937 random(seed);
    std::vector<std::uint32_t> draws(count);
    for (std::uint32_t& draw : draws) draw = distribution(random);
    return draws;
}
