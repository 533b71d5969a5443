#include "osu-style-bench/compare/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rb2::bench::compare {
namespace {

constexpr double kManyDigits = 1e5;

std::string figure_text(const std::optional<double>& figure) {
    if (!figure) {
        return "-";
    }
    return *figure >= kManyDigits ? fmt::format("{:.0f}", *figure) : fmt::format("{:.2f}", *figure);
}

std::string verdict(const ComparedRow& row) { return row.better ? "better" : "worse"; }

std::string ratio_text(const ComparedRow& row) {
    return row.ratio ? fmt::format("{:.2f} {:<6}", *row.ratio, verdict(row)) : "-       ";
}

std::string limit_text(const ComparedRow& row) {
    const std::optional<double> mine = row.figures.empty() ? std::nullopt : row.figures.front();
    return fmt::format("{:>14}{:>10}", figure_text(row.limit),
                       mine && row.limit ? fmt::format("{:.2f}", *mine / *row.limit) : "-");
}

}  // namespace

std::string table_text(const Compared& compared, const std::vector<Library>& libraries) {
    const bool limited =
        std::ranges::any_of(compared.rows, [](const auto& row) { return row.limit.has_value(); });
    std::string text = fmt::format("# {}, {}\n{:<10}", compared.bench.title, compared.bench.unit,
                                   "# " + compared.bench.key_heading);
    for (const Library& library : libraries) {
        text += fmt::format("{:>14}", library.label);
    }
    text += fmt::format("{:>18}", "rb2/better peer");
    text += limited ? fmt::format("{:>14}{:>10}\n", "limit", "rb2/limit") : "\n";
    for (const ComparedRow& row : compared.rows) {
        text += fmt::format("{:<10}", row.key);
        for (const auto& figure : row.figures) {
            text += fmt::format("{:>14}", figure_text(figure));
        }
        text += fmt::format("{:>18}", ratio_text(row)) + (limited ? limit_text(row) : "") + "\n";
    }
    return text;
}

nlohmann::json table_json(const Compared& compared, const std::vector<Library>& libraries) {
    nlohmann::json rows = nlohmann::json::array();
    for (const ComparedRow& row : compared.rows) {
        nlohmann::json entry{{"key", row.key}};
        for (std::size_t i = 0; i < libraries.size(); ++i) {
            if (row.figures[i]) {
                entry[libraries[i].key] = *row.figures[i];
            }
        }
        if (row.ratio) {
            entry["ratio"] = *row.ratio;
            entry["verdict"] = verdict(row);
        }
        if (row.limit) {
            entry["limit"] = *row.limit;
        }
        rows.push_back(std::move(entry));
    }
    return {{"name", compared.bench.name},
            {"program", compared.bench.program},
            {"key", compared.bench.key_heading},
            {"unit", compared.bench.unit},
            {"better", compared.bench.better == Better::Lower ? "lower" : "higher"},
            {"rows", rows}};
}

}  // namespace rb2::bench::compare
