#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "osu-style-bench/compare/panels.hpp"
#include "osu-style-bench/ring/study/claims.hpp"

namespace rb2::bench::study {

/// The tables of one experiment in Markdown; `picture` is the link to its diagrams, or empty.
std::string section_of(const Taken& taken, const std::string& picture);

/// The comparison with the paper in Markdown; empty without claims.
std::string section_of(const std::vector<Claim>& claims);

/// A diagram for each table.
std::vector<compare::Panel> panels_of(const Taken& taken);

/// Puts `text` in place of what is between the two lines of the page that mark the generated part. Throws
/// std::runtime_error when the page or its marks are missing or it cannot be written.
void replace_generated(const std::filesystem::path& page, const std::string& text);

}  // namespace rb2::bench::study
