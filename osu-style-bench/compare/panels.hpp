#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace rb2::bench::compare {

/// (x, y); what has no place on a logarithmic axis is left out.
struct Curve {
    std::string label;
    std::vector<std::pair<double, double>> points;
    int style = 0;  ///< the same number draws the same colour and mark in every panel
};

/// One diagram with logarithmic axes.
struct Panel {
    std::string title;
    std::string x_label;
    std::string y_label;
    std::vector<Curve> curves;
};

/// The gnuplot script that draws the panels side by side into one PNG, data included. A curve without points
/// and a panel without curves are left out.
std::string panels_script(const std::vector<Panel>& panels, const std::filesystem::path& png);

/// Draws the PNG. Throws std::runtime_error when gnuplot is not installed or fails, saying which.
void draw_panels(const std::vector<Panel>& panels, const std::filesystem::path& png);

}  // namespace rb2::bench::compare
