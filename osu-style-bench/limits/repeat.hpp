#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "osu-style-bench/engine/statistics.hpp"

namespace rb2::bench::limits {

/// The median of what measure returns over this many calls.
template <typename Measure>
double median_of(int repetitions, Measure measure) {
    std::vector<double> figures;
    figures.reserve(static_cast<std::size_t>(repetitions));
    for (int i = 0; i < repetitions; ++i) {
        figures.push_back(measure());
    }
    return median(std::move(figures));
}

}  // namespace rb2::bench::limits
