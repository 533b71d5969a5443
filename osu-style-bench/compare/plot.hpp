#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "osu-style-bench/compare/library.hpp"
#include "osu-style-bench/compare/table.hpp"

namespace rb2::bench::compare {

/// The gnuplot script that draws every case side by side into one PNG, data included.
std::string plot_script(const std::vector<Compared>& cases, const std::vector<Library>& libraries,
                        const std::filesystem::path& png);

/// Draws the PNG. Throws std::runtime_error when gnuplot is not installed or fails, saying which.
void draw_plot(const std::vector<Compared>& cases, const std::vector<Library>& libraries,
               const std::filesystem::path& png);

}  // namespace rb2::bench::compare
