#include "osu-style-bench/compare/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "osu-style-bench/engine/statistics.hpp"

namespace rb2::bench::compare {
namespace {

std::optional<double> median_at(const Samples& samples, std::size_t key) {
    const auto found = samples.find(key);
    return found == samples.end() ? std::nullopt : std::optional(median(found->second));
}

std::optional<double> better_peer(const std::vector<std::optional<double>>& figures, Better better) {
    std::optional<double> best;
    for (std::size_t i = 1; i < figures.size(); ++i) {
        if (!figures[i]) {
            continue;
        }
        const bool improves = !best || (better == Better::Lower ? *figures[i] < *best : *figures[i] > *best);
        best = improves ? figures[i] : best;
    }
    return best;
}

void judge(ComparedRow& row, Better better) {
    const auto peer = better_peer(row.figures, better);
    if (row.figures.empty() || !row.figures.front() || !peer || *peer == 0) {
        return;
    }
    row.ratio = *row.figures.front() / *peer;
    row.better = better == Better::Lower ? *row.ratio <= 1 : *row.ratio >= 1;
}

}  // namespace

void add_figures(Samples& samples, const nlohmann::json& report, const Case& bench, const Start& start) {
    for (const auto& row : report.at("rows")) {
        const auto values = row.at("values").get<std::vector<double>>();
        if (bench.figure >= values.size()) {
            throw std::runtime_error(fmt::format("{} reports {} figures, number {} is wanted", bench.program,
                                                 values.size(), bench.figure + 1));
        }
        samples[start.key.value_or(row.at("key").get<std::size_t>())].push_back(values[bench.figure]);
    }
}

std::vector<ComparedRow> compare_samples(const std::vector<Samples>& libraries, Better better) {
    std::set<std::size_t> keys;
    for (const Samples& samples : libraries) {
        for (const auto& [key, figures] : samples) {
            keys.insert(key);
        }
    }
    std::vector<ComparedRow> rows;
    for (const std::size_t key : keys) {
        ComparedRow row{.key = key, .figures = {}, .ratio = {}, .limit = {}};
        for (const Samples& samples : libraries) {
            row.figures.push_back(median_at(samples, key));
        }
        judge(row, better);
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace rb2::bench::compare
