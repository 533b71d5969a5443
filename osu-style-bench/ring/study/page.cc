#include "osu-style-bench/ring/study/page.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace rb2::bench::study {
namespace {

constexpr std::size_t kFewRows = 2;  // tables of fewer rows than these have a row for each series instead
constexpr const char* kBegin = "<!-- generated: begin -->\n";
constexpr const char* kEnd = "<!-- generated: end -->\n";

/// Three digits that count.
std::string digits(double value) {
    if (value >= 100) return fmt::format("{:.0f}", value);
    if (value >= 10) return fmt::format("{:.1f}", value);
    return fmt::format("{:.2f}", value);
}

std::string ruler(std::size_t columns) {
    std::string line = "|---|";
    for (std::size_t i = 0; i < columns; ++i) line += "---:|";
    return line + "\n";
}

std::size_t bytes_at(const Taken& taken, std::size_t key, std::size_t series) {
    return taken.experiment->keys_are_pairs ? taken.experiment->series[series].job.bytes
                                            : taken.experiment->keys[key];
}

/// A row for each size.
std::string tall_table(const Taken& taken, std::size_t bench, Metric metric) {
    const Experiment& experiment = *taken.experiment;
    std::string text = fmt::format("{}, {}:\n\n| {} |", experiment.benches[bench]->title, heading_of(metric),
                                   experiment.x_label);
    for (const Series& series : experiment.series) text += fmt::format(" {} |", series.label);
    text += fmt::format("\n{}", ruler(experiment.series.size()));
    for (std::size_t key = 0; key < experiment.keys.size(); ++key) {
        text += fmt::format("| {} |", experiment.keys[key]);
        for (std::size_t i = 0; i < experiment.series.size(); ++i) {
            text += fmt::format(
                " {} |", digits(value_of(metric, taken.figures[bench][key][i], bytes_at(taken, key, i))));
        }
        text += "\n";
    }
    return text + "\n";
}

/// Calls visit(bench, metric, key) for each column of a wide table.
template <class Visit>
void for_each_column(const Experiment& experiment, Visit visit) {
    for (std::size_t bench = 0; bench < experiment.benches.size(); ++bench) {
        for (const Metric metric : experiment.metrics[bench]) {
            for (std::size_t key = 0; key < experiment.keys.size(); ++key) visit(bench, metric, key);
        }
    }
}

/// A row for each series.
std::string wide_table(const Taken& taken) {
    const Experiment& experiment = *taken.experiment;
    std::string text = "| |";
    std::size_t columns = 0;
    for_each_column(experiment, [&](std::size_t, Metric metric, std::size_t key) {
        text += fmt::format(" {}, {} B |", heading_of(metric), experiment.keys[key]);
        ++columns;
    });
    text += fmt::format("\n{}", ruler(columns));
    for (std::size_t i = 0; i < experiment.series.size(); ++i) {
        text += fmt::format("| {} |", experiment.series[i].label);
        for_each_column(experiment, [&](std::size_t bench, Metric metric, std::size_t key) {
            text += fmt::format(
                " {} |", digits(value_of(metric, taken.figures[bench][key][i], bytes_at(taken, key, i))));
        });
        text += "\n";
    }
    return text + "\n";
}

std::string read_all(const std::filesystem::path& page) {
    std::ifstream file(page);
    if (!file) throw std::runtime_error(fmt::format("cannot read '{}'", page.string()));
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::string section_of(const Taken& taken, const std::string& picture) {
    const Experiment& experiment = *taken.experiment;
    std::string text = fmt::format("### {}\n\n", experiment.title);
    if (!picture.empty()) text += fmt::format("![{}]({})\n\n", experiment.title, picture);
    if (experiment.keys.size() <= kFewRows && !experiment.draws) return text + wide_table(taken);
    for (std::size_t bench = 0; bench < experiment.benches.size(); ++bench) {
        for (const Metric metric : experiment.metrics[bench]) text += tall_table(taken, bench, metric);
    }
    return text;
}

std::string section_of(const std::vector<Claim>& claims) {
    if (claims.empty()) return {};
    std::string text = "### Beside the papers\n\n| what | paper | here | agrees |\n|---|---:|---:|---|\n";
    for (const Claim& claim : claims) {
        text += fmt::format("| {} | {} | {} | {} |\n", claim.text, claim.paper, claim.here,
                            claim.agrees ? "yes" : "**no**");
    }
    return text + "\n";
}

std::vector<compare::Panel> panels_of(const Taken& taken) {
    const Experiment& experiment = *taken.experiment;
    std::vector<compare::Panel> panels;
    for (std::size_t bench = 0; bench < experiment.benches.size(); ++bench) {
        for (const Metric metric : experiment.metrics[bench]) {
            compare::Panel panel{
                std::string(experiment.benches[bench]->title), experiment.x_label, heading_of(metric), {}};
            for (std::size_t i = 0; i < experiment.series.size(); ++i) {
                compare::Curve curve{experiment.series[i].label, {}, experiment.series[i].style};
                for (std::size_t key = 0; key < experiment.keys.size(); ++key) {
                    curve.points.emplace_back(
                        static_cast<double>(experiment.keys[key]),
                        value_of(metric, taken.figures[bench][key][i], bytes_at(taken, key, i)));
                }
                panel.curves.push_back(std::move(curve));
            }
            panels.push_back(std::move(panel));
        }
    }
    return panels;
}

void replace_generated(const std::filesystem::path& page, const std::string& text) {
    std::string whole = read_all(page);
    const std::size_t begin = whole.find(kBegin);
    const std::size_t end = whole.find(kEnd);
    if (begin == std::string::npos || end == std::string::npos || end < begin) {
        throw std::runtime_error(fmt::format("'{}' has no part between the lines '{}' and '{}'",
                                             page.string(), std::string(kBegin, 25), std::string(kEnd, 23)));
    }
    const std::size_t start = begin + std::char_traits<char>::length(kBegin);
    whole.replace(start, end - start, fmt::format("\n{}", text));
    std::ofstream file(page, std::ios::trunc);
    file << whole;
    file.close();
    if (!file) throw std::runtime_error(fmt::format("cannot write '{}'", page.string()));
}

}  // namespace rb2::bench::study
