#include "osu-style-bench/engine/report.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "command/checks.hpp"

namespace rb2::bench {
namespace {

std::vector<std::string> columns_of(const Spec& spec, const Options& options) {
    std::vector<std::string> columns{std::string(spec.column)};
    if (!spec.second_column.empty()) {
        columns.emplace_back(spec.second_column);
    }
    if (options.distribution) {
        columns.insert(columns.end(), {"p50 (us)", "p99 (us)", "p99.9 (us)"});
    }
    if (!spec.has_sizes) {
        columns.insert(columns.end(), {"Init min (ms)", "Init max (ms)"});
    }
    return columns;
}

std::string notes_of(const Spec& spec, const Options& options, int ranks) {
    std::string notes;
    if (spec.ranks == RankRule::EvenPairs) {
        notes += fmt::format("# [ pairs: {} ]", ranks / 2);
    }
    if (spec.ranks == RankRule::AtLeastTwo) {
        notes += fmt::format("# [ ranks: {} ]", ranks);
    }
    if (spec.has_window) {
        notes += fmt::format("{}[ window size: {} ]", notes.empty() ? "# " : " ", options.window);
    }
    if (spec.has_queue) {
        notes += fmt::format("# [ {}: {} ]", options.unexpected ? "unexpected messages" : "posted receives",
                             options.queue_depth);
    }
    return notes.empty() ? notes : notes + "\n";
}

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

}  // namespace

Report::Report(const Spec& spec, const Options& options, int ranks)
    : spec_(spec), options_(options), ranks_(ranks), columns_(columns_of(spec, options)) {}

std::string Report::header() const {
    std::string text =
        fmt::format("# {} v{}\n{}", spec_.title, RB2_BENCH_VERSION, notes_of(spec_, options_, ranks_));
    text += fmt::format("{:<10}", fmt::format("# {}", spec_.key_column));
    for (const std::string& column : columns_) {
        text += fmt::format("{:>18}", column);
    }
    return text + "\n";
}

std::string Report::line(const Row& row) const {
    std::string text = fmt::format("{:<10}", row.key);
    for (const double value : row.values) {
        text += fmt::format("{:>18.2f}", value);
    }
    return text + "\n";
}

void Report::begin() const {
    std::string path = options_.json_path;
    if (const std::string wrong = path.empty() ? "" : command::writable_file()(path); !wrong.empty()) {
        throw std::runtime_error("--json: " + wrong);
    }
    if (prints_table()) {
        print(header());
    }
}

void Report::add(Row row) {
    if (row.values.size() != columns_.size()) {
        throw std::logic_error(fmt::format("{}: a row of {} values for {} columns", spec_.program,
                                           row.values.size(), columns_.size()));
    }
    if (prints_table()) {
        print(line(row));
    }
    rows_.push_back(std::move(row));
}

nlohmann::json Report::to_json() const {
    nlohmann::json rows = nlohmann::json::array();
    for (const Row& row : rows_) {
        rows.push_back({{"key", row.key}, {"values", row.values}});
    }
    nlohmann::json options{{"validation", options_.verify}};
    if (spec_.has_sizes) {
        options.update({{"min_bytes", options_.min_bytes},
                        {"max_bytes", options_.max_bytes},
                        {"iterations", options_.iterations},
                        {"large_iterations", options_.large_iterations},
                        {"warmup", options_.warmup}});
    }
    if (spec_.has_window) {
        options["window"] = options_.window;
    }
    if (spec_.has_queue) {
        options.update({{"queue_depth", options_.queue_depth}, {"unexpected", options_.unexpected}});
    }
    return {{"benchmark", spec_.program},
            {"version", RB2_BENCH_VERSION},
            {"ranks", ranks_},
            {"options", options},
            {"key", spec_.key_column},
            {"columns", columns_},
            {"better", spec_.better == Better::Lower ? "lower" : "higher"},
            {"rows", rows}};
}

void Report::finish() const {
    if (!options_.json_path.empty()) {
        write_json(to_json(), options_.json_path);
    }
}

void write_json(const nlohmann::json& document, const std::string& path) {
    const std::string text = document.dump(2) + "\n";
    if (path == "-") {
        print(text);
        return;
    }
    std::ofstream file(path, std::ios::trunc);
    file << text;
    file.close();
    if (!file) {
        throw std::runtime_error(
            fmt::format("cannot write JSON to '{}'; check the directory and its rights", path));
    }
}

}  // namespace rb2::bench
