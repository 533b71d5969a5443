#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "osu-style-bench/compare/case.hpp"
#include "osu-style-bench/limits/limits.hpp"

namespace rb2::bench::compare {

/// The machine's own limits, measured once before the comparison.
struct MachineLimits {
    double cache_line_us = 0;
    double slots_per_second = 0;
    std::map<std::size_t, limits::PipelinedCopy> copies;  ///< by message size
};

MachineLimits measure_limits(int repetitions);

/// The limit that a figure of this kind at this size is read against, in the figure's unit; none where there
/// is no sensible one (latency between one cache line and the smallest pipelined copy).
std::optional<double> limit_for(const MachineLimits& machine, Yardstick yardstick, std::size_t bytes);

/// Watches how far apart the two processors are. On a virtual machine they move between the cores of the host
/// within seconds, and the time a cache line takes between them changes tenfold; figures taken in
/// different states must not be compared.
class Steadiness {
  public:
    /// Takes the usual distance from several probes over about a second.
    Steadiness();

    [[nodiscard]] double usual_us() const { return usual_us_; }

    /// Whether a probe now finds the usual distance, within a third.
    [[nodiscard]] bool as_usual() const;

  private:
    limits::Processors processors_;
    double usual_us_;
};

}  // namespace rb2::bench::compare
