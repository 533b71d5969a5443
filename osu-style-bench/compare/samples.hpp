#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "osu-style-bench/compare/case.hpp"

namespace rb2::bench::compare {

/// Figures of one library in one case: per row, one figure for every round that succeeded.
using Samples = std::map<std::size_t, std::vector<double>>;

/// Adds the figures that a program wrote as JSON. Throws std::runtime_error when the column is not there.
void add_figures(Samples& samples, const nlohmann::json& report, const Case& bench, const Start& start);

/// One row of the comparison. figures: the median per library, in the order of the libraries, rb2 first;
/// none where a library was not measured.
struct ComparedRow {
    std::size_t key;
    std::vector<std::optional<double>> figures;
    std::optional<double> ratio;  ///< rb2's figure over the better peer's
    bool better = false;          ///< whether rb2 is at least as good as the better peer
    std::optional<double> limit;  ///< the machine's own limit, in the same unit
};

/// Medians and ratios of all rows that any library has, by rising key.
std::vector<ComparedRow> compare_samples(const std::vector<Samples>& libraries, Better better);

}  // namespace rb2::bench::compare
