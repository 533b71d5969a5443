#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "osu-style-bench/ring/bench.hpp"
#include "osu-style-bench/ring/campaign.hpp"

namespace rb2::bench::study {

/// Bytes of Table II's messages.
inline constexpr std::size_t kSmall = 512;
inline constexpr std::size_t kLarge = std::size_t{1} << 20;

/// What a table or a diagram shows of the figures.
enum class Metric {
    gigabits,
    million_messages,
    mean_us,
    p50_us,
    p99_us,
    p999_us,
    p999_quarter_us,
    p999_three_quarters_us
};

/// Heading with the unit.
std::string heading_of(Metric metric);

/// The figure of a summary, for messages of `bytes`.
double value_of(Metric metric, const Summary& summary, std::size_t bytes);

/// A line of the papers' diagrams: a subject under a job; its size comes from the experiment.
struct Series {
    std::string label;
    const Subject* subject;
    Job job;
    int style;  ///< of its curve; a subject keeps its own throughout
};

/// One figure or table of a paper, taken again.
struct Experiment {
    std::string id;  ///< also names its PNG
    std::string title;
    std::string x_label;
    std::vector<std::size_t> keys;  ///< rows: message sizes, or numbers of pairs
    bool keys_are_pairs = false;
    std::vector<Series> series{};
    std::vector<const Bench*> benches;         ///< one or two
    std::vector<std::vector<Metric>> metrics;  ///< of each bench, in their order
    bool draws = true;
    int times = 1;  ///< as many times the usual rounds, for what varies much
};

/// Figures by bench, key and series.
struct Taken {
    const Experiment* experiment;
    std::vector<std::vector<std::vector<Summary>>> figures;

    [[nodiscard]] const Summary& at(std::size_t bench, std::size_t key, const std::string& label) const;
};

/// How much time the study may take.
struct Effort {
    bool quick = false;
    fabric::costed::Costs costs;
};

/// All of them, in the order of the page.
std::vector<Experiment> all_experiments(const Effort& effort);

/// Takes the figures.
Taken take(const Experiment& experiment, Campaign& campaign);

}  // namespace rb2::bench::study
