#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "osu-style-bench/engine/options.hpp"
#include "osu-style-bench/engine/spec.hpp"

namespace rb2::bench {

/// The figures measured at one size (or number of ranks), in the order of Report::columns().
struct Row {
    std::size_t key;
    std::vector<double> values;
};

/// Collects rows, prints each as it comes in OSU's layout, and renders them all as JSON at the end.
/// Owned and used by rank 0 only; columns are fixed at construction.
class Report {
  public:
    Report(const Spec& spec, const Options& options, int ranks);

    /// Heading of every figure, with its unit.
    [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }

    /// The comment lines above the table, each ended by a newline.
    [[nodiscard]] std::string header() const;

    /// One line of the table. A row must have as many values as there are columns.
    [[nodiscard]] std::string line(const Row& row) const;

    /// Prints the header unless JSON goes to standard output. Throws std::runtime_error now, before any work,
    /// if the JSON's file cannot be written.
    void begin() const;

    /// Keeps the row and prints it unless JSON goes to standard output.
    void add(Row row);

    /// {"benchmark", "version", "ranks", "options": {…}, "key", "columns": […], "better",
    ///  "rows": [{"key": n, "values": […]}]}.
    [[nodiscard]] nlohmann::json to_json() const;

    /// Writes the JSON where the options ask for it. Throws std::runtime_error naming a file that fails.
    void finish() const;

  private:
    [[nodiscard]] bool prints_table() const { return options_.json_path != "-"; }

    Spec spec_;
    Options options_;
    int ranks_;
    std::vector<std::string> columns_;
    std::vector<Row> rows_;
};

/// Writes the document to the file, or to standard output for "-".
/// Throws std::runtime_error naming the file when it cannot be written.
void write_json(const nlohmann::json& document, const std::string& path);

}  // namespace rb2::bench
