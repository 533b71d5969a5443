#pragma once

#include <vector>

namespace rb2::bench {

/// The middle value (mean of the two middle ones for an even count). Throws std::invalid_argument when empty.
double median(std::vector<double> values);

/// The smallest value that at least the given fraction (0 to 1) of all values do not exceed (nearest rank).
/// Throws std::invalid_argument when values is empty or fraction is outside 0 to 1.
double percentile(std::vector<double> values, double fraction);

}  // namespace rb2::bench
