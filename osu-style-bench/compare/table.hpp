#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "osu-style-bench/compare/case.hpp"
#include "osu-style-bench/compare/library.hpp"
#include "osu-style-bench/compare/samples.hpp"

namespace rb2::bench::compare {

/// A case with its result.
struct Compared {
    Case bench;
    std::vector<ComparedRow> rows;
};

/// The table of one case as text: a column per library, the ratio to the better peer, and where one is known
/// the machine's limit with rb2's multiple of it. A library without figures shows dashes.
std::string table_text(const Compared& compared, const std::vector<Library>& libraries);

/// {"name", "program", "unit", "better", "key", "rows": [{"key", one figure per library, "ratio", "verdict",
/// "limit"}]}.
nlohmann::json table_json(const Compared& compared, const std::vector<Library>& libraries);

}  // namespace rb2::bench::compare
