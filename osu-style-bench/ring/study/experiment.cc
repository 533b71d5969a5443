#include "osu-style-bench/ring/study/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace rb2::bench::study {

std::string heading_of(Metric metric) {
    switch (metric) {
        case Metric::gigabits:
            return "Gbit/s";
        case Metric::million_messages:
            return "million messages/s";
        case Metric::mean_us:
            return "mean round trip (us)";
        case Metric::p50_us:
            return "median round trip (us)";
        case Metric::p99_us:
            return "99 % round trip (us)";
        case Metric::p999_us:
            return "99.9 % round trip (us)";
        case Metric::p999_quarter_us:
            return "in a quarter of the rounds at most (us)";
        case Metric::p999_three_quarters_us:
            return "in three quarters (us)";
    }
    return {};
}

double value_of(Metric metric, const Summary& summary, std::size_t bytes) {
    switch (metric) {
        case Metric::gigabits:
            return summary.messages_per_second * static_cast<double>(bytes) * 8e-9;
        case Metric::million_messages:
            return summary.messages_per_second * 1e-6;
        case Metric::mean_us:
            return summary.mean_us;
        case Metric::p50_us:
            return summary.p50_us;
        case Metric::p99_us:
            return summary.p99_us;
        case Metric::p999_us:
            return summary.p999_us;
        case Metric::p999_quarter_us:
            return summary.p999_quarter_us;
        case Metric::p999_three_quarters_us:
            return summary.p999_three_quarters_us;
    }
    return 0;
}

const Summary& Taken::at(std::size_t bench, std::size_t key, const std::string& label) const {
    const auto row = std::ranges::find(experiment->keys, key);
    const auto column = std::ranges::find(experiment->series, label, &Series::label);
    if (row == experiment->keys.end() || column == experiment->series.end()) {
        throw std::logic_error(fmt::format("{} has no figure of {} at {}", experiment->id, label, key));
    }
    const auto at_row = static_cast<std::size_t>(row - experiment->keys.begin());
    const auto at_column = static_cast<std::size_t>(column - experiment->series.begin());
    return figures[bench][at_row][at_column];
}

Taken take(const Experiment& experiment, Campaign& campaign) {
    Taken taken{&experiment, {}};
    for (const Bench* const bench : experiment.benches) {
        auto& rows = taken.figures.emplace_back();
        for (const std::size_t key : experiment.keys) {
            std::vector<Point> points;
            for (const Series& series : experiment.series) {
                Job job = job_of(*bench, series.job, experiment.keys_are_pairs ? series.job.bytes : key);
                if (experiment.keys_are_pairs) job.pairs = static_cast<int>(key);
                points.push_back({series.subject, job});
            }
            rows.push_back(campaign.run(points, experiment.times));
        }
    }
    return taken;
}

}  // namespace rb2::bench::study
